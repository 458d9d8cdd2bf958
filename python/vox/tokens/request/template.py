"""Requests to models whose chat template is known: one text with control tokens in it.

The text is written as the template would and cut at its control tokens. What stands between two
of them is counted joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vox.tokens.kinds import Kind, weakest
from vox.tokens.request.entries import (
    Entry,
    Way,
    What,
    as_text,
    call_json,
    file_entries,
    image_entry,
    reasoning_tokens,
    result_parts,
    sends_reasoning,
    tool_json,
)
from vox.tokens.request.framing import Dialect
from vox.tokens.request.shapes import (
    File,
    Image,
    Message,
    Reasoning,
    Request,
    Text,
    ToolCall,
    ToolResult,
)

MOST_SHARES = 8
"""Messages that one run is told apart into; more are counted with the last, since each share
counts all of the run before it."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the text; without a text, a seam between two texts of one message."""

    text: str | None
    what: What = "framing"
    message: int | None = None
    kind: Kind = "exact"


class _Writer:
    """Writes a request as a template does, and hands out its runs between control tokens."""

    def __init__(self, dialect: Dialect, model: str) -> None:
        self._dialect = dialect
        self._model = model
        self._control = re.compile("|".join(re.escape(token) for token in dialect.control))
        self._says = f"as {dialect.name} writes it: {dialect.source}"
        self._run: list[_Piece] = []
        self._controls = dialect.bos

    def entries(self, request: Request) -> Iterator[Entry]:
        messages = list(request.messages)
        if request.system:
            messages.insert(0, Message("system", [Text(request.system)]))
        leading = messages[0].role in ("system", "developer") if messages else False
        offset = len(messages) - len(request.messages)
        tools = list(self._tools(request))
        if not leading and (tools or self._dialect.default_system is not None):
            pieces = [_Piece(self._dialect.default_system or "", "system"), *tools]
            yield from self._write(self._dialect.system, pieces, None)
        for number in range(len(messages)):
            own = None if number < offset else number - offset
            yield from self._message(messages, number, own, tools if leading and not number else [])
        yield from self._write(self._dialect.reply, [], None)
        yield from self._cut()
        kind = self._dialect.kind
        yield Entry("framing", None, kind, "control tokens", tokens=self._controls)

    def _tools(self, request: Request) -> Iterator[_Piece]:
        dialect = self._dialect
        if not request.tools or dialect.omits_tools:
            return
        written = "".join(
            dialect.tool.replace("{}", tool_json(tool, dialect.tool_indent), 1)
            for tool in request.tools
        )
        text = f"{dialect.tools_before}{written}{dialect.tools_after}"
        kind: Kind = "bound" if dialect.tools_before else "assumed"
        yield _Piece(text, "tools", None, weakest([kind, dialect.kind]))

    def _message(
        self, messages: Sequence[Message], number: int, own: int | None, tools: list[_Piece]
    ) -> Iterator[Entry]:
        message = messages[number]
        texts: list[_Piece] = []
        others: list[Entry] = []
        what: What = "system" if message.role in ("system", "developer") else "text"
        for part in message.parts:
            match part:
                case Text():
                    if texts and texts[-1].what == what:
                        texts.append(_Piece(None, what, own, "bound"))
                    texts.append(_Piece(as_text(part.text), what, own))
                case ToolCall() if not self._dialect.omits_tools:
                    call = call_json(part, self._dialect.tool_call)
                    texts.append(_Piece(call, "tool_call", own, "bound"))
                case ToolCall():
                    says = f"{self._dialect.name} leaves tool calls out"
                    others.append(Entry("tool_call", own, "exact", says))
                case ToolResult():
                    results, images = result_parts(part.content)
                    pieces = [_Piece("\n".join(results), "tool_result", own, "bound")]
                    yield from self._write(self._dialect.tool_result, pieces, own)
                    others += [image_entry(image, self._model, own) for image in images]
                case Image():
                    others.append(image_entry(part, self._model, own))
                case File():
                    others += file_entries(part, self._model, own)
                case Reasoning() if sends_reasoning(self._dialect, messages, number):
                    tokens, says = reasoning_tokens(part)
                    thought = self._dialect.reasoning_block.replace("{}", as_text(part.text), 1)
                    texts.append(_Piece(thought, "reasoning", own, "bound"))
                    if tokens:
                        others.append(Entry("reasoning", own, "assumed", says, tokens))
                case Reasoning():
                    says = f"{self._dialect.name} doesn't send it back"
                    others.append(Entry("reasoning", own, "exact", says))
        template = {"user": self._dialect.user, "assistant": self._dialect.assistant}.get(
            message.role, self._dialect.system if what == "system" else self._dialect.tool_result
        )
        if texts or tools or not any(isinstance(part, ToolResult) for part in message.parts):
            yield from self._write(template, [*self._trimmed(texts), *tools], own)
        yield from others

    def _trimmed(self, texts: list[_Piece]) -> list[_Piece]:
        if not self._dialect.trim or len(texts) != 1 or texts[0].text is None:
            return texts
        only = texts[0]
        return [_Piece((only.text or "").strip(), only.what, only.message, only.kind)]

    def _write(self, template: str, content: Sequence[_Piece], own: int | None) -> Iterator[Entry]:
        before, _, after = template.partition("{}")
        yield from self._frame(before, own)
        self._run += content
        yield from self._frame(after, own)

    def _frame(self, text: str, own: int | None) -> Iterator[Entry]:
        first, *rest = self._control.split(text)
        if first:
            self._run.append(_Piece(first, message=own))
        for stretch in rest:
            yield from self._cut()
            self._controls += 1
            if stretch:
                self._run.append(_Piece(stretch, message=own))

    def _cut(self) -> Iterator[Entry]:
        """The run up to here, as entries: one for each message in it and one for tools, which cost
        what they add to what stands before them in the run."""
        run, self._run = self._run, []
        starts = [0] if run else []
        owner: tuple[bool, int | None] | None = None
        for place, piece in enumerate(run):
            of = (piece.what == "tools", piece.message)
            if piece.what != "framing" and of != owner:
                if owner is not None and len(starts) < MOST_SHARES:
                    starts.append(place)
                owner = of
        for start, end in pairwise([*starts, len(run)]):
            before = "".join(piece.text or "" for piece in run[:start])
            yield self._entry(run[:end], run[start:end], before)

    def _entry(self, run: list[_Piece], new: list[_Piece], before: str) -> Entry:
        owner = next((piece for piece in new if piece.what != "framing"), new[0])
        texts = ["".join(piece.text or "" for piece in run)]
        if any(piece.text is None for piece in run):
            texts.append("".join("\n" if piece.text is None else piece.text for piece in run))
        kind = weakest([self._dialect.kind, *(piece.kind for piece in new)])
        ways = [Way((text,)) for text in texts]
        for text in texts:
            # Control tokens in content are text. A server that takes them for what they spell
            # counts the stretches between them.
            stretches = self._control.split(text)
            if len(stretches) > 1:
                ways.append(Way(tuple(filter(None, stretches)), len(stretches) - 1))
                kind = weakest([kind, "bound"])
        less = before or None
        if less:
            kind = weakest([kind, "bound"])
        return Entry(owner.what, owner.message, kind, self._says, ways=tuple(ways), less=less)


def template_entries(request: Request, dialect: Dialect, model: str) -> Iterator[Entry]:
    """The addends of `request`."""
    return _Writer(dialect, model).entries(request)
