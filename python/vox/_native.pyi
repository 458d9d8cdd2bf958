"""The core of vox. `vox` and its packages are the public names; this module has no promises."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, final

from typing_extensions import Buffer

from vox.archive.append import NewItem
from vox.archive.filters import ItemFilter, WindowFilter
from vox.archive.search import Wanted
from vox.archive.window_ops import Selection
from vox.errors import VoxError
from vox.sources.base import Batch, WindowDraft
from vox.tokens.items import Item, Items

__version__: Final[str]
CATALOGUE: Final[str]
"""`contracts/models/catalogue.jsonl`, as it stands: what is known of models."""

FRAMING: Final[str]
"""`contracts/framing.toml`, as it stands: what a request costs beyond its texts."""

MODELS: Final[str]
"""`contracts/models.toml`, as it stands: which tokenizer a model has."""

def error_codes() -> list[str]:
    """The codes that errors of the core carry."""

def verify_archive(path: str | Path, sample: int | None) -> dict[str, Any]:
    """Checks the archive at `path`, also one that can't be opened."""

def migrate_archive(path: str | Path) -> dict[str, Any] | None:
    """Brings the archive at `path` to the format of this build; None if it has that."""

def pack(
    costs: Buffer,
    values: Buffer,
    fates: int,
    budget: int,
    groups: Buffer | None,
    pins: Buffer | None,
    claimants: Buffer | None,
    caps: Buffer | None,
) -> tuple[bytearray, int, float, float, float, bytearray]:
    """Chooses a fate for each item, as `vox.pack` does; `fates` is the length of a row. Gives
    fates, tokens, value, bound, gap, and the tokens of each claimant as `uint64`."""

def export_jsonl(archive: Archive, write: Callable[[bytes], object], mask: bool) -> tuple[int, int]:
    """Writes an archive as lines of JSON through `write`, with `mask` without its secrets; gives
    how many lines and bytes."""

def import_jsonl(read: Callable[[int], bytes], target: str | Path) -> dict[str, int]:
    """Reads lines of JSON through `read`, which gives at most so many bytes, into a new archive at
    `target`; gives how many lines there were of each type."""

def salvage_archive(path: str | Path, target: str | Path) -> dict[str, Any]:
    """Copies all that is readable of the damaged archive or data file at `path` into a new archive
    at `target`; gives what was saved and what wasn't."""

def secret_rules_version() -> str:
    """The version of the rules for secrets, as 16 hexadecimal digits."""

def find_secrets(text: bytes | str) -> list[tuple[int, int, str]]:
    """What of `text` is taken for secrets: the first byte, the byte after the last, the rule."""

def mask_secrets(text: bytes | str) -> bytes:
    """`text` with `[secret:<rule>]` in place of each secret. A `str` counts as its UTF-8."""

def scan_secrets(archive: Archive) -> tuple[int, int, int]:
    """Scans what isn't known yet and keeps what is found; gives how many blobs and bytes were
    read, and how many blobs have secrets."""

def item_secrets(archive: Archive, item: int) -> list[tuple[int, int, str]]:
    """The secrets of an item, as `find_secrets` gives them."""

def masked_item(archive: Archive, item: int) -> bytes | None:
    """An item's bytes with its secrets masked; None if it has none."""

def masked_previews(archive: Archive, items: Sequence[int]) -> list[str | None]:
    """For each of `items` how it begins with its secrets masked; None if its preview has none."""

@final
class Relations:
    """What the items of a window are to each other, in the order of their ordinals."""

    @property
    def mentions(self) -> bytearray:
        """By how many later items the names of each are used again, as `uint32`."""

    @property
    def last_uses(self) -> bytearray:
        """The ordinal of the last of those items, its own if there are none, as `uint32`."""

    @property
    def touched(self) -> bytearray:
        """For each item the place in `paths` of the file that it is about, or -1, as `int32`."""

    @property
    def paths(self) -> list[str]:
        """The files that tool calls are about, in the order in which they are first named."""

    @property
    def known(self) -> int:
        """How many items needn't be read, as what they are was kept."""

    @property
    def kept(self) -> bool:
        """Whether all of it is kept now."""

    def __len__(self) -> int: ...

def relations(archive: Archive, window: int) -> Relations:
    """What the items of a window are to each other; `contracts/relations.md` says it exactly."""

def read_many(archive: Archive, items: Sequence[int] | Buffer) -> list[bytes | None]:
    """The bytes of each of `items`, a list of numbers or `uint64` in a buffer, all of one moment;
    None for one that was purged."""

def hash_many(items: Sequence[bytes | str]) -> bytes:
    """BLAKE3-256 of each of `items`, 32 bytes apiece, in one piece. A `str` counts as its UTF-8."""

def mark(
    archive: Archive, verb: str, selection: Selection, dry_run: bool
) -> list[tuple[str, int, int, int, int]]:
    """Marks items, or with `dry_run` says what that would change: for each window its id, items,
    bytes and tokens that change, and items that are kept."""

def label(
    archive: Archive,
    windows: Sequence[int],
    verb: str,
    texts: Sequence[str],
    below: bool,
    dry_run: bool,
) -> list[int]:
    """Changes what is said of windows, or with `dry_run` says which would change; gives their
    numbers."""

def fork(archive: Archive, window: int, count: int, key: str, title: str | None) -> int:
    """Makes a window that begins with the first `count` items of another; gives its number."""

def merge(
    archive: Archive,
    parts: Sequence[tuple[int, Sequence[tuple[int, int]]]],
    key: str,
    title: str | None,
) -> tuple[int, int, int, int, int]:
    """Makes a window of picked items; gives its number, how many it has, how many were left out
    because they are purged, and how many results and calls lack their other half."""

def count_items(
    archive: Archive, items: Buffer, by: Tokenizer | AssumedBound | Ratio
) -> tuple[bytearray, bytearray, bytearray, int, bool]:
    """How many tokens each item is whose numbers `items` holds as uint64: tokens as uint32; places
    of what was purged, and of what is no text, as uint64; how many counts were known, and whether
    all are kept now."""

def view_item_ids(view: WindowView, start: int, count: int) -> bytearray:
    """The numbers of `count` items of a view from position `start` on, as uint64."""

def links(archive: Archive, window: int) -> list[tuple[str, int, int]]:
    """The links of a window to those it came from: how, which window, and the place there."""

def search(archive: Archive, wanted: Wanted) -> Answered:
    """Searches an archive. Reading texts, where that is needed, happens here; all else when it is
    asked for."""

def related(
    archive: Archive,
    wanted: Wanted,
    question: str,
    way: str,
    contents: Sequence[int],
    count: int,
) -> tuple[Answered, float | None]:
    """At most `count` items that have to do with a question, and how much of its words the best of
    them hold: by `words`, by what was `touched`, or for `contents` by their numbers."""

def update_index(archive: Archive, anew: bool) -> dict[str, Any]:
    """Lets the search index catch up with an archive, or builds it anew."""

def commit_context(
    archive: Archive,
    window: int,
    document: bytes | str,
    positions: Sequence[tuple[int, int]],
    *,
    expected_chain: bytes,
    previous: bytes | None,
) -> bytes:
    """Lets `document` be the committed set of a window; gives its content hash.

    Only if the chain hash of the window is `expected_chain` and its set has the hash `previous`
    (None: it has none), else `ConflictError`, which says which moved. `positions` has the ordinal
    and the position of every item that the document repeats anything of."""

def committed_context(archive: Archive, window: int) -> tuple[bytes, bytes] | None:
    """The content hash of a window's committed set, and the set; None if nothing was committed."""

def set_fates(archive: Archive, window: int, fates: Sequence[tuple[int, int, int | None]]) -> int:
    """Sets fates of items by hand: first ordinal, count, and 0 dropped, 1 included, 2 summarized,
    3 on demand or None for none; the last range counts. Gives of how many items that changed
    anything."""

def set_route(archive: Archive, window: int, model: str | None) -> bool:
    """Binds a window to a model, which no import changes; with None to that of its source again.
    Gives whether that changed anything."""

def outline(archive: Archive, window: int) -> Outline:
    """The outline of a window, taken in one read transaction."""

@final
class Outline:
    """A window as it stood at one moment: what is known of its items without reading them.

    Each column is a `bytearray` for `numpy.frombuffer`, with a row for each item, by ordinal."""

    window: Final[int]
    id: Final[str]
    kind: Final[str]
    parent: Final[int | None]
    chain: Final[bytes]
    """Chain hash of the window."""
    model_route: Final[str | None]
    committed_hash: Final[bytes | None]
    """Content hash of the committed set; None if nothing was committed."""
    length: Final[int]
    """How many items."""
    items: Final[bytearray]
    """`uint64`: item ids."""
    contents: Final[bytearray]
    """`uint64`: blob references; equal for equal bytes."""
    created_at: Final[bytearray]
    """`int64`: UTC milliseconds."""
    byte_len: Final[bytearray]
    """`uint64`."""
    token_estimate: Final[bytearray]
    """`uint32`: 0 is unknown."""
    names: Final[bytearray]
    """`uint32`: places in `name_texts`."""
    name_texts: Final[list[str]]
    """The names that occur; the first is "", for none."""
    roles: Final[bytearray]
    """`uint8`: places in `role_names`."""
    role_names: Final[list[str]]
    kinds: Final[bytearray]
    """`uint8`: places in `kind_names`."""
    kind_names: Final[list[str]]
    flags: Final[bytearray]
    """`uint8`, sums of: 1 side, 2 pinned, 4 redacted, 8 purged, 16 trimmed, 32 record."""
    calls: Final[bytearray]
    """`uint32`: equal for a call and its result; 0 is none."""
    committed: Final[bytearray]
    """`int64`: positions in the committed set; -1 taken out of it, -2 neither."""
    fates: Final[bytearray]
    """`int8`: fates that were set by hand; -1 none."""

    def __len__(self) -> int: ...

def append_session_events(archive: Archive, events: Sequence[bytes]) -> list[tuple[int, bool]]:
    """Appends events of sessions, each as MessagePack; gives for each its number and whether it
    was known."""

def sessions(archive: Archive) -> list[tuple[str, int, int]]:
    """Every session: its id, how many events and items it has."""

def session_events(archive: Archive, session: str, first: int, count: int) -> bytes:
    """Events of a session with their contents, as MessagePack."""

def refold_sessions(archive: Archive, session: str | None) -> dict[str, int]:
    """Folds a session, or all sessions and conversations, again; gives what was made."""

def create_conversation(
    archive: Archive,
    conversation: str,
    title: str | None,
    repo: str | None,
    model_route: str | None,
    at: int | None,
) -> None:
    """Begins a conversation."""

def rename_conversation(archive: Archive, conversation: str, title: str) -> None:
    """Gives a conversation another title."""

def delete_conversation(archive: Archive, conversation: str, deleted: bool) -> None:
    """Deletes a conversation, or brings it back."""

def append_messages(archive: Archive, conversation: str, messages: Sequence[bytes]) -> int:
    """Appends messages, each as MessagePack; gives the number of the first."""

def conversations(archive: Archive) -> bytes:
    """Every conversation, as MessagePack."""

def messages(archive: Archive, conversation: str, first: int, count: int) -> bytes:
    """Messages of a conversation with their contents, as MessagePack."""

def add_history(
    archive: Archive,
    kind: str,
    repo: str,
    entries: Sequence[tuple[int | None, bytes | str, str | None]],
    most_entries: int,
    most_bytes: int,
) -> tuple[list[int], int]:
    """Adds entries; gives their numbers, and how many older ones went."""

def history(
    archive: Archive, kind: str | None, repo: str | None, before: int | None, count: int
) -> bytes:
    """Entries with their contents, the newest first, as MessagePack."""

def pin_history(archive: Archive, numbers: Sequence[int], pinned: bool) -> int:
    """Pins or unpins entries; gives how many were not so before."""

def remove_history(archive: Archive, numbers: Sequence[int]) -> None:
    """Removes entries."""

@final
class ContentStore:
    """Content by hash, in an archive of its own or in one that vox uses.

    Whoever puts a blob holds it until it is released; a blob that nothing refers to and nobody
    holds may be collected. Threads may share a store, and those that put at once share a commit.
    """

    def __new__(
        cls, path: str | Path, *, create: bool = True, read_only: bool = False
    ) -> ContentStore: ...
    def put_many(self, items: Sequence[bytes | str], *, batch: int | None = None) -> list[bytes]:
        """Stores `items` and holds them; gives their 32-byte hashes. Durable on return.

        All in one transaction; or with `batch` a commit after every so many items, the next
        being prepared meanwhile: after an error those before it are kept. Raises
        `TooLargeError` for an item over 1 GiB, `DiskFullError`, `ReadOnlyError`.
        """

    def put(self, item: bytes | str) -> bytes:
        """Stores one item and holds it; gives its hash. Durable on return."""

    def get(self, key: bytes) -> bytes:
        """The bytes with this 32-byte hash. Raises `NotFoundError`."""

    def get_many(self, hashes: Sequence[bytes]) -> list[bytes]:
        """The bytes with each of these hashes, on all cores. Raises `NotFoundError`."""

    def refs(self, hashes: Sequence[bytes]) -> list[tuple[int, int] | None]:
        """For each hash how many places in windows name it and how many holds it has; None if it
        isn't there."""

    def release_many(self, hashes: Sequence[bytes]) -> None:
        """Gives back one hold on each: all or, on an error, none. Raises `NotFoundError`, and
        `ConflictError` for one that isn't held."""

    def set_name(self, name: str, key: bytes | None) -> None:
        """Lets `name` stand for the blob with this hash, or for nothing with None. What has a name
        is never collected. Raises `NotFoundError`, `InvalidArgumentError`."""

    def resolve(self, name: str) -> bytes | None:
        """The hash of the blob that `name` stands for."""

    @property
    def path(self) -> Path:
        """Where it is."""

def census(item: Item) -> tuple[str, dict[str, int]]:
    """What `item` is made of: its content class, and how often each feature of
    `contracts/token-ratios.yaml` occurs, in the order that they have there."""

def content_classes() -> list[str]:
    """The names of all content classes, in the order that `contracts/token-ratios.yaml` has."""

@final
class Ratio:
    """Estimates of a family of tokenizers, from what a text is made of: for at most one real item
    in a hundred too few. Raises `NotFoundError` for a family that isn't in
    `contracts/token-ratios.yaml`."""

    def __new__(cls, family: str) -> Ratio: ...
    @property
    def family(self) -> str:
        """Its name."""

    def estimate_many(self, items: Items, threads: int | None = None) -> bytearray:
        """About how many tokens each of `items` is, as `uint32`. Raises `TooLargeError` for one
        with more than that holds."""

@final
class CountCache:
    """A folder of counts by content, one folder for each tokenizer in it."""

    def __new__(
        cls, path: str | Path, *, most_bytes: int = ..., read_only: bool = False
    ) -> CountCache: ...
    @property
    def path(self) -> Path: ...
    def count_many(
        self, items: Items, tokenizer: Tokenizer, threads: int | None = None
    ) -> tuple[bytearray, int, bool]:
        """How many tokens each of `items` is, as uint32; of how many that was known, and whether
        all is kept now."""

@final
class Tokenizer:
    """The tokenizer of a model: exact, for any bytes, from any number of threads.

    What is no UTF-8 counts as U+FFFD for each maximal subpart, so does half a surrogate pair of a
    `str`; what looks like a control token is text. Calls release the GIL and use all cores, or at
    most `threads` threads. They raise `InvalidArgumentError` for items that are no texts, and say
    which.
    """

    @staticmethod
    def shipped(encoding: str) -> Tokenizer:
        """That of an encoding which vox has with it. Raises `NotFoundError` for any other."""

    @staticmethod
    def from_tokenizer_json(path: str | Path, compiled: str | Path | None = None) -> Tokenizer:
        """The tokenizer of a `tokenizer.json` file.

        With `compiled`, a folder, its compiled form is kept there and mapped the next time. Raises
        `UnsupportedError` if it has a component that isn't covered, `MalformedError` if it
        contradicts itself, `TooLargeError` if it has more than 256 MiB, and what the system says if
        it can't be read.
        """

    @property
    def fingerprint(self) -> str:
        """What its counts are kept under: 64 hexadecimal digits, the BLAKE3-256 of everything that
        decides what it answers."""

    def encode(self, item: Item) -> list[int]:
        """The tokens of `item`."""

    def encode_many(self, items: Items, threads: int | None = None) -> tuple[bytearray, bytearray]:
        """The tokens of all `items` as one run of `uint32`, and where those of each end in it as
        `uint64`."""

    def count_many(self, items: Items, threads: int | None = None) -> bytearray:
        """How many tokens each of `items` is, as `uint32`. Raises `TooLargeError` for one with more
        than that holds."""

    def tight_bound_many(self, items: Items, threads: int | None = None) -> bytearray:
        """A bound for each of `items`, never below its count, as `uint32`: a piece that is a token
        counts 1, any other its symbols before merging."""

    def bound_many(self, items: Items, threads: int | None = None) -> bytearray:
        """A looser bound for each of `items`, for less work, as `uint32`: its symbols before
        merging."""

    @staticmethod
    def from_gguf(path: str | Path, compiled: str | Path | None = None) -> Tokenizer:
        """That in a GGUF file, as llama.cpp has it; of a model in several files in the first.

        With `compiled`, a folder, its compiled form is kept there and mapped the next time. Raises
        `UnsupportedError` for one that vox can't count exactly, `MalformedError` for a file that is
        none or contradicts itself, and what the system says if it can't be read.
        """

    def stream_bound(self) -> StreamBound:
        """What `bound_many` says, of a text that comes in chunks."""

    def fits(
        self, items: Items, budget: int, threads: int | None = None
    ) -> tuple[bool, Literal["exact", "bound"], int]:
        """Whether all of `items`, each by itself, are at most `budget` tokens, whether a bound told
        or counting, and the bound or count; where they don't fit some number above `budget` that
        isn't above their count. Looks at no more than it takes to know."""

@final
class Gguf:
    """What the metadata of the GGUF file at `path` says; its tensors are never read. Of a model in
    several files it must be the first.

    Raises `MalformedError` if this is no whole GGUF file, `UnsupportedError` if it is of version 1
    or a later file of several, and the errors of opening a file.
    """

    def __new__(cls, path: str | Path) -> Gguf: ...
    @property
    def architecture(self) -> str:
        """`general.architecture`"""

    @property
    def name(self) -> str:
        """`general.name`"""

    @property
    def model(self) -> str:
        """`tokenizer.ggml.model`: the kind of tokenizer."""

    @property
    def pre(self) -> str:
        """`tokenizer.ggml.pre`: how text is cut before merging; empty if the file doesn't say."""

    @property
    def add_bos(self) -> bool:
        """Whether llama.cpp puts a token before a prompt. It is no part of counts of contents."""

    @property
    def add_eos(self) -> bool:
        """Whether llama.cpp puts a token behind a prompt. It is no part of counts of contents."""

    @property
    def chat_template(self) -> str | None:
        """`tokenizer.chat_template`"""

    @property
    def context_length(self) -> int | None:
        """Tokens at once that the model was trained on."""

    def __len__(self) -> int:
        """Tokens of the vocabulary."""

@final
class AssumedBound:
    """A bound where no tokenizer is at hand, which holds if what is assumed does: the `form` of a
    family in `contracts/models.toml`. Raises `InvalidArgumentError` for a form that isn't there."""

    def __new__(cls, form: str) -> AssumedBound: ...
    def bound_many(self, items: Items, threads: int | None = None) -> bytearray:
        """The bound of each of `items`, as `uint32`."""

    def stream_bound(self) -> StreamBound:
        """The same, of a text that comes in chunks."""

    def fits(self, items: Items, budget: int, threads: int | None = None) -> tuple[bool, int]:
        """Whether the bound of all of `items`, each by itself, is at most `budget`, and that bound;
        where it isn't, some number above `budget` that isn't above the bound."""

@final
class StreamBound:
    """A bound on the tokens of a text that comes in chunks, in constant memory."""

    def feed(self, chunk: Item) -> None:
        """The text goes on. Chunks may be cut anywhere, also within a character."""

    @property
    def total(self) -> int:
        """The bound on what came so far, as if nothing came after it."""

@final
class Columns:
    """Rows as Arrow columns. pyarrow, polars and duckdb take it without a copy:
    `pyarrow.record_batch(columns)`."""

    def __len__(self) -> int: ...
    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    def column(self, name: str) -> list[Any]:
        """The values of one column; times are UTC milliseconds."""

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as dictionaries; times are UTC milliseconds."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def _repr_html_(self) -> str: ...

@final
class Framer:
    """Reads a source file, plain or zstd, as records, a batch of about 8 MiB at a time.

    Offsets count decompressed bytes. Raises `NotFoundError`, `PermissionDeniedError`,
    `SourceUnreadableError`.
    """

    def __new__(cls, path: str | Path, offset: int = 0) -> Framer: ...
    def next_batch(self) -> Records | None:
        """The next records, or None at the end."""

    @property
    def end(self) -> int:
        """Where reading goes on."""

    @property
    def pending(self) -> int:
        """After the last batch: how many bytes at the end are no whole record yet."""

@final
class Records(Sequence[bytes]):
    """Records, each one JSON value as `bytes`."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> bytes: ...  # type: ignore[override]
    @property
    def offsets(self) -> list[int]:
        """Where each record starts in the file."""

    @property
    def end(self) -> int:
        """Where reading goes on."""

    @property
    def quarantined(self) -> list[tuple[int, int, str]]:
        """What is no record: offset, length, reason."""

@final
class IdMap:
    """From long ids to numbers below 2**56, in about 25 bytes an entry."""

    def __new__(cls) -> IdMap: ...
    def put(self, key: str, value: int) -> None:
        """Gives `key` the number `value`. Raises `OverflowError` from 2**56 on."""

    def get(self, key: str) -> int | None:
        """The number of `key`."""

    def __contains__(self, key: str) -> bool: ...
    def __len__(self) -> int: ...

@final
class Prepared:
    """A batch that is ready to be committed, once."""

@final
class SourceToken:
    """A source file as it was when reading began."""

@final
class WindowView:
    """What a filter shows of a window, by position, in the state it was made from."""

    def __len__(self) -> int: ...
    def items(self, start: int, count: int, preview: bool, hashes: bool) -> Columns:
        """`count` items from position `start` on."""

@final
class Answered:
    """What a search found; `vox.archive.search.SearchAnswer` is its public face."""

    @property
    def state(self) -> dict[str, Any]:
        """How far it covers what was asked: `state`, and what there is to say of that state."""

    @property
    def as_of(self) -> int | None:
        """The last event of the state of the archive that it was made from."""

    @property
    def of_repos(self) -> bool:
        """Whether it is confined to the repositories that were asked for."""

    def __len__(self) -> int: ...
    def hits(
        self, order: str, start: int, count: int, width: int | None, reveal: bool
    ) -> list[dict[str, Any]]:
        """`count` hits from place `start` on; with a `width` each has a snippet of about so many
        bytes. Secrets are masked in titles, previews and snippets unless `reveal`."""

    def snippets(self, items: Sequence[int], width: int) -> list[dict[str, Any] | None]:
        """A snippet of about `width` bytes of each of `items`, hits or not; None of what has no
        text."""

    def lines(
        self, items: Sequence[int], count: int, width: int, reveal: bool
    ) -> list[list[dict[str, Any]] | None]:
        """Of each of `items` the line that shows most of what was asked for and up to `count` at
        either side, each of about `width` characters; None of what has no text."""

    def facets(self) -> dict[str, list[tuple[str | None, int]]]:
        """How many hits there are of each value."""

@final
class Archive:
    """An open archive; `vox.archive.Archive` is its public face."""

    def __new__(
        cls, path: str | Path, *, create: bool, read_only: bool, counts_bytes: int | None = None
    ) -> Archive: ...
    def close(self) -> None:
        """Lets go of the archive."""

    @property
    def path(self) -> Path: ...
    @property
    def writable(self) -> bool: ...
    def warnings(self) -> list[str]:
        """What its user should know about its place."""

    def find_window(self, text: str) -> int:
        """The number of the window that `text` names."""

    def windows(self, shown: WindowFilter, start: int, count: int) -> Columns:
        """Live windows, the newest first."""

    def window_count(self, shown: WindowFilter) -> int:
        """How many windows a list shows."""

    def repos(self) -> list[str]:
        """What live windows call their repositories."""

    def tree(self, window: int) -> Columns:
        """The tree that a window belongs to, each window followed by its children."""

    def window_info(self, window: int) -> Columns:
        """One window as one row."""

    def view(self, window: int, items: int, shown: ItemFilter) -> WindowView:
        """A view of what `shown` lets through of the first `items` items of a window."""

    def timeline(
        self,
        shown: ItemFilter,
        repo: str | None,
        tier: str | None,
        start: int,
        count: int,
        preview: bool,
        hashes: bool,
    ) -> Columns:
        """Items of all windows by time."""

    def timeline_position(
        self, shown: ItemFilter, repo: str | None, tier: str | None, time: int | None
    ) -> tuple[int, int]:
        """How many items the timeline has, and at which position `time` stands."""

    def read(self, item: int) -> bytes:
        """The item bytes, checked against their hash."""

    def extra(self, item: int) -> bytes | None:
        """What is left of the item's source record; None if the record is the item."""

    def item_at(self, window: int, ordinal: int) -> int:
        """The item at a place of a window."""

    def usage(self, window: int) -> list[dict[str, Any]]:
        """What providers reported for the responses of a window."""

    def standing(
        self, path: Path, source: str, *, whole: bool
    ) -> tuple[str, int, bytes | None, SourceToken]:
        """How a source file stands to what was read of it: `new`, `unchanged`, `appended` or
        `rewritten`; where reading goes on, with which state; and a token for `prepare`.

        With `whole` it is read from its start in any case, and all of its bytes are compared.
        """

    def prepare(
        self,
        source: SourceToken,
        records: Records | None,
        batch: Batch,
        *,
        start: int,
        read_to: int | None,
        raw: bool,
        restore_purged: bool = False,
    ) -> Prepared:
        """Makes what an adapter says of records ready for `commit`: cuts, hashes, compresses.

        They begin at byte `start` of the source, where its cursor must stand (else the commit
        is a `ConflictError`); 0 reads it anew. With the last ones comes where the source ended
        (`read_to`). With `raw` all of the source's bytes are kept.
        """

    def commit(self, batches: Sequence[Prepared]) -> list[dict[str, int] | VoxError]:
        """Appends prepared batches in their order with one commit; durable on return. Gives what
        became of each, or the error with which it failed alone."""

    def append(self, window: WindowDraft, items: Sequence[NewItem]) -> dict[str, int]:
        """Appends items after the last one of a window; durable on return."""

    def set_overlay(
        self, window: int, overlay: str, first: int, count: int, value: int | None
    ) -> int:
        """Says `value` of `count` items from `first` on, or nothing more with None. Gives how
        many had a value before."""

    def sources(self) -> list[tuple[Path, str, int, int, int, int | None]]:
        """Every source file that was read: path, adapter, records, items, quarantined, when it
        was found gone."""

    def quarantine(self, path: Path) -> list[tuple[int, int, str]]:
        """What was set aside of a source file: offset, length, reason."""

    def mark_gone(self, paths: Sequence[Path]) -> None:
        """Writes down that these source files are gone."""

    def raw_sources(self, text: str) -> list[Path]:
        """The source files that `text` names, itself or as a window."""

    def raw_file(
        self, path: Path, reading: int | None
    ) -> tuple[int, list[int], bool, list[tuple[int, int, int]]]:
        """What is kept of a source file: which reading that is, all readings, whether it was read
        to its end, and stretches: offset, length, raw run."""

    def raw_piece(self, run: int) -> tuple[bytes, list[tuple[int, int]]]:
        """The source bytes of a raw run, and start and length of those that were purged."""

    def table_sizes(self) -> list[tuple[str, int, int]]:
        """Rows and bytes of each table."""

    def blob_sizes(self) -> tuple[int, int, int]:
        """How many blobs, their raw bytes, and their bodies as stored."""

    def source_sizes(self) -> list[tuple[str, int, int, int, int]]:
        """What is kept of source files: adapter, source bytes, and what bodies of items, their
        tables and raw runs take."""

    def verify(self, sample: int | None) -> dict[str, Any]:
        """Checks the archive; with `sample` only so many blobs are decompressed and hashed."""

    def repair(self) -> list[str]:
        """Makes derived tables that are wrong anew; gives their names."""

    def compact(self) -> dict[str, Any]:
        """Writes the archive anew without what it no longer needs; gives the new `generation`,
        `bytes_before` and `bytes_after`."""

    def backup(self, to: str | Path) -> tuple[Path, int]:
        """Copies the archive to a folder that is missing or empty; gives where it is and the bytes
        of its data file."""

    def collect(self, *, dry_run: bool, grace: int) -> dict[str, Any]:
        """Removes the content of blobs that nothing has used for `grace` milliseconds; gives
        counts."""

    def purge(self, options: dict[str, Any]) -> dict[str, Any]:
        """Purges what was trimmed or deleted; gives counts. The options are those of
        `vox.archive.purge.purge`, with windows by their numbers."""

    def begin_lease(self, kind: str) -> int:
        """Takes a lease, while which nothing is collected; gives its number."""

    def renew_lease(self, lease: int) -> None:
        """Says that a lease is still needed."""

    def end_lease(self, lease: int) -> None:
        """Gives a lease back."""

    def readers(self) -> list[tuple[int, int]]:
        """The read transactions of other processes, the oldest first: process, and how many
        transactions were committed since."""

    def data_file(self) -> Path:
        """The LMDB file in use."""

    def item_count(self) -> int:
        """How many items stand in runs, each counted once."""
