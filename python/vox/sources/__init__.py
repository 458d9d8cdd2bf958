"""Producers of windows: one adapter for each tool, and vox's own, behind one interface."""

from vox.sources.base import FileSource, WindowSource
from vox.sources.claude_code import ClaudeCode
from vox.sources.codex import Codex
from vox.sources.own import OWN

SOURCES: tuple[FileSource, ...] = (ClaudeCode(), Codex())
"""Every tool whose files are known. A file is taken by the first that recognises it."""

PRODUCERS: tuple[WindowSource, ...] = (*SOURCES, *OWN)
"""Whoever makes windows."""
