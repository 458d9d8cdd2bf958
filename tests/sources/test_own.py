from __future__ import annotations

from pathlib import Path

import vox
from vox.archive.chat import Message
from vox.archive.session_events import Created
from vox.sources import PRODUCERS, SOURCES


def test_every_producer_has_a_name_of_its_own_a_title_and_kinds_of_windows() -> None:
    names = [producer.name for producer in PRODUCERS]
    assert names == ["claude-code", "codex", "vox-session", "vox-chat", "vox-history"]
    assert [source.name for source in SOURCES] == names[:2]
    assert all(producer.title and producer.kinds for producer in PRODUCERS)


def test_windows_of_vox_s_own_producers_are_named_and_of_their_kinds(tmp_path: Path) -> None:
    kinds = {producer.name: producer.kinds for producer in PRODUCERS}
    with vox.open(tmp_path / "archive") as archive:
        archive.sessions.append(Created(session="s", kind="a2a"))
        archive.chat.create(id="c")
        archive.chat.append("c", Message(role="user", content="hi"))
        archive.history.add("clip", "x")
        windows = archive.windows().to_pylist()
        assert {window["source"] for window in windows} == {
            *("vox-session", "vox-chat", "vox-history"),
        }
        assert all(window["kind"] in kinds[window["source"]] for window in windows)
        assert archive.stats()["producers"] == {"vox-chat": 1, "vox-history": 1, "vox-session": 1}
