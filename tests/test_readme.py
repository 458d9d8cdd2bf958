"""Every block of README.md runs as it stands, on a machine whose tools left the example
transcripts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def machine(
    tmp_path: Path, transcripts: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The environment of a user of both tools who has just installed vox."""
    shutil.copytree(transcripts / "claude_code", tmp_path / "claude" / "projects")
    shutil.copytree(transcripts / "codex", tmp_path / "codex" / "sessions")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.chdir(tmp_path)
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def blocks(repository: Path, language: str) -> list[str]:
    text = (repository / "README.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_commands_run_as_written(repository: Path, machine: dict[str, str]) -> None:
    scripts = blocks(repository, "sh")
    assert len(scripts) >= 2
    for script in scripts:
        for command in script.splitlines():
            ended = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", command],
                env=machine,
                capture_output=True,
                text=True,
            )
            assert ended.returncode == 0, f"{command}\n{ended.stderr}"
            assert ended.stdout != "", command


def test_the_python_runs_as_written(repository: Path, machine: dict[str, str]) -> None:
    scripts = blocks(repository, "python")
    assert len(scripts) >= 3
    names: dict[str, object] = {}
    for script in scripts:
        exec(compile(script, "README.md", "exec"), names)
    assert isinstance(names["first"], bytes)
    assert names["first"].startswith(b"I'll create three simple files")
