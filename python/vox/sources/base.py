"""What every producer of windows hands to the archive, and nothing else.

A source says what its records *mean*; it never touches item bytes. Bytes are
framed, cut and stored by the native core, which finds them by the paths that
a draft names. Reading is pure: records in, one `Batch` out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

JsonPath: TypeAlias = tuple[str | int, ...]
"""Where a value stands in its record: object keys and array positions from the root."""


class Role(IntEnum):
    """Who speaks. Numbers as stored; see `contracts/archive-format.md`."""

    USER = 0
    ASSISTANT = 1
    SYSTEM = 2
    TOOL = 3


class ItemKind(IntEnum):
    """What an item is. Numbers as stored."""

    MESSAGE = 0
    PIN = 1
    ATTACHMENT = 2
    SUMMARY = 3
    TOOL_CALL = 4
    TOOL_RESULT = 5
    REASONING = 6
    RECORD = 7


class Fidelity(IntEnum):
    """How vox knows what it claims. Numbers as stored."""

    RECORDED = 0
    INFERRED = 1
    UNKNOWN = 2


class Form(IntEnum):
    """How the bytes at a draft's path become item bytes."""

    STRING = 0
    """A JSON string, decoded."""
    SLICE = 2
    """Any JSON value, exactly as it stands."""
    BASE64 = 3
    """A JSON string of base64, decoded; the string itself if it isn't base64."""
    DATA_URL = 4
    """A JSON string `data:<type>;base64,…`, decoded; the string itself if it isn't one."""


class WindowDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A window, or what became known of it since. Fields that are None change nothing."""

    key: str
    """Names the conversation at its producer, for example `claude-code:<session>`."""
    kind: str | None = None
    """chat, task, agent, a2a or archived; archived if never said."""
    title: str | None = None
    repo: str | None = None
    """The repository that scopes the window: the remote if the source records one, else the
    workspace."""
    workspace: str | None = None
    """The recorded working directory."""
    agent: str | None = None
    model_route: str | None = None
    """The model that answered last."""
    thread_id: str | None = None
    trace_id: str | None = None
    git_sha_at_open: str | None = None
    git_sha_at_close: str | None = None
    git_branch: str | None = None
    fidelity: Fidelity | None = None
    created_at: int | None = None
    """UTC milliseconds."""
    parent: str | None = None
    """Key of the window it came from; that window may not be known yet."""
    link: str | None = None
    """How it came from its parent: compacted_from, spawned_by, forked_from, derived_from."""
    shares: int = 0
    """How many items of the parent's beginning it shares (a sibling branch)."""
    replays: bool = False
    """Its beginning may repeat the parent's items with other times (a fork that was written
    out again); equal items are then shared though their times differ."""


class Draft(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One item: what it is and where its bytes stand."""

    window: str
    """Key of its window."""
    record: int
    """Which record of the batch it comes from."""
    role: Role
    kind: ItemKind
    body: JsonPath | bytes | None = None
    """Where its bytes stand in the record; or the bytes, if they come from elsewhere; or None:
    the whole record is the item."""
    form: Form = Form.STRING
    created_at: int | None = None
    """UTC milliseconds; None: the time of the item before it."""
    name: str | None = None
    """The tool of a call or result, the model of an answer, the media type of an image."""
    call_id: str | None = None
    """The producer's id of a call: at the call, and at all that its result brought. It may come
    again in one window."""
    side: bool = False
    """Stands beside the conversation: no later item follows from it. Records are always so."""
    fidelity: Fidelity = Fidelity.RECORDED


class UsageDraft(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider reported for one response, in tokens. The same key seen again is the
    same response; the larger report stays."""

    window: str
    key: str
    """Names the response in the whole archive, for example message id and request id."""
    model: str | None = None
    at: int | None = None
    input: int = 0
    """Uncached input."""
    output: int = 0
    reasoning: int = 0
    """Part of output, where it is told apart."""
    cache_read: int = 0
    cache_write: int = 0
    """Written for five minutes, or unspecified."""
    cache_write_1h: int = 0
    cost_nano_usd: int | None = None


class Rejected(msgspec.Struct, frozen=True):
    """A record that could not be taken: it is quarantined with its place and reason."""

    record: int
    reason: str
    """One of the quarantine reasons of `contracts/errors.yaml`."""


class Batch(msgspec.Struct, kw_only=True):
    """What a run of records means. Applied as one transaction, windows first."""

    windows: list[WindowDraft] = []
    drafts: list[Draft] = []
    at: dict[str, int] = {}
    """For each window with drafts here: the ordinal of the first of them."""
    usage: list[UsageDraft] = []
    rejected: list[Rejected] = []
    missing: list[tuple[int, str]] = []
    """Record and name of files that records refer to and that could not be read; the records
    themselves were taken."""
    record_types: dict[str, int] = {}
    """How many records of each type, as the tool names them."""
    state: bytes = b""
    """What the reader needs to go on after these records, as its own bytes."""


class Reader(Protocol):
    """Reads one file from where it left off."""

    def read(self, records: Sequence[bytes]) -> Batch:
        """What these records mean. They follow those of the last call."""
        ...


Earlier: TypeAlias = Callable[[], Iterator[bytes]]
"""Gives the file's records before the cursor again, for the rare reader that must look back."""


class WindowSource(Protocol):
    """One producer of windows: a tool, or vox itself."""

    name: str
    """As users type it: `claude-code`. The keys of its windows begin with it and a colon."""
    title: str
    """As users read it: `Claude Code`."""
    kinds: frozenset[str]
    """What kinds of windows it makes."""


class FileSource(WindowSource, Protocol):
    """A producer whose windows are read from files that a tool left."""

    def roots(self) -> list[Path]:
        """The tool's default folders on this machine, whether or not they exist."""
        ...

    def discover(self, root: Path) -> Iterable[Path]:
        """The files under the folder `root` that may be transcripts, by their names, in the order
        they should be read; none of them is opened. A folder that can't be looked into stands for
        the files in it."""
        ...

    def recognises(self, path: Path, head: bytes) -> bool:
        """Whether a file is one of this tool's, by its name and its first 64 KiB."""
        ...

    def kept_days(self, root: Path) -> int | None:
        """After how many days the tool deletes the transcripts under `root`; None if it keeps
        them."""
        ...

    def reader(self, path: Path, state: bytes | None, earlier: Earlier) -> Reader:
        """A reader at the start of `path`, or where `state` left off."""
        ...
