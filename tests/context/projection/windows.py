"""Windows that need no archive: items as a list, outlines of them, and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vox.context.projection import Counted, Outline, Related
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role

MODEL = ModelProfile("gpt-4o", 128_000, max_output_tokens=16_000, sees_images=True)
NO_TOOLS = ModelProfile("gpt-4o", 128_000, tool_capable=False)
UNKNOWN = ModelProfile("nobody-knows-it", 8_192)
LOCAL = ModelProfile("deepseek-v3", 8_192, locality="local")


@dataclass
class One:
    """An item."""

    content: bytes = b"text"
    kind: ItemKind = ItemKind.MESSAGE
    role: Role = Role.USER
    name: str = ""
    call: int = 0
    flags: int = 0
    committed: int = -2
    fate: int = -1
    mentions: int = 0
    last_use: int | None = None
    touched: int = -1


def call(number: int, arguments: bytes = b'{"path": "a"}', name: str = "Read", **more: int) -> One:
    return One(arguments, ItemKind.TOOL_CALL, Role.ASSISTANT, name, number, **more)


def result(number: int, content: bytes = b"what it printed", **more: int) -> One:
    return One(content, ItemKind.TOOL_RESULT, Role.TOOL, "Read", number, **more)


def said(content: bytes | str, role: Role = Role.USER, **more: int) -> One:
    return One(content.encode() if isinstance(content, str) else content, role=role, **more)


@dataclass
class Made:
    """A window of items."""

    ones: Sequence[One]
    reads: list[list[int]] = field(default_factory=list)

    @property
    def outline(self) -> Outline:
        ones = self.ones
        names = ["", *sorted({one.name for one in ones} - {""})]
        contents = {one.content: number for number, one in enumerate(reversed(ones))}
        return Outline(
            window=1,
            id="01234567-89ab-cdef-0123-456789abcdef",
            chain=bytes(32),
            items=np.arange(100, 100 + len(ones), dtype=np.uint64),
            contents=np.array([contents[one.content] for one in ones], dtype=np.uint64),
            created_at=np.arange(len(ones), dtype=np.int64),
            byte_len=np.array([len(one.content) for one in ones], dtype=np.uint64),
            names=np.array([names.index(one.name) for one in ones], dtype=np.uint32),
            name_texts=names,
            roles=np.array([one.role for one in ones], dtype=np.uint8),
            kinds=np.array([one.kind for one in ones], dtype=np.uint8),
            flags=np.array([one.flags for one in ones], dtype=np.uint8),
            calls=np.array([one.call for one in ones], dtype=np.uint32),
            committed=np.array([one.committed for one in ones], dtype=np.int64),
            fates=np.array([one.fate for one in ones], dtype=np.int8),
        )

    def counted(self, model: ModelProfile) -> Counted:
        no_text = [
            one.kind == ItemKind.ATTACHMENT and not one.name.startswith("text/")
            for one in self.ones
        ]
        texts = [one.content.decode("utf-8", "replace") for one in self.ones]
        tokens = np.array(model.cap(texts) if texts else [], dtype=np.uint32)
        tokens[np.array(no_text, dtype=bool)] = 0
        return Counted(tokens, "exact", np.array(no_text, dtype=bool))

    @property
    def related(self) -> Related:
        return Related(
            np.array([one.mentions for one in self.ones], dtype=np.uint32),
            np.array(
                [at if one.last_use is None else one.last_use for at, one in enumerate(self.ones)],
                dtype=np.uint32,
            ),
            np.array([one.touched for one in self.ones], dtype=np.int32),
        )

    def texts(self, items: Sequence[int]) -> list[bytes | None]:
        self.reads.append(list(items))
        return [self.ones[item - 100].content for item in items]
