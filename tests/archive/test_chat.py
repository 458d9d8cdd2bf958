from __future__ import annotations

import pytest

from vox.archive import Archive
from vox.archive.chat import Message
from vox.archive.content import Content
from vox.errors import ConflictError, InvalidArgumentError, NotFoundError


def test_a_conversation_is_kept_and_shown_in_a_window(archive: Archive) -> None:
    id_ = archive.chat.create(title="Plans", repo="r", model_route="m", at=5)
    first = archive.chat.append(
        id_,
        Message(role="user", content="hi", at=10),
        Message(role="assistant", content="hello", name="m", at=11),
        Message(role="user", kind="attachment", content=Content(data=b"\xff"), at=12),
    )
    assert first == 0
    assert archive.chat.append(id_, Message(role="user", content="bye")) == 3
    (conversation,) = archive.chat.conversations()
    assert (conversation.id, conversation.title, conversation.messages) == (id_, "Plans", 4)
    window = archive.window(conversation.window)
    told = [window.info[name] for name in ("kind", "title", "repo", "model_route", "items")]
    assert told == ["chat", "Plans", "r", "m", 4]
    contents = [archive.read(row["item"]) for row in window.items().to_pylist()]
    assert contents == [b"hi", b"hello", b"\xff", b"bye"]
    assert archive.verify().ok


def test_messages_are_read_a_page_at_a_time(archive: Archive) -> None:
    archive.chat.create(id="c")
    given = [Message(role="user", content=f"message {n}", at=n) for n in range(10)]
    archive.chat.append("c", *given)
    page = archive.chat.messages("c", 4, 2)
    assert [(message.sequence, message.content) for message in page] == [
        (4, "message 4"),
        (5, "message 5"),
    ]
    data = Message(role="tool", kind="tool_result", content=Content(data=b"\xfe"), at=99)
    archive.chat.append("c", data)
    (last,) = archive.chat.messages("c", 10)
    assert (last.kind, last.content) == ("tool_result", Content(data=b"\xfe"))


def test_renaming_and_deleting_show_in_the_window_and_can_be_undone(archive: Archive) -> None:
    archive.chat.create(id="a", title="A", at=1)
    archive.chat.create(id="b", title="B", at=2)
    archive.chat.rename("a", "Another")
    assert archive.window("vox-chat:a").title == "Another"
    archive.chat.delete("a")
    assert [found.id for found in archive.chat.conversations()] == ["b"]
    assert [found.id for found in archive.chat.conversations(deleted=True)] == ["a"]
    assert archive.count_windows() == 1
    with pytest.raises(ConflictError, match="is deleted"):
        archive.chat.append("a", Message(role="user", content="hi"))
    archive.chat.undelete("a")
    archive.chat.append("a", Message(role="user", content="hi"))
    assert archive.count_windows() == 2


def test_what_is_wrong_is_named(archive: Archive) -> None:
    archive.chat.create(id="c")
    with pytest.raises(ConflictError, match='conversation "c" already'):
        archive.chat.create(id="c")
    with pytest.raises(NotFoundError, match='no conversation "x"'):
        archive.chat.append("x", Message(role="user", content="hi"))
    with pytest.raises(NotFoundError):
        archive.chat.messages("x")
    bad = Message(role="boss", content="hi")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"message 0: .*boss.*role"):
        archive.chat.append("c", bad)
    assert archive.chat.messages("c") == []
