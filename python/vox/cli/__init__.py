"""The command `vox`: one file for each group of commands."""

from vox.cli.main import main

__all__ = ["main"]
