"""Opening an archive, and what it answers."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, Unpack

from vox import _native
from vox.archive.contexts import Contexts
from vox.archive.filters import ItemFilters, WindowFilters, item_filter, window_filter
from vox.archive.searching import Searching
from vox.archive.upkeep import Upkeep
from vox.config import counts_bytes, load_settings
from vox.errors import ClosedError, InvalidArgumentError
from vox.whole_files import whole_file, write_whole

if TYPE_CHECKING:
    from vox.archive import (
        exchange,
        redacting,
        secrets,
    )
    from vox.archive.chat import Chat
    from vox.archive.counts import ItemTokens, ItemWish
    from vox.archive.history import History
    from vox.archive.raw import RawExport
    from vox.archive.report import ImportReport, Progress
    from vox.archive.sessions import Sessions
    from vox.sources.base import FileSource
    from vox.tokens.arrays import Counts
    from vox.tokens.estimator import Model

# What only imports or checks need is loaded by them: a look at one window is to be instant.


def open(  # noqa: A001  `vox.open` reads like the builtin, and is used as such
    path: str | os.PathLike[str] | None = None, *, read_only: bool = False, create: bool = True
) -> Archive:
    """Opens the archive at `path`, or the user's own (see `VOX_HOME`).

    A missing archive is made unless `create` is false or it is opened for reading only. Opened
    twice in one process, both share one. Raises `NotFoundError`, `NotAnArchiveError`,
    `WrongVersionError`, `DamagedError`, `PermissionDeniedError`, `AddressSpaceError`.
    """
    place = Path(path) if path is not None else load_settings().archive
    native = _native.Archive(
        place,
        create=create and not read_only,
        read_only=read_only,
        counts_bytes=counts_bytes(),
    )
    return Archive(native)


class Archive(Searching, Contexts, Upkeep):
    """One archive. Threads may share it; after `fork()` open it again in the child."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self._native.path)

    @property
    def warnings(self) -> list[str]:
        """What its user should know about the place it is in."""
        return self._native.warnings()

    def windows(
        self, *, start: int = 0, count: int = 100, **filters: Unpack[WindowFilters]
    ) -> _native.Columns:
        """Windows, the latest changed first: `count` of them from place `start` on.

        Filters are those of `vox.archive.filters.window_filter`: repo, kind, tier, since, until,
        tags, deleted. Columns say what a window is (`id`, `key`, `title`, `kind`, `tier`, `agent`,
        `model_route`, `fidelity`), where it worked (`repo`, `workspace`, `git_branch`,
        `git_sha_at_open`), what it came from (`parent` and `root` as ids, `link`), its times, its
        sums (`items`, `bytes`, `tokens`, `trimmed`), and what its user said of it (`pinned`,
        `tags`).
        Raises `InvalidArgumentError` for a kind or tier that there isn't.
        """
        return self._native.windows(window_filter(**filters), start, count)

    def count_windows(self, **filters: Unpack[WindowFilters]) -> int:
        """How many windows the filters leave. Raises as `windows` does."""
        return self._native.window_count(window_filter(**filters))

    def timeline(
        self,
        start: int = 0,
        count: int = 100,
        *,
        repo: str | None = None,
        tier: str | None = None,
        preview: bool = True,
        hashes: bool = False,
        **filters: Unpack[ItemFilters],
    ) -> _native.Columns:
        """Items of all windows in the order of their times, each once, as Arrow columns.

        Columns are those of `Window.items` that don't depend on a window; `window` is the window
        that had an item first, and `repo` shows items of which that is one of its windows.
        Trimming belongs to windows, so it hides nothing here. Raises as `Window.items` does.
        """
        wanted = item_filter(**filters)
        return self._native.timeline(wanted, repo, tier, start, count, preview, hashes)

    def count_timeline(
        self, *, repo: str | None = None, tier: str | None = None, **filters: Unpack[ItemFilters]
    ) -> int:
        """How many items the filters leave of the timeline."""
        return self._native.timeline_position(item_filter(**filters), repo, tier, None)[0]

    def timeline_position(
        self,
        time: int,
        *,
        repo: str | None = None,
        tier: str | None = None,
        **filters: Unpack[ItemFilters],
    ) -> int:
        """The position in the timeline at which `time` (UTC milliseconds) stands."""
        return self._native.timeline_position(item_filter(**filters), repo, tier, time)[1]

    def read(self, item: int) -> bytes:
        """The bytes of an item by its number (the column `item`), checked against their hash; a
        read-only buffer. Raises `NotFoundError`, `DamagedError`."""
        return self._native.read(item)

    def extra(self, item: int) -> bytes | None:
        """What is left of the item's source record without the bytes of its items, as JSON;
        None if the record is the item. Raises `NotFoundError`, `DamagedError`."""
        return self._native.extra(item)

    def find_secrets(self, item: int) -> list[tuple[int, int, str]]:
        """What of an item is taken for secrets: the first byte, the byte after the last, and the
        rule of `contracts/secrets`. Raises `NotFoundError`, `PurgedError`, `DamagedError`."""
        return _native.item_secrets(self._native, item)

    def masked(self, item: int) -> bytes:
        """An item's bytes with `[secret:<rule>]` in place of each secret. Raises as `read`."""
        masked = _native.masked_item(self._native, item)
        return bytes(self.read(item)) if masked is None else masked

    def masked_previews(self, items: Iterable[int]) -> list[str | None]:
        """For each of `items` how it begins with its secrets masked, as its `preview` says without;
        None if that holds none. Raises `NotFoundError`, `DamagedError`."""
        return _native.masked_previews(self._native, list(items))

    def scan_secrets(self) -> secrets.SecretScan:
        """Scans all contents that weren't scanned by the rules of this version, and keeps where
        their secrets are, so that masking needn't look for them. Durable in steps; interrupted, it
        goes on the next time. Raises `ReadOnlyError`, `DiskFullError`."""
        from vox.archive import secrets

        return secrets.scan(self._native)

    def redact(self, window: str | int, *, key: str | None = None) -> redacting.RedactReport:
        """Makes a window that equals `window` but for its secrets, which are masked.

        Every item has its place: what stands at an ordinal there is the redacted variant of what
        stands at the same ordinal of `window`, to which the new window has the link
        `derived_from`. Items that were changed are marked `redacted`; contents of the others are
        shared. Stored bytes stay as they are. Raises `NotFoundError`, `InvalidArgumentError` if
        nothing of the window holds a secret, `ConflictError` if the key is taken, `ReadOnlyError`,
        `DiskFullError`.
        """
        from vox.archive import redacting

        return redacting.redact(self, self.window(window), key)

    def count_tokens(self, items: Iterable[int], model: Model, *, kind: ItemWish = "cap") -> Counts:
        """How many tokens each of `items` is for `model`: an array of `numpy.uint32`, in their
        order. Items are named by their numbers (the column `item`), in a list or an array; their
        bytes are counted where they are. Raises as `item_tokens`, which also says what of them
        isn't counted."""
        return self.item_tokens(items, model, kind=kind).tokens

    def item_tokens(
        self, items: Iterable[int], model: Model, *, kind: ItemWish = "cap"
    ) -> ItemTokens:
        """The same, with their `total`, what the numbers are worth, and the places of items that
        count 0 because they were purged or are no text.

        `model` is as for `vox.tokens.TokenEstimator`, or one, whose threads and cache don't matter
        here. `kind` is what to count by, as for `vox.count_tokens`: by default what may hold a cap.
        Exact counts are kept beside the archive, by tokenizer and item: the next time they are
        looked up. No transaction is begun for that, and where nothing can be written they are
        counted again. All cores are used.

        Raises `NotFoundError` for an item that there isn't, `DamagedError` for one that can't be
        read, `InvalidArgumentError` for what is no number of an item, and as `TokenEstimator` does.
        """
        from vox.archive import counts

        return counts.count(self._native, items, model, kind)

    def ingest(
        self,
        sources: Collection[str | FileSource] | None = None,
        *,
        root: Path | None = None,
        paths: Iterable[Path] = (),
        dry_run: bool = False,
        verify_sources: bool = False,
        restore_purged: bool = False,
        raw: bool = True,
        progress: Callable[[Progress], None] | None = None,
    ) -> ImportReport:
        """Imports what is new in the transcripts of other tools.

        Without arguments all known tools are looked for in their default folders; `root` is
        searched instead of those, `paths` are imported as whichever tool's they are. Files that
        are as they were aren't read again, unless `verify_sources` asks to compare all of each
        with the archive. What was purged stays purged, unless `restore_purged` asks for what the
        sources still have of it; all files are read then. Source files are only read. Their bytes
        are kept, so that `export_raw` gives them back; unless `raw` is false: then only what items
        hold of them stays. What could not be taken, of a file or as a whole, stands in the report's
        `problems` and the rest goes on. Raises `InvalidArgumentError` for a tool that isn't known
        or a `root` that is no folder.
        """
        from vox.archive import ingest

        return ingest.run(
            self._native,
            sources,
            root=root,
            paths=paths,
            dry_run=dry_run,
            verify_sources=verify_sources,
            restore_purged=restore_purged,
            raw=raw,
            progress=progress,
        )

    @property
    def sessions(self) -> Sessions:
        """Sessions of agents, as events: `archive.sessions.append(event)`."""
        from vox.archive.sessions import Sessions

        return Sessions(self._native)

    @property
    def chat(self) -> Chat:
        """Conversations of a person with a model, and their messages."""
        from vox.archive.chat import Chat

        return Chat(self._native)

    @property
    def history(self) -> History:
        """Clips, commands and prompts that a person may want again."""
        from vox.archive.history import History

        return History(self._native)

    def raw_sources(self, ref: str) -> list[Path]:
        """The source files that `ref` names: the path of one that was read (it may be gone), the
        end of one such path alone, or a window, which was read from one or several.

        Raises `NotFoundError`, or `InvalidArgumentError` if several paths end so.
        """
        return self._native.raw_sources(ref)

    def export_raw(
        self, ref: str | Path, to: BinaryIO | Path, *, reading: int | None = None
    ) -> RawExport:
        """Writes a source file as it was read, byte for byte, to a stream or a new file.

        `ref` is as for `raw_sources` and must come to one file. Of a file that was rewritten
        between two imports the last reading is given, or that with the number `reading`. Bytes
        that were purged or never kept are spaces, and stand in the answer's `holes`. Raises
        `NotFoundError`, `InvalidArgumentError` if it is several files or the new file is
        there, and `DamagedError`; then nothing is left of the new file.
        """
        from vox.archive import raw

        path = raw.one_source(self._native, str(ref))
        if not isinstance(to, Path):
            return raw.export(self._native, path, reading, to.write)
        if to.exists():
            raise InvalidArgumentError(f"{to} is there already; name a file that isn't")
        with whole_file(to) as file:
            return raw.export(self._native, path, reading, partial(write_whole, file))

    def export_jsonl(self, to: Path | BinaryIO, *, mask: bool = False) -> exchange.Exported:
        """Writes all of the archive, as it is at one moment, as lines of JSON, from which
        `vox.archive.import_jsonl` makes an equal one; `contracts/jsonl-export.md` describes them.

        With `mask` every secret is masked, in texts, titles and rests of records alike; no archive
        can be made of that. A file gets its name when it is whole. Raises `DamagedError`,
        `DiskFullError`, `OSError`.
        """
        from vox.archive import exchange

        return exchange.export_jsonl(self._native, to, mask=mask)

    def close(self) -> None:
        """Lets go of the archive; using it afterwards raises `ClosedError`."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return f"Archive({str(self.path)!r}, {self.count_windows()} windows)"
        except ClosedError:
            return "Archive(closed)"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.windows(count=20)._repr_html_()}"
