"""The settings of a user: the one place that reads environment variables of vox.

| variable              | meaning                                    | default             |
|-----------------------|--------------------------------------------|---------------------|
| `VOX_HOME`            | folder of the archive, settings and caches | the system's, `vox` |
| `VOX_HISTORY_ENTRIES` | entries of history kept, see `HistoryCaps` | 10000               |
| `VOX_HISTORY_BYTES`   | bytes of history kept, see `HistoryCaps`   | 67108864            |
| `VOX_COUNTS_BYTES`    | bytes of kept counts, see `COUNTS_BYTES`   | 268435456           |
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vox.errors import InvalidArgumentError

GRACE_DAYS = 14
"""How long content stays after it was first found unused. Judgement."""

COUNTS_BYTES = 256 << 20
"""How much the counts of one tokenizer may take in one archive, for contents and for items each:
16 million of the one, 33 million of the other. Judgement."""


@dataclass(frozen=True, slots=True)
class HistoryCaps:
    """How much history is kept of each kind and repository; the oldest unpinned entries go first.

    Judgement, both: nothing was measured.
    """

    entries: int = 10_000
    bytes: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for a whole run of vox. Passed down as an argument, never looked up again."""

    home: Path
    """Where everything of a user lives."""
    history: HistoryCaps = field(default_factory=HistoryCaps)
    """How much history is kept."""
    counts_bytes: int = COUNTS_BYTES
    """How much kept counts may take."""

    @property
    def archive(self) -> Path:
        """The archive that is meant when none is named."""
        return self.home / "archive"

    @property
    def tokenizers(self) -> Path:
        """Tokenizers of files, compiled: a cache, which may go at any time."""
        return self.home / "tokenizers"

    @property
    def models(self) -> Path:
        """What the user has fetched of models: lies over what vox ships."""
        return self.home / "models.jsonl"


def load_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings that `environ` gives. An empty variable counts as unset.

    Raises `InvalidArgumentError` for a number that is none.
    """
    home = environ.get("VOX_HOME")
    caps = HistoryCaps(
        entries=_number(environ, "VOX_HISTORY_ENTRIES", HistoryCaps().entries),
        bytes=_number(environ, "VOX_HISTORY_BYTES", HistoryCaps().bytes),
    )
    place = Path(home).expanduser().absolute() if home else _default_home()
    return Settings(home=place, history=caps, counts_bytes=counts_bytes(environ))


def counts_bytes(environ: Mapping[str, str] = os.environ) -> int:
    """How much kept counts may take: for who needs no other setting. Raises as `load_settings`."""
    return _number(environ, "VOX_COUNTS_BYTES", COUNTS_BYTES)


def _number(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name)
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 63):
        raise InvalidArgumentError(f"{name} is {text!r}, not a number of 1 or more")
    return int(text)


def _default_home() -> Path:
    # Here, not above: most runs name a home or an archive, and start-up time is felt.
    import platformdirs

    return platformdirs.user_data_path("vox", appauthor=False)
