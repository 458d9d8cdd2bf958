"""Committed sets: what of a window reaches a model, and the only way to there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from vox._native import hash_many
from vox.context.committed.document import entry_of, read_document, write_document
from vox.context.committed.draft import ContextDraft
from vox.context.committed.entry import Entry, LeftOut
from vox.context.projection.sent import Sent
from vox.errors import ConflictError, DamagedError, InvalidArgumentError

_BY_COMMIT: Final = object()
"""Who holds it may make sets; nobody else is given it."""


@final
class CommittedSet:
    """What of a window reaches a model: entries in their order, and a line for each run of items
    that is left out. It never changes, and its hash is that of its document.

    `commit` makes it; nothing else can, and `render` takes nothing else.
    """

    __slots__ = ("_document", "_draft", "_hash", "_left_out")

    def __init_subclass__(cls) -> None:
        raise TypeError("there is one kind of committed set")

    def __init__(
        self,
        draft: ContextDraft,
        left_out: tuple[LeftOut, ...],
        document: bytes,
        made_by: object = None,
    ) -> None:
        if made_by is not _BY_COMMIT:
            raise TypeError("only vox.context.committed.commit makes a committed set")
        self._draft = draft
        self._left_out = left_out
        self._document = document
        self._hash = hash_many([document])

    @property
    def window(self) -> str:
        """The window's id."""
        return self._draft.window

    @property
    def chain(self) -> str:
        """The window's chain hash when the set was made."""
        return self._draft.chain

    @property
    def model(self) -> str | None:
        """The model that it was made for."""
        return self._draft.model

    @property
    def budget(self) -> int | None:
        """Tokens that it may cost; None: what the model has room for."""
        return self._draft.budget

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is shown, in its order."""
        return self._draft.entries

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What stands for dropped items, in the same order."""
        return self._left_out

    @property
    def sent(self) -> Sent | None:
        """What `Archive.project` takes as `previous`; None if the set was changed by hand. Raises
        `InvalidArgumentError` if somebody wrote down what can't be that."""
        return None if self._draft.sent is None else Sent.of_values(self._draft.sent)

    @property
    def draft(self) -> ContextDraft:
        """The same to be changed and committed again; see `vox.context.committed.edit`."""
        return self._draft

    @property
    def document(self) -> bytes:
        """Canonical JSON, schema `vox.context.v1`. Equal sets have equal documents."""
        return self._document

    @property
    def hash(self) -> bytes:
        """BLAKE3-256 of the document, 32 bytes."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CommittedSet) and other._hash == self._hash

    def __hash__(self) -> int:
        return hash(self._hash)

    def __len__(self) -> int:
        return len(self._draft.entries)

    def __repr__(self) -> str:
        return (
            f"CommittedSet({self._hash.hex()[:8]} of window {self.window[:8]}, {len(self)} entries)"
        )

    def __reduce__(self) -> str:
        raise TypeError("a committed set isn't pickled; keep its document")


def commit(
    draft: ContextDraft,
    contents: Mapping[tuple[str, int], tuple[int, str]],
    chain: str,
    left_out: tuple[LeftOut, ...],
) -> CommittedSet:
    """Freezes a draft.

    `contents` are the items that may be in it, by window and number: the ordinal and the content
    hash of each; `chain` is the window's chain hash as it is now. `left_out` says what stands for
    the items of the window that aren't in the draft.

    Raises `ConflictError` if the window has changed since it was drafted, `InvalidArgumentError`
    for an entry that isn't among `contents`, has another hash there, or stands in it twice.
    """
    if draft.chain != chain:
        raise ConflictError(
            f"the items of window {draft.window[:8]} have changed: its chain hash is "
            f"{chain[:16]}…, not {draft.chain[:16]}…; look at it again and commit what follows"
        )
    seen: set[tuple[str, int, int]] = set()
    for entry in draft.entries:
        window = entry.window or draft.window
        known = contents.get((window, entry.item))
        if known is None:
            raise InvalidArgumentError(
                f"item:{entry.item} isn't one of window {window[:8]}, or that has another root "
                f"than window {draft.window[:8]}"
            )
        if known[1] != entry.content:
            raise InvalidArgumentError(
                f"item:{entry.item} has the content hash {known[1][:16]}…, not "
                f"{entry.content[:16]}…"
            )
        if (window, entry.item, entry.ordinal) in seen:
            raise InvalidArgumentError(f"item:{entry.item} stands in the set twice")
        seen.add((window, entry.item, entry.ordinal))
    document = write_document(draft, left_out)
    return CommittedSet(draft, left_out, document, _BY_COMMIT)


def committed_before(document: bytes) -> CommittedSet:
    """The set that an archive keeps, of the document that `commit` wrote.

    Raises `DamagedError` if it isn't what `commit` writes.
    """
    try:
        read = read_document(document)
        draft = ContextDraft(
            window=read.window,
            chain=read.chain,
            model=read.model,
            budget=read.budget,
            entries=tuple(entry_of(row, row.hash or "", row.ordinal or 0) for row in read.entries),
            sent=read.sent,
        )
        left_out = tuple(
            LeftOut(**{name: getattr(run, name) for name in run.__struct_fields__})
            for run in read.left_out
        )
        whole = write_document(draft, left_out) == document
    except InvalidArgumentError as error:
        raise DamagedError(f"a committed set that is kept can't be read: {error}") from error
    if not whole:
        raise DamagedError("a committed set that is kept isn't in the form in which it was written")
    return CommittedSet(draft, left_out, document, _BY_COMMIT)
