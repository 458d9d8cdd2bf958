"""`vox completion`: scripts that complete vox's commands in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  echo 'eval "$(vox completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(vox completion zsh)"' >> ~/.zshrc
    fish:  vox completion fish > ~/.config/fish/completions/vox.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click has had these three since 8.0"
    click.echo(kind(ctx.find_root().command, {}, "vox", "_VOX_COMPLETE").source())
