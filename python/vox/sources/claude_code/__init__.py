"""Claude Code: its transcripts as windows."""

from vox.sources.claude_code.files import ClaudeCode

__all__ = ["ClaudeCode"]
