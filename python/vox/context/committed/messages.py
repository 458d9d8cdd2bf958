"""Messages of a committed set, in an order that every provider takes.

System text that nothing was said before is a system message; what comes later is told in a user's
turn. Then a user's and an assistant's messages alternate, the user's first. An assistant's tool
calls are followed by one message with all of their results, which no other has; a call or result
that lacks the other is told as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from vox.context.committed.body import (
    Body,
    arguments_of,
    reasoning_of,
    shown_of,
    text_of,
    tool_of,
)
from vox.context.committed.entry import Entry, LeftOut
from vox.context.projection.frames import OPENING
from vox.sources.base import ItemKind, Role
from vox.tokens.request import Dialect, Image, Message, Text, ToolCall, ToolResult
from vox.tokens.request.shapes import Part
from vox.tokens.request.shapes import Role as Speaker


def messages_of(
    entries: Sequence[Entry],
    bodies: Sequence[Body],
    left_out: Sequence[LeftOut],
    dialect: Dialect,
    *,
    sees_images: bool,
) -> tuple[Message, ...]:
    """The messages of a set; `bodies` are what its entries are, one for each.

    Reasoning is kept where the dialect sends it back. Text of nothing but spaces, which providers
    refuse, is left out. The same input gives the same messages.
    """
    line = _line(entries, bodies, left_out)
    if dialect.reasoning == "never":
        return _written(line, sees_images, len(line)).messages()
    turns = _written(line, sees_images, 0)
    if dialect.reasoning == "last_turn" and turns.last_user > 0:
        turns = _written(line, sees_images, turns.last_user)
    return turns.messages()


@dataclass(frozen=True, slots=True)
class _Shown:
    """An entry and what it is."""

    entry: Entry
    body: Body


def _line(
    entries: Sequence[Entry], bodies: Sequence[Body], left_out: Sequence[LeftOut]
) -> list[_Shown | LeftOut]:
    """Entries and stubs in the order in which they are shown."""
    stubs = {run.before: run for run in left_out}
    line: list[_Shown | LeftOut] = []
    for place, (entry, body) in enumerate(zip(entries, bodies, strict=True)):
        if place in stubs:
            line.append(stubs[place])
        line.append(_Shown(entry, body))
    if len(entries) in stubs:
        line.append(stubs[len(entries)])
    return line


@dataclass(slots=True)
class _Turns:
    """Messages as they are written."""

    system: list[Part] = field(default_factory=list)
    turns: list[tuple[Speaker, list[Part]]] = field(default_factory=list)
    waiting: list[ToolResult] = field(default_factory=list)
    """Results of the calls of the last turn, which is an assistant's."""
    last_user: int = -1
    """The place of the last that was said in a user's turn."""

    def say(self, speaker: Speaker, part: Part, place: int) -> None:
        """Adds to the turn of `speaker`, or begins it."""
        if isinstance(part, Text) and not part.text.strip():
            return
        if speaker == "user":
            self.answer()
            self.last_user = place
        elif not self.turns:
            self.say("user", Text(OPENING), place)
        if not self.turns or self.turns[-1][0] != speaker:
            self.turns.append((speaker, []))
        self.turns[-1][1].append(part)

    def call(self, call: ToolCall, result: ToolResult, place: int) -> None:
        """Adds a call, and keeps its result for after the turn."""
        self.say("assistant", call, place)
        self.waiting.append(result)

    def answer(self) -> None:
        """Ends the turn with the results that wait."""
        if self.waiting:
            self.turns.append(("tool", list(self.waiting)))
            self.waiting.clear()

    def messages(self) -> tuple[Message, ...]:
        """All of them."""
        self.answer()
        system = [Message("system", tuple(self.system))] if self.system else []
        turns = (Message(speaker, tuple(parts)) for speaker, parts in self.turns)
        return (*system, *turns)


def _written(line: Sequence[_Shown | LeftOut], sees_images: bool, thoughts_from: int) -> _Turns:
    """The turns of a line, with the reasoning from place `thoughts_from` on."""
    answers = _answers(line)
    paired = {place for places in answers.values() for place in places}
    begun = _beginning(line)
    turns = _Turns()
    for place, one in enumerate(line):
        if isinstance(one, LeftOut):
            turns.say("user", Text(one.text), place)
            continue
        entry, body = one.entry, one.body
        if place in paired:
            turns.answer()
        elif place in answers:
            results = [line[answer] for answer in answers[place]]
            name, number = tool_of(body), f"item_{entry.item}"
            call = ToolCall(name, arguments_of(entry, body), number)
            result = ToolResult(tuple(_contents(results, sees_images)), number, name)
            turns.call(call, result, place)
        elif body.kind == ItemKind.REASONING and entry.form is None:
            if place >= thoughts_from and text_of(entry, body).strip():
                turns.say("assistant", reasoning_of(entry, body), place)
        else:
            part = _told(entry, body, sees_images)
            if place < begun and body.role == Role.SYSTEM and isinstance(part, Text):
                if part.text.strip():
                    turns.system.append(part)
            else:
                turns.say(_speaker(body, part), part, place)
    return turns


def _answers(line: Sequence[_Shown | LeftOut]) -> dict[int, list[int]]:
    """By place of each call that has them: the places of its results, in their order."""
    calls: dict[int, int] = {}
    results: dict[int, list[int]] = {}
    for place, one in enumerate(line):
        if isinstance(one, LeftOut) or one.entry.pair is None:
            continue
        if one.body.kind == ItemKind.TOOL_CALL:
            calls.setdefault(one.entry.pair, place)
        elif _is_result(one.body):
            results.setdefault(one.entry.pair, []).append(place)
    answers = {calls[pair]: places for pair, places in results.items() if pair in calls}
    for places in answers.values():
        # Images that a tool gave stand behind what it printed, and have no pair of their own.
        for place in range(max(places) + 1, len(line)):
            one = line[place]
            if isinstance(one, LeftOut) or not _is_image_of_tool(one):
                break
            places.append(place)
    return answers


def _is_result(body: Body) -> bool:
    return body.kind == ItemKind.TOOL_RESULT or (
        body.kind == ItemKind.ATTACHMENT and body.role == Role.TOOL
    )


def _is_image_of_tool(one: _Shown) -> bool:
    body = one.body
    return body.kind == ItemKind.ATTACHMENT and body.role == Role.TOOL and one.entry.pair is None


def _contents(results: Sequence[_Shown | LeftOut], sees_images: bool) -> Iterator[Text | Image]:
    for one in results:
        if isinstance(one, _Shown):
            part = shown_of(one.entry, one.body, sees_images=sees_images)
            if isinstance(part, Image) or part.text:
                yield part


def _beginning(line: Sequence[_Shown | LeftOut]) -> int:
    """The place of the first that isn't system text; stubs before it don't end the beginning."""
    for place, one in enumerate(line):
        if isinstance(one, _Shown) and one.body.role != Role.SYSTEM:
            return place
    return len(line)


def _told(entry: Entry, body: Body, sees_images: bool) -> Text | Image:
    """What isn't part of a pair, as a part of a turn."""
    if entry.form is None and body.kind == ItemKind.TOOL_CALL:
        return Text(f"[called {tool_of(body)}, no result is shown]\n{text_of(entry, body)}")
    if entry.form is None and body.kind == ItemKind.TOOL_RESULT:
        return Text(f"[result of {tool_of(body)}, no call is shown]\n{text_of(entry, body)}")
    return shown_of(entry, body, sees_images=sees_images)


def _speaker(body: Body, part: Text | Image) -> Speaker:
    answered = body.role == Role.ASSISTANT or body.kind == ItemKind.TOOL_CALL
    # No provider takes images from an assistant.
    return "assistant" if answered and isinstance(part, Text) else "user"
