"""Where things of a user live: the one place that reads environment variables of vox.

| variable   | meaning                                     | default                          |
|------------|---------------------------------------------|----------------------------------|
| `VOX_HOME` | folder of the archive, settings and caches  | the system's folder for user data |
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for a whole run of vox. Passed down as an argument, never looked up again."""

    home: Path
    """Where everything of a user lives."""

    @property
    def archive(self) -> Path:
        """The archive that is meant when none is named."""
        return self.home / "archive"


def load_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings that `environ` gives. An empty `VOX_HOME` counts as unset."""
    home = environ.get("VOX_HOME")
    return Settings(home=Path(home).expanduser().absolute() if home else _default_home())


def _default_home() -> Path:
    # Here, not above: most runs name a home or an archive, and start-up time is felt.
    import platformdirs

    return platformdirs.user_data_path("vox", appauthor=False)
