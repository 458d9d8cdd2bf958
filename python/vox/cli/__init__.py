"""The command `vox`: one file for each group of commands.

Modules here import click at most; what is slow to load (rich, the archive) is
imported by the command that needs it, so that `vox --help` stays instant.
"""

from vox.cli.main import main

__all__ = ["main"]
