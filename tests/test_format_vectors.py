"""The golden values of ``contracts/vectors``, read without vox.

BLAKE3 comes from its wheel; the bytes are decoded by ``tests/layout.py``.
"""

import json
import unicodedata
import uuid
from pathlib import Path
from typing import Any

from blake3 import blake3

from tests import layout

VECTORS = Path(__file__).parents[1] / "contracts" / "vectors"


def vectors(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def preview(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    spaced = "".join(" " if c.isspace() or unicodedata.category(c) == "Cc" else c for c in text)
    line = " ".join(word for word in spaced.split(" ") if word)
    while len(line.encode()) > 120:
        line = line[:-1]
    return line.rstrip(" ")


def test_content_hashes_are_blake3_of_the_bytes() -> None:
    for case in vectors("hashes.json")["content"]:
        assert blake3(bytes.fromhex(case["bytes"])).hexdigest() == case["hash"]


def test_chain_hashes_bind_parent_role_kind_and_content() -> None:
    for case in vectors("hashes.json")["chain"]:
        parent, content = bytes.fromhex(case["parent"]), bytes.fromhex(case["content"])
        path = layout.chained(parent, case["role"], case["kind"], content)
        assert blake3(path).hexdigest() == case["hash"]


def test_window_ids_bind_key_and_revision() -> None:
    for case in vectors("hashes.json")["window_id"]:
        named = case["key"].encode() + b"\0" + case["revision"].to_bytes(4, "little")
        digest = blake3(b"vox.window.v1\0" + named).digest()
        assert str(uuid.UUID(bytes=digest[:16])) == case["id"]


def test_a_call_is_the_start_of_the_hash_of_its_id() -> None:
    for case in vectors("hashes.json")["call"]:
        digest = blake3(case["id"].encode()).digest()
        assert case["call"] == (int.from_bytes(digest[:4], "little") or 1 if case["id"] else 0)


def test_previews_are_one_line_of_at_most_120_bytes() -> None:
    cases = vectors("preview.json")
    for case in cases["text"]:
        assert preview(bytes.fromhex(case["bytes"])) == case["preview"]
    for case in cases["binary"]:
        assert case["preview"] == f"[{case['media_type']}, {case['length']} bytes]"


def test_the_golden_chunk_decodes_to_its_items() -> None:
    vector = vectors("chunk.json")
    chain, items = layout.chunk(bytes.fromhex(vector["chunk"]))
    assert chain.hex() == vector["chain_before"]
    assert items == vector["items"]
    assert len(items) > 64, "more than one preview block"


def test_a_chunk_without_calls_decodes_to_its_items() -> None:
    vector = vectors("chunk-layout-2.json")
    _, items = layout.chunk(bytes.fromhex(vector["chunk"]))
    assert items == [{**item, "call": 0} for item in vector["items"]]


def test_the_golden_raw_run_gives_back_its_source_bytes() -> None:
    vector = vectors("raw_run.json")
    run = layout.raw_run(bytes.fromhex(vector["run"]))
    assert (run["base"], run["hash"].hex()) == (vector["base"], vector["hash"])
    assert [list(record) for record in run["records"]] == vector["records"]
    blobs = {blob["blob"]: bytes.fromhex(blob["bytes"]) for blob in vector["blobs"]}
    assert run["codec"] == 0
    assert layout.source_of(run, run["body"], blobs).hex() == vector["source"]
    assert {form for *_, form in run["cuts"]} == set(range(7)) - {layout.DATA_URL}
