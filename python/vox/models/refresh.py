"""Newer catalogues, put over what vox ships."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vox.config import Settings, load_settings
from vox.errors import NotFoundError, TooLargeError, of_system
from vox.models.catalogue import keep, load_catalogue
from vox.models.discovery import LARGEST, fetch
from vox.models.formats import read

if TYPE_CHECKING:
    import httpx

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What became of a catalogue that was read."""

    source: str
    format: str
    """`openrouter` or `models.dev`."""
    date: date
    """The day from which it is: of an address today, of a file that of its last change."""
    models: int
    """Models that it lists."""
    new: int
    """Those among them that weren't known."""
    other: int
    """Entries that are no models of texts."""
    bad: tuple[str, ...]
    """Entries that can't be understood: which, and why."""
    path: Path
    """The user's catalogue."""


def refresh(
    source: str | os.PathLike[str],
    *,
    settings: Settings | None = None,
    transport: httpx.BaseTransport | None = None,
) -> Refreshed:
    """Reads the answer of OpenRouter's `/api/v1/models` or models.dev's `api.json`, from a file or
    an `https` address, into the user's catalogue, in one step. What it doesn't list stays.

    Raises `MalformedError` for what is neither, `NotFoundError`, `TooLargeError`, what the system
    says, and for an address as `vox.models.discovery.fetch`.
    """
    settings = settings or load_settings()
    place = os.fspath(source)
    if isinstance(source, str) and _ADDRESS.match(source):
        content, day = fetch(source, transport=transport), datetime.now(UTC).date()
    else:
        content, day = _in_file(Path(place))
    found = read(content, place, day)
    known = {(row.provider, row.id) for row in load_catalogue(settings).rows}
    keep(
        settings.models,
        found.rows,
        {"name": found.format, "from": place, "date": day.isoformat()},
    )
    return Refreshed(
        source=place,
        format=found.format,
        date=day,
        models=len(found.rows),
        new=sum((row.provider, row.id) not in known for row in found.rows),
        other=found.other,
        bad=tuple(found.bad),
        path=settings.models,
    )


def _in_file(path: Path) -> tuple[bytes, date]:
    try:
        with path.expanduser().open("rb") as file:
            content = file.read(LARGEST + 1)
            changed = os.fstat(file.fileno()).st_mtime
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}: there is no such file") from error
    except OSError as error:
        raise of_system(error) from error
    if len(content) > LARGEST:
        raise TooLargeError(f"{path}: more than {LARGEST >> 20} MiB; no catalogue is that long")
    return content, datetime.fromtimestamp(changed, UTC).date()
