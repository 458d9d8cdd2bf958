"""The root of the command line."""

from __future__ import annotations

import click

import vox


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(vox.__version__, prog_name="vox")
def main() -> None:
    """One archive for everything your coding agents ever said."""
