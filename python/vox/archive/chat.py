"""Chat: conversations of a person with a model, and their messages."""

from __future__ import annotations

import time
import uuid

import msgspec

from vox import _native
from vox.archive.content import AnyContent
from vox.archive.rows import packed
from vox.archive.session_events import ItemKind, Role


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation. Times are UTC milliseconds."""

    id: str
    title: str | None = None
    repo: str | None = None
    model_route: str | None = None
    messages: int = 0
    """How many."""
    created_at: int
    updated_at: int
    deleted_at: int | None = None

    @property
    def window(self) -> str:
        """The key of its window."""
        return f"vox-chat:{self.id}"


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message, or a tool call, a result, reasoning, an attachment."""

    role: Role
    content: AnyContent
    kind: ItemKind = "message"
    at: int | None = None
    """UTC milliseconds; None: now."""
    name: str | None = None
    """The tool of a call or result, the model of an answer, the media type of an attachment."""
    call_id: str | None = None
    """What joins a call and its result."""
    token_estimate: int | None = None
    """Tokens, if they are known."""
    sequence: int | None = None
    """Its number in the conversation, from 0; given by the archive."""


_message = msgspec.msgpack.Decoder(Message)
_messages = msgspec.msgpack.Decoder(list[Message])
_conversations = msgspec.msgpack.Decoder(list[Conversation])


class Chat:
    """`archive.chat`: each change is written and shown in its window in one transaction."""

    def __init__(self, archive: _native.Archive) -> None:
        self._archive = archive

    def create(
        self,
        *,
        id: str | None = None,  # noqa: A002  what users call it
        title: str | None = None,
        repo: str | None = None,
        model_route: str | None = None,
        at: int | None = None,
    ) -> str:
        """Begins a conversation and gives its id, which is a new UUID unless it is given. Raises
        `ConflictError` if there is one with this id."""
        new = str(uuid.uuid4()) if id is None else id
        _native.create_conversation(self._archive, new, title, repo, model_route, at)
        return new

    def append(self, conversation: str, *messages: Message) -> int:
        """Appends messages in one transaction; durable on return. Gives the number of the first.

        Raises `NotFoundError` for no such conversation or content hash, `ConflictError` if the
        conversation is deleted, `InvalidArgumentError` for a field of another type.
        """
        now = time.time_ns() // 1_000_000
        rows = [
            packed(_coming(message, now), _message, f"message {place}")
            for place, message in enumerate(messages)
        ]
        return _native.append_messages(self._archive, conversation, rows)

    def rename(self, conversation: str, title: str) -> None:
        """Gives a conversation another title. Raises `NotFoundError`."""
        _native.rename_conversation(self._archive, conversation, title)

    def delete(self, conversation: str) -> None:
        """Hides a conversation from lists, with its window; nothing of it goes. Raises
        `NotFoundError`."""
        _native.delete_conversation(self._archive, conversation, deleted=True)

    def undelete(self, conversation: str) -> None:
        """Brings a deleted conversation back. Raises `NotFoundError`."""
        _native.delete_conversation(self._archive, conversation, deleted=False)

    def conversations(
        self, start: int = 0, count: int = 100, *, deleted: bool = False
    ) -> list[Conversation]:
        """Conversations, the latest changed first: `count` of them from place `start` on; the
        live ones, or those that are deleted."""
        rows = _conversations.decode(_native.conversations(self._archive))
        wanted = [row for row in rows if (row.deleted_at is not None) == deleted]
        wanted.sort(key=lambda row: (-row.updated_at, row.id))
        return wanted[start : start + count]

    def messages(self, conversation: str, first: int = 0, count: int = 100) -> list[Message]:
        """`count` messages from number `first` on, with their contents. Raises
        `NotFoundError`."""
        return _messages.decode(_native.messages(self._archive, conversation, first, count))


def _coming(message: Message, now: int) -> Message:
    at = now if message.at is None else message.at
    return msgspec.structs.replace(message, at=at, sequence=None)
