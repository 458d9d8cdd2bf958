"""Columns as other programs take them: types, values, no copy, no leak."""

from __future__ import annotations

import gc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import vox
from tests.archive import journal

COUNT = 1300
TIME = pa.timestamp("ms", tz="UTC")
CLOSED = pa.dictionary(pa.int8(), pa.string())
NAMES = pa.dictionary(pa.int32(), pa.string())
ITEM = [
    pa.field("item", pa.uint64(), nullable=False),
    pa.field("role", CLOSED, nullable=False),
    pa.field("kind", CLOSED, nullable=False),
    pa.field("created_at", TIME, nullable=False),
    pa.field("byte_len", pa.uint64(), nullable=False),
    pa.field("token_estimate", pa.uint64(), nullable=False),
    pa.field("name", NAMES),
    pa.field("call", pa.uint32(), nullable=False),
    pa.field("fidelity", CLOSED, nullable=False),
    pa.field("redacted", pa.bool_(), nullable=False),
    pa.field("side", pa.bool_(), nullable=False),
    pa.field("purged", pa.bool_(), nullable=False),
]
OVERLAYS = [
    pa.field("pinned", pa.bool_(), nullable=False),
    pa.field("committed", pa.int64()),
    pa.field("trimmed_at", TIME),
]
PREVIEW = [pa.field("preview", pa.string(), nullable=False)]
HASHES = [
    pa.field("content_hash", pa.binary(32), nullable=False),
    pa.field("chain_hash", pa.binary(32), nullable=False),
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> vox.Archive:
    folder = tmp_path_factory.mktemp("arrow")
    opening = journal.Opening(window="a", title="A title", repo="repo", kind="chat")
    journal.write(folder / "in" / "a.journal", [opening, *journal.entries("a", COUNT, seed=4)])
    archive = vox.open(folder / "archive")
    journal.ingest(archive, folder / "in")
    archive._native.set_overlay(0, "trimmed", 10, 20, 1_700_000_000_123)
    archive._native.set_overlay(0, "committed", 5, 3, -7)
    return archive


@pytest.fixture(scope="module")
def items(archive: vox.Archive) -> Any:
    window = archive.window("journal:a")
    return window.items(0, COUNT, trimmed="show", records=True, hashes=True)


def test_items_have_the_documented_types(archive: vox.Archive) -> None:
    window = archive.window("journal:a")
    ordinal = pa.field("ordinal", pa.uint64(), nullable=False)
    usual = [ordinal, *ITEM, *OVERLAYS]
    assert pa.schema(window.items()) == pa.schema([*usual, *PREVIEW])
    assert pa.schema(window.items(preview=False)) == pa.schema(usual)
    assert pa.schema(window.items(hashes=True)) == pa.schema([*usual, *PREVIEW, *HASHES])
    number = pa.field("window", pa.uint32(), nullable=False)
    assert pa.schema(archive.timeline()) == pa.schema([number, *ITEM, *PREVIEW])


def test_windows_have_numbers_texts_and_times(archive: vox.Archive) -> None:
    schema = pa.schema(archive.windows())
    assert schema.field("window") == pa.field("window", pa.uint32(), nullable=False)
    for name in ("id", "key", "title", "repo", "kind", "parent", "root"):
        assert schema.field(name).type == pa.string(), name
    for name in ("created_at", "updated_at", "deleted_at"):
        assert schema.field(name).type == TIME, name
    for name in ("items", "bytes", "tokens", "trimmed"):
        assert schema.field(name) == pa.field(name, pa.uint64(), nullable=False)


@pytest.mark.parametrize("count", [0, 1, 511, 513, COUNT])
def test_pyarrow_sees_the_rows_that_python_sees(archive: vox.Archive, count: int) -> None:
    window = archive.window("journal:a")
    columns = window.items(0, count, trimmed="show", records=True, hashes=True)
    batch = pa.record_batch(columns)
    batch.validate(full=True)
    assert batch.num_rows == len(columns) == count
    assert batch.schema.names == columns.names
    for name in columns.names:
        column = batch.column(name)
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.int64())
        assert column.to_pylist() == columns.column(name), name
    rows = columns.to_pylist()
    assert [row["ordinal"] for row in rows] == columns.column("ordinal")
    assert all(list(row) == columns.names for row in rows)


def test_times_are_moments_in_utc(items: Any) -> None:
    batch = pa.record_batch(items)
    trimmed = batch.column("trimmed_at").to_pylist()
    assert trimmed[9] is None
    assert trimmed[10] == datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=UTC)
    assert items.column("trimmed_at")[10] == 1_700_000_000_123
    assert batch.column("committed").to_pylist()[4:9] == [None, -7, -7, -7, None]


def test_taking_columns_over_copies_nothing(items: Any) -> None:
    first, second = pa.record_batch(items), pa.record_batch(items)
    for one, other in zip(first.columns, second.columns, strict=True):
        ours = [buffer.address for buffer in one.buffers() if buffer]
        theirs = [buffer.address for buffer in other.buffers() if buffer]
        assert ours == theirs
        assert ours


def test_what_was_taken_over_outlives_its_origin(tmp_path: Path) -> None:
    journal.write(tmp_path / "in" / "a.journal", journal.entries("a", 40, seed=6))
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        columns = archive.window("journal:a").items(trimmed="show", records=True)
        wanted = columns.column("preview")
        batch = pa.record_batch(columns)
        del columns
    gc.collect()
    assert batch.column("preview").to_pylist() == wanted


def test_polars_takes_them(items: Any) -> None:
    frame = pl.DataFrame(items)
    assert frame.columns == items.names
    assert frame.schema["created_at"] == pl.Datetime("ms", "UTC")
    assert frame["preview"].to_list() == items.column("preview")
    assert frame["name"].cast(pl.String).to_list() == items.column("name")
    assert frame["role"].cast(pl.String).to_list() == items.column("role")
    assert frame["created_at"].dt.epoch("ms").to_list() == items.column("created_at")
    assert frame["chain_hash"].to_list() == items.column("chain_hash")


def test_duckdb_takes_them(items: Any) -> None:
    columns = items
    assert columns is items, "duckdb finds the variable by its name"
    asked = duckdb.sql(
        "select role, count(*), sum(byte_len) from columns where kind = 'message' group by role"
    )
    wanted: dict[str, tuple[int, int]] = {}
    for row in items.to_pylist():
        if row["kind"] == "message":
            number, size = wanted.get(row["role"], (0, 0))
            wanted[row["role"]] = (number + 1, size + row["byte_len"])
    assert {role: (number, size) for role, number, size in asked.fetchall()} == wanted


def test_an_unknown_column_is_named(items: Any) -> None:
    with pytest.raises(IndexError, match='there is no column "nothing"'):
        items.column("nothing")


def resident() -> int:
    """Bytes of memory that are resident now."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("this system doesn't tell the memory of a process")
    return int(statm.read_text().split()[1]) * 4096


def test_columns_that_were_handed_out_are_given_back(archive: vox.Archive, items: Any) -> None:
    """Of batches that were taken over, of capsules that nobody took, and of views. What one round
    would leave behind is some 25 MB."""
    view = archive._native.view
    shown = {"roles": ["user"], "kinds": [], "names": [], "since": None, "until": None}
    number = archive.window("journal:a").number

    def round_of_exports() -> None:
        for _ in range(5000):
            pa.record_batch(items)
            items.__arrow_c_array__()
            items.__arrow_c_schema__()
        for _ in range(100):
            fresh = view(number, COUNT, {**shown, "trimmed": "show", "records": True})
            pa.record_batch(fresh.items(0, COUNT, True, True))

    round_of_exports()
    before = resident()
    round_of_exports()
    assert resident() - before < 12 << 20
