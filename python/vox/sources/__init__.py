"""Producers of windows: one adapter for each tool, behind one interface."""

from vox.sources.base import WindowSource
from vox.sources.claude_code import ClaudeCode
from vox.sources.codex import Codex

SOURCES: tuple[WindowSource, ...] = (ClaudeCode(), Codex())
"""Every known producer. A file is taken by the first that recognises it."""
