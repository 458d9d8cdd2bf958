"""Tool output that was too large for the transcript and stands in a file beside it."""

from __future__ import annotations

import re
from pathlib import Path

SPILLED = b"Full output saved to: "

_PLACE = re.compile(rb'Full output saved to: ((?:[^"\\\n]|\\[\\"/])+)')
_FOLDER = "tool-results"
_LARGEST = 64 << 20


def spilled_names(record: bytes) -> list[str]:
    """Paths of spilled output that a record names, as `<session>/tool-results/<file>`.

    Only these last three parts count: the transcript may come from another machine, and
    nothing outside its project folder is ever read.
    """
    names = []
    for match in _PLACE.finditer(record):
        text = match[1].replace(b"\\\\", b"/").replace(b"\\/", b"/").decode("utf-8", "replace")
        parts = text.strip().split("/")
        if len(parts) >= 3 and parts[-2] == _FOLDER and ".." not in parts[-3:]:
            name = "/".join(parts[-3:])
            if name not in names:
                names.append(name)
    return names


def project_folder(transcript: Path) -> Path:
    """The project's folder: where the sessions' transcripts and their own folders stand."""
    for parent in transcript.parents:
        if parent.name == "subagents":
            return parent.parent.parent
    return transcript.parent


def read_spilled(project: Path, name: str) -> bytes | None:
    """The bytes of spilled output; None if the file is gone, too large or leads elsewhere."""
    try:
        folder = project.resolve()
        file = (project / name).resolve()
        if not file.is_relative_to(folder) or file.parent.name != _FOLDER:
            return None
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        return file.read_bytes()
    except (OSError, ValueError):
        return None
