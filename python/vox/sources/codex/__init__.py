"""Codex: rollout files of the Codex CLI and desktop application, all generations.

A rollout is a file of JSON lines `{timestamp, type, payload}`. `records` reads the fields that
say what a line means, `items` and `events` turn them into items, `session`, `usage` and `turns`
keep what stands outside the items, and `reader` puts them together.
"""

from vox.sources.codex.source import Codex

__all__ = ["Codex"]
