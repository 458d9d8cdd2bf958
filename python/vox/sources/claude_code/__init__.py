"""Claude Code: transcripts of its sessions and agents.

A transcript is a file of JSON lines that name the record before them. `source` finds transcripts
and tells them, `records` declares the fields that say what a line means, `content` turns lines into
items, `lineage` says which window a line belongs to, `facts`, `usage` and `spill` read what stands
outside the items, and `reader` puts them together.
"""

from vox.sources.claude_code.source import ClaudeCode

__all__ = ["ClaudeCode"]
