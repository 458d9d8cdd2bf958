"""The content store against a dict: whatever is done, and through which door."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from blake3 import blake3
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

import vox
from vox.archive import verify_path
from vox.errors import ConflictError, NotFoundError

# Puts the items of each line, in hex, and answers with an empty line once it is durable.
WRITER = """
import sys, vox
store = vox.ContentStore(sys.argv[1])
for line in sys.stdin:
    store.put_many([bytes.fromhex(word) for word in line.strip().split(",")])
    print(flush=True)
"""

items = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([b"", b"yes", b"no", b"x" * 5000]),
    # Random bytes don't shrink: these fill segments, and overflow them.
    st.builds(
        lambda seed, size: blake3(bytes([seed])).digest(length=size),
        st.integers(0, 20),
        st.sampled_from([300, 20_000, 65_519, 65_520, 200_000]),
    ),
)


def digest(item: bytes) -> bytes:
    return blake3(item).digest()


class ContentModel(RuleBasedStateMachine):
    """Every blob ever put is got by its hash, with the holds that were taken and not given back."""

    hashes = Bundle("hashes")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="vox-model-"))
        self.blobs: dict[bytes, bytes] = {}
        self.holds: Counter[bytes] = Counter()
        self.writer: subprocess.Popen[str] | None = None

    @property
    def place(self) -> Path:
        return self.folder / "store"

    @initialize()
    def begin(self) -> None:
        self.stores = [vox.ContentStore(self.place)]

    def was_put(self, batch: list[bytes]) -> list[bytes]:
        keys = [digest(item) for item in batch]
        self.blobs |= zip(keys, batch, strict=True)
        self.holds.update(keys)
        return keys

    @rule(target=hashes, batch=st.lists(items, max_size=12), size=st.sampled_from([None, 1, 3]))
    def put_many(self, batch: list[bytes], size: int | None) -> object:
        keys = self.stores[-1].put_many(batch, batch=size)
        assert keys == self.was_put(batch)
        return multiple(*keys)

    @rule(target=hashes, item=items)
    def put(self, item: bytes) -> bytes:
        key = self.stores[0].put(item)
        assert [key] == self.was_put([item])
        return key

    @rule(target=hashes, batch=st.lists(items, min_size=1, max_size=5))
    def put_from_another_process(self, batch: list[bytes]) -> object:
        if self.writer is None:
            self.writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, str(self.place)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self.writer.stdin
        assert self.writer.stdout
        print(",".join(item.hex() for item in batch), file=self.writer.stdin, flush=True)
        assert self.writer.stdout.readline() == "\n"
        return multiple(*self.was_put(batch))

    @rule(keys=st.lists(st.one_of(hashes, st.just(bytes(32))), max_size=8))
    def release(self, keys: list[bytes]) -> None:
        wanted = Counter(keys)
        if any(key not in self.blobs for key in keys) or any(
            self.holds[key] < number for key, number in wanted.items()
        ):
            try:
                self.stores[0].release_many(keys)
            except (NotFoundError, ConflictError):
                return
            raise AssertionError("more was given back than was taken")
        self.stores[0].release_many(keys)
        self.holds -= wanted

    @rule(keys=st.lists(hashes, max_size=100))
    def get_many(self, keys: list[bytes]) -> None:
        for store in self.stores:
            assert store.get_many(keys) == [self.blobs[key] for key in keys]

    @rule()
    def open_again(self) -> None:
        self.stores = []
        self.stores = [vox.ContentStore(self.place, create=False)]

    @rule()
    def open_beside(self) -> None:
        self.stores.append(vox.ContentStore(self.place))

    @rule()
    def verify(self) -> None:
        report = verify_path(self.place)
        assert report.ok, report.findings
        assert report.checked["blobs"] == len(self.blobs)

    @invariant()
    def every_blob_has_its_bytes_and_its_holds(self) -> None:
        keys = list(self.blobs)
        for store in getattr(self, "stores", []):
            assert store.refs(keys) == [(0, self.holds[key]) for key in keys]
            assert store.get_many(keys) == list(self.blobs.values())

    def teardown(self) -> None:
        if self.writer is not None:
            with self.writer:
                assert self.writer.stdin
                self.writer.stdin.close()
            assert self.writer.returncode == 0
        if self.blobs:
            report = verify_path(self.place)
            assert report.ok, report.findings
        self.stores = []
        shutil.rmtree(self.folder, ignore_errors=True)


TestContentModel = ContentModel.TestCase
TestContentModel.settings = settings(
    max_examples=settings().max_examples // 5, stateful_step_count=25
)
