"""The root of the command line, and the one place where errors become exit statuses."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

import vox
from vox.cli.archive import archive
from vox.cli.cat import cat
from vox.cli.completion import completion
from vox.cli.context import context
from vox.cli.doctor import doctor
from vox.cli.export import export
from vox.cli.imports import import_
from vox.cli.ls import ls
from vox.cli.model import model
from vox.cli.output import answer
from vox.cli.own.chat import chat
from vox.cli.own.history import history
from vox.cli.own.session import session
from vox.cli.plain import one_line
from vox.cli.search import search
from vox.cli.show import show
from vox.cli.tokens import tokens
from vox.cli.window import window
from vox.errors import InternalError, InvalidArgumentError, StoppedError, VoxError, of_system


class _Root(click.Group):
    """Whoever read the output may have seen enough, as in `vox ls | head`: that is no error."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        # `--help` and `--version` answer while the arguments are read.
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:
            _let_go_of_output()
            raise click.exceptions.Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _let_go_of_output()
            return None


CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=_Root, context_settings=CONTEXT)
@click.version_option(vox.__version__, prog_name="vox", message="%(prog)s %(version)s")
def cli() -> None:
    """One archive for everything your coding agents ever said."""


for _command in (
    import_,
    export,
    ls,
    search,
    show,
    cat,
    window,
    session,
    chat,
    history,
    archive,
    tokens,
    model,
    context,
    doctor,
    completion,
):
    cli.add_command(_command)


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run `vox` with `argv` (default: the process's arguments) and exit.

    Exit statuses are those of `contracts/errors.yaml`. With `--json` or `--jsonl` an error is
    an answer too: `{"schema": "vox.error.v1", "code": …, "message": …}`.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _give_streams()
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()
        status = 0
    except OSError as error:
        # Standard output takes no more, not even an answer that says so.
        _let_go_of_output()
        status = _say(of_system(error))
    sys.exit(status)


def _give_streams() -> None:
    # Started with a closed descriptor, as in `vox ls >&-`, Python has no stream at all.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


def _let_go_of_output() -> None:
    # What is still buffered goes where it disturbs nobody.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    try:
        # A command that ends with a status other than 0 gives it through Context.exit.
        return cli.main(arguments, prog_name="vox", standalone_mode=False) or 0
    except click.ClickException as error:
        if _wants_json(arguments):
            return _fail(arguments, InvalidArgumentError(error.format_message()))
        error.show()
        return InvalidArgumentError.exit_status
    except (KeyboardInterrupt, click.Abort):
        return _fail(arguments, StoppedError("stopped"))
    except VoxError as error:
        return _fail(arguments, error)
    except OSError as error:
        return _fail(arguments, of_system(error))
    except Exception as error:  # noqa: BLE001 - the outermost handler: nobody else can report it
        traceback.print_exc()
        message = f"a fault of vox itself ({type(error).__name__}); please report the lines above"
        return _fail(arguments, InternalError(message))


def _fail(arguments: list[str], error: VoxError) -> int:
    if _wants_json(arguments):
        answer("vox.error.v1", {"code": error.code, "message": str(error)})
    return _say(error)


def _say(error: VoxError) -> int:
    click.echo(f"vox: {one_line(str(error))}", err=True)
    return error.exit_status


def _wants_json(arguments: list[str]) -> bool:
    return "--json" in arguments or "--jsonl" in arguments
