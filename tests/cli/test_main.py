from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import vox
from tests.cli.conftest import Run
from vox.errors import DiskFullError

COMMANDS = [
    "archive",
    "cat",
    "chat",
    "completion",
    "context",
    "doctor",
    "export",
    "history",
    "import",
    "ls",
    "model",
    "search",
    "session",
    "show",
    "tokens",
    "window",
]


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version").text == f"vox {vox.__version__}\n"


def test_help_names_every_command(run: Run) -> None:
    outcome = run("--help")
    assert outcome.status == 0
    assert [line.split()[0] for line in outcome.text.split("Commands:\n")[1].splitlines()] == (
        COMMANDS
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_loads_nothing_heavy(command: str) -> None:
    script = (
        "import sys\n"
        "from vox.cli import main\n"
        "try:\n"
        f"    main([{command!r}, '--help'])\n"
        "finally:\n"
        "    heavy = {'msgspec', 'numpy', 'platformdirs', 'polars', 'pyarrow', 'rich'}\n"
        "    print(*sorted(heavy & {*sys.modules}), file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stderr == "\n"


def test_stopped_while_it_loads_it_says_so_in_one_line() -> None:
    script = (
        "import runpy, sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'vox.cli.show':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "runpy.run_module('vox', run_name='__main__')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "\nvox: stopped\n")


LOOKS = [
    ["ls"],
    ["ls", "--jsonl", "--tree"],
    ["show", "WINDOW"],
    ["show", "WINDOW", "--json"],
    ["cat", "WINDOW@1"],
    ["archive", "stats"],
]


@pytest.mark.parametrize("look", LOOKS, ids=" ".join)
def test_a_look_at_the_archive_loads_no_adapter_and_nothing_else_it_can_do_without(
    imported: str, look: list[str]
) -> None:
    arguments = [argument.replace("WINDOW", imported) for argument in look]
    script = (
        "import sys\n"
        "from vox.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "finally:\n"
        "    heavy = {'asyncio', 'numpy', 'platformdirs', 'polars', 'pyarrow', 'rich',\n"
        "        'vox.archive.ingest', 'vox.sources'}\n"
        "    print(*sorted(heavy & {*sys.modules}), file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout != ""
    assert ended.stderr == "\n"


def test_a_usage_error_exits_with_2_and_says_what_is_wrong(run: Run) -> None:
    outcome = run("ls", "--count", "0")
    assert (outcome.status, outcome.output) == (2, b"")
    assert "0 is not in the range" in outcome.messages


def test_with_json_an_error_is_an_answer_too(run: Run) -> None:
    outcome = run("ls", "--json", "--frobnicate")
    assert outcome.status == 2
    assert outcome.answer["schema"] == "vox.error.v1"
    assert outcome.answer["code"] == "invalid_argument"
    assert "--frobnicate" in outcome.answer["message"]


def test_what_there_is_to_know_of_the_archives_place_is_said_beside_the_answer(
    imported: str,
) -> None:
    pytest.importorskip("resource", reason="this system has no limits of address space")
    script = (
        "import resource\n"
        "from vox.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "main(['ls', '--json'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert imported in ended.stdout
    assert ended.stderr.startswith("vox: only ")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_for_the_command_vox(run: Run, shell: str) -> None:
    outcome = run("completion", shell)
    assert outcome.status == 0
    assert f"_VOX_COMPLETE={shell}_complete" in outcome.text


def test_a_shell_is_told_which_commands_there_are() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "vox"],
        env={"_VOX_COMPLETE": "bash_complete", "COMP_WORDS": "vox i", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "plain,import\n"


HUGE = str(10**30)
UNUSABLE = [
    ["show", "\udcff"],
    ["cat", "\udcff@1"],
    ["ls", "--repo", "\udcff"],
    ["ls", "--until", "0001-01-01"],
]


@pytest.mark.parametrize("arguments", UNUSABLE, ids=lambda arguments: arguments[0])
def test_an_argument_that_can_mean_nothing_is_a_usage_error(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert (outcome.status, outcome.output) == (2, b"")
    assert "Traceback" not in outcome.messages


def test_a_number_beyond_all_archives_is_one(run: Run, imported: str) -> None:
    assert run("ls", "--start", HUGE, "--jsonl").rows == []
    assert run("show", imported, "--start", HUGE, "--jsonl").rows == []
    assert len(run("show", imported, "-n", HUGE, "--jsonl").rows) == 6
    assert run("archive", "verify", "--sample", HUGE).status == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("arguments", [["ls"], ["ls", "--json"], ["--help"]], ids=" ".join)
def test_output_that_finds_no_space_is_said_in_one_line(
    imported: str, arguments: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "vox", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == DiskFullError.exit_status
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("vox: No space left")


def test_without_any_output_a_command_ends_as_ever(imported: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m vox ls >&-"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_terminal_of_unknown_width_shows_tables(run_in_terminal: Run, imported: str) -> None:
    assert imported[:8] in run_in_terminal("ls", columns=0).text


def test_a_folder_is_imported_without_a_slash_in_its_name(
    run: Run, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(transcript.parent)
    assert run("import", transcript.name, "--json").answer["windows"] == 1


def test_json_in_a_terminal_holds_nothing_that_acts(run_in_terminal: Run, imported: str) -> None:
    output = run_in_terminal("ls", "--jsonl")
    assert b"\\u202e" in output.output
    assert "\u202e" not in output.text


def test_it_starts_with_a_click_whose_parameter_types_take_no_parameter() -> None:
    script = (
        "import click\n"
        "click.ParamType = type('Old', (click.ParamType,), {'__class_getitem__': None})\n"
        "from vox.cli import main\n"
        "main(['ls', '--help'])\n"
    )
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["ls", "--help"]])
def test_a_reader_that_has_seen_enough_is_no_error(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "vox", *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
