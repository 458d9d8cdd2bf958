"""A long window in a vox archive: building it, opening it, looking at a part of it.

All that the viewport benchmark asks of vox goes through here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from harness import NotHereError
from window_items import NAMES, Item

KEY = "bench:long"
STEP = 100_000


def build(path: Path, items: Iterable[Item]) -> None:
    """An archive with one window of all items."""
    vox = the_module()
    from vox.archive import NewItem as new_item  # noqa: N813  only where vox is there
    from vox.sources.base import ItemKind, Role

    archive = vox.open(path)
    for part in parts(items):
        archive.append(
            KEY,
            [
                new_item(
                    role=Role(item.role),
                    kind=ItemKind(item.kind),
                    created_at=item.created_at,
                    token_estimate=item.tokens,
                    name=NAMES[item.name],
                    content=item.text,
                )
                for item in part
            ],
        )


def parts(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in pieces of `STEP`."""
    rest = iter(items)
    while part := list(islice(rest, STEP)):
        yield part


def the_window(path: Path) -> Any:
    """The window of an archive that `build` made."""
    return the_module().open(path).window(KEY)


def spine_bytes(path: Path) -> int:
    """Bytes of an archive without its blobs and their index."""
    return int(the_module().open(path).stats()["spine_bytes"])


def viewport(window: Any, start: int, count: int, *, preview: bool) -> Any:
    """Columns of `count` items from view position `start`."""
    return window.items(start, count, preview=preview)


def the_module() -> Any:
    """The package, if it is there and complete."""
    try:
        import vox
    except ImportError as error:
        raise NotHereError(str(error)) from error
    if not hasattr(vox, "open"):
        raise NotHereError("vox.open is not there")
    return vox
