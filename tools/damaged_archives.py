"""Makes the damaged archives of tests/data/archives: `python tools/damaged_archives.py`.

Each is the same small archive with one thing wrong, packed as `damaged-<name>.tar.gz`. To be run
again when the format changes; `tests/faults/test_damaged_archives.py` says what must be found.
"""

from __future__ import annotations

import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import lmdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import vox
from vox.archive.append import NewItem
from vox.sources.base import ItemKind, Role

REPOSITORY = Path(__file__).resolve().parents[1]
ARCHIVES = REPOSITORY / "tests" / "data" / "archives"
TRANSCRIPTS = REPOSITORY / "tests" / "data" / "claude_code" / "claude-code-tools"
PAGE = 4096
MARK = b"These very words stand in one item of this archive, and nowhere else. " * 3


def make(place: Path) -> None:
    """An archive with a transcript, a window of its own, and what users said of it."""
    with vox.open(place) as archive:
        archive.ingest(root=TRANSCRIPTS)
        items = [
            NewItem(content=f"item {n}", role=Role.USER, kind=ItemKind.MESSAGE) for n in range(40)
        ]
        archive.append("example", items)
        archive.window("example").trim([range(3, 6)])
    vox.ContentStore(place).put(MARK)
    shutil.rmtree(place / "search", ignore_errors=True)
    for lock in place.rglob("lock.mdb"):
        lock.unlink()


def data_of(place: Path) -> Path:
    """The data file of an archive."""
    (data,) = place.glob("db/*/data.mdb")
    return data


def change(place: Path, at: int, data: bytes) -> None:
    """Writes over some bytes of the data file."""
    with data_of(place).open("r+b") as file:
        file.seek(at)
        file.write(data)


def cut_off(place: Path) -> None:
    """The last third of the data file is missing."""
    with data_of(place).open("r+b") as file:
        file.truncate(data_of(place).stat().st_size * 2 // 3 // PAGE * PAGE)


def no_current(place: Path) -> None:
    """The file CURRENT is missing."""
    (place / "CURRENT").unlink()


def newest_meta(place: Path) -> int:
    """The page with the newer of the two heads of the data file."""
    data = data_of(place).read_bytes()
    last = [int.from_bytes(data[at + 144 : at + 152], "little") for at in (0, PAGE)]
    return last.index(max(last))


def one_head(place: Path) -> None:
    """The newer of the two heads of the data file is all zeros."""
    change(place, newest_meta(place) * PAGE, bytes(PAGE))


def both_heads(place: Path) -> None:
    """Both heads of the data file are all zeros."""
    change(place, 0, bytes(2 * PAGE))


def edit(place: Path, table: str, work: Callable[[lmdb.Transaction, object], None]) -> None:
    """Changes a table through LMDB."""
    with lmdb.open(str(data_of(place).parent), max_dbs=64, map_size=1 << 26) as environment:
        database = environment.open_db(table.encode(), create=False)
        with environment.begin(write=True, db=database) as transaction:
            work(transaction, database)
    for lock in place.rglob("lock.mdb"):
        lock.unlink()


def item_bytes(place: Path) -> None:
    """A byte of a blob isn't what it was."""

    def flip(transaction: lmdb.Transaction, _: object) -> None:
        for key, value in list(transaction.cursor()):
            at = len(value) - 1
            transaction.put(key, value[:at] + bytes([value[at] ^ 1]))
            return

    edit(place, "tails", flip)


def lost_index(place: Path) -> None:
    """The index of windows by their ids is empty; it can be made again."""
    edit(place, "window_ids", lambda transaction, table: transaction.drop(table, delete=False))


def lost_events(place: Path) -> None:
    """One of the events is missing."""
    edit(place, "events", lambda transaction, _: transaction.delete((1).to_bytes(8, "big")))


def lost_table(place: Path) -> None:
    """The table of overlays is missing."""
    edit(place, "overlays", lambda transaction, table: transaction.drop(table, delete=True))


def no_page(place: Path) -> None:
    """The page with the roots of all tables points outside of the file."""
    data = data_of(place).read_bytes()
    at = newest_meta(place) * PAGE
    root = int.from_bytes(data[at + 128 : at + 136], "little")
    change(place, root * PAGE + 12, b"\xff\xff\xff\xff")


DAMAGES = {
    "cut-off": cut_off,
    "no-current": no_current,
    "one-head": one_head,
    "both-heads": both_heads,
    "item-bytes": item_bytes,
    "lost-index": lost_index,
    "lost-event": lost_events,
    "lost-table": lost_table,
    "torn-page": no_page,
}


def main() -> None:
    """Makes all of them."""
    with tempfile.TemporaryDirectory() as folder:
        sound = Path(folder) / "sound"
        make(sound)
        for name, damage in DAMAGES.items():
            place = Path(folder) / name
            shutil.copytree(sound, place)
            damage(place)
            with tarfile.open(ARCHIVES / f"damaged-{name}.tar.gz", "w:gz") as tar:
                tar.add(place, arcname=".")


if __name__ == "__main__":
    main()
