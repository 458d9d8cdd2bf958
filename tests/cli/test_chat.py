from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_a_conversation_from_its_first_word_to_its_end(run: Run, tmp_path: Path) -> None:
    place = ("--archive", tmp_path / "archive")
    made = run("chat", "new", "--title", "Plans", "--json", *place).answer
    assert made["schema"] == "vox.chat.new.v1"
    conversation = made["conversation"]
    assert run("chat", "say", conversation, "hi", *place).text == ""
    said = run("chat", "say", conversation, "hello", "--role", "assistant", "--json", *place)
    assert said.answer == {
        "schema": "vox.chat.say.v1",
        "conversation": conversation,
        "sequence": 1,
    }
    listed = run("chat", "ls", "--json", *place).answer
    assert listed["schema"] == "vox.chat.ls.v1"
    assert [(row["id"], row["title"], row["messages"]) for row in listed["conversations"]] == [
        (conversation, "Plans", 2)
    ]
    shown = run("show", f"vox-chat:{conversation}", *place).text
    assert "hi" in shown
    assert "hello" in shown
    renamed = run("chat", "rename", conversation, "Other", "--json", *place).answer
    assert renamed == {
        "schema": "vox.chat.rename.v1",
        "conversation": conversation,
        "title": "Other",
    }
    assert run("chat", "ls", *place).text.split("\t")[1] == "Other"
    deleted = run("chat", "delete", conversation, "--json", *place).answer
    assert deleted == {"schema": "vox.chat.delete.v1", "conversation": conversation}
    assert run("chat", "ls", *place).text == ""
    assert conversation in run("chat", "ls", "--deleted", *place).text
    undeleted = run("chat", "undelete", conversation, "--json", *place).answer
    assert undeleted == {"schema": "vox.chat.undelete.v1", "conversation": conversation}
    assert conversation in run("chat", "ls", *place).text


def test_ids_that_are_there_and_that_are_not(run: Run, tmp_path: Path) -> None:
    place = ("--archive", tmp_path / "archive")
    assert run("chat", "new", "--id", "c", *place).text == "c\n"
    assert run("chat", "new", "--id", "c", *place).status == 22
    assert run("chat", "say", "x", "hi", *place).status == 3
