"""The most that a request can cost, where the family has no tokenizer.

What the provider reported for the last request that this one continues, and the bound of what was
added since. The longer a conversation, the closer that is: only its last turn is guessed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock

from vox.errors import InvalidArgumentError
from vox.tokens.kinds import weakest
from vox.tokens.request.count import PartCount, RequestCount, count_request, counted, entries_of
from vox.tokens.request.framing import dialect_of
from vox.tokens.request.shapes import Request
from vox.tokens.request.texts import Counter

KEPT = 4096
"""Prefixes that are remembered; the one that was unused longest goes. Judgement."""


@dataclass(frozen=True, slots=True)
class _Known:
    messages: int
    tokens: int


class ReportedUsage:
    """What providers reported for requests, found again by requests that begin the same.

    A prefix is known by a chain of hashes: of the model, the dialect, the tools and the system
    prompt, and on it of each message. Any change in front makes all prefixes behind it others.
    Safe to use from several threads.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._lock = Lock()

    def remember(
        self, request: Request, model: str, input_tokens: int, dialect: str | None = None
    ) -> None:
        """Keep what the provider reported as input of `request`, tokens read from and written to
        its cache included.

        Raises `InvalidArgumentError` if that is less than one.
        """
        if input_tokens < 1:
            raise InvalidArgumentError(f"no request has {input_tokens} tokens of input")
        *_, key = _chain(request, model, dialect_of(model, dialect).name)
        with self._lock:
            self._known[key] = _Known(len(request.messages), input_tokens)
            self._known.move_to_end(key)
            while len(self._known) > self._kept:
                self._known.popitem(last=False)

    def _longest(self, request: Request, model: str, dialect: str) -> _Known | None:
        keys = list(_chain(request, model, dialect))
        with self._lock:
            for key in reversed(keys):
                if key in self._known:
                    self._known.move_to_end(key)
                    return self._known[key]
        return None


def cap(
    request: Request, model: str, usage: ReportedUsage, dialect: str | None = None
) -> RequestCount:
    """The most that `request` costs: the reported usage of its longest known prefix and the bound
    of the messages behind it; all of it counted if none is known.

    Where the model has a tokenizer and its frames are known, `count_request` is as good.
    """
    framing = dialect_of(model, dialect)
    known = usage._longest(request, model, framing.name)
    if known is None:
        return count_request(request, model, dialect)
    # The whole is framed, so that a rule that looks at the last user message sees it; then what
    # stands before the added messages is left out.
    entries = [
        entry
        for entry in entries_of(request, framing, model)
        if entry.message is not None and entry.message >= known.messages
    ]
    says = f"reported for the same system prompt, tools and first {known.messages} messages"
    prefix = PartCount("text", None, known.tokens, "exact", says)
    parts = (prefix, *counted(entries, Counter(model, "cap")))
    # How a template's text goes on behind the prefix costs control tokens that no message owns.
    tail = PartCount("framing", None, _seams(request, known), framing.kind, "control tokens")
    parts = (*parts, tail) if framing.layout == "template" else parts
    return RequestCount(
        sum(part.tokens for part in parts),
        weakest(part.kind for part in parts),
        framing.name,
        parts,
    )


def _seams(request: Request, known: _Known) -> int:
    # No template has more than six control tokens around a message or a tool's call or result.
    added = request.messages[known.messages :]
    return 6 * sum(max(1, len(message.parts)) for message in added)


def _chain(request: Request, model: str, dialect: str) -> Iterator[bytes]:
    """The hash of what stands before the messages, then of each prefix of them."""
    key = _hash(b"", (model, dialect, request.system, tuple(request.tools)))
    yield key
    for message in request.messages:
        key = _hash(key, (message.role, message.name, tuple(message.parts)))
        yield key


def _hash(before: bytes, value: object) -> bytes:
    # These values are plain: their representation says all of them, types and surrogates included.
    return blake2b(before + repr(value).encode(), digest_size=32).digest()
