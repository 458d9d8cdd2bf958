"""Example transcripts: those of the repository, and a larger corpus if there is one.

The larger one is a folder with a folder for each tool, as `tests/data` has them. `VOX_CORPUS` names
it; without that, `../shared/data` is taken where it stands beside the checkout. Tests that read
transcripts then read all of them; none needs more than the repository's own.
"""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
EXAMPLES = REPOSITORY / "tests" / "data"
CORPUS = Path(os.environ.get("VOX_CORPUS", REPOSITORY.parent / "shared" / "data"))
TOOLS = {"claude-code": "claude_code", "codex": "codex"}
NO_TRANSCRIPTS = (".md", ".txt", ".sqlite", "session-empty.jsonl", "expected-", "history-")
"""Marks in the names of files that stand beside the transcripts."""


def folders(tool: str) -> list[Path]:
    """The folders that hold transcripts of a tool."""
    candidates = [EXAMPLES / TOOLS[tool], CORPUS / TOOLS[tool]]
    return [folder for folder in candidates if folder.is_dir()]


def files(tool: str) -> list[Path]:
    """Every file of those folders, each once: a larger corpus holds the examples too."""
    found: dict[Path, Path] = {}
    for folder in folders(tool):
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                found.setdefault(file.relative_to(folder), file)
    return list(found.values())


def is_transcript(path: Path) -> bool:
    """Whether a file of those folders is a transcript, by its name."""
    return not any(mark in path.name for mark in NO_TRANSCRIPTS)


def transcripts(tool: str) -> list[Path]:
    """Every transcript of those folders, each once."""
    return [file for file in files(tool) if is_transcript(file)]


def name_of(path: Path) -> str:
    """A short name for a file of either."""
    for folder, mark in ((EXAMPLES, ""), (CORPUS, "corpus:")):
        if path.is_relative_to(folder):
            return mark + path.relative_to(folder).as_posix()
    return path.name
