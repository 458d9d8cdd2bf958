"""GGUF files made in tests: metadata without tensors, written as ggml's gguf.md says."""

import struct
from collections.abc import Mapping
from pathlib import Path

Value = str | bool | int | float | bytes | list[str] | list[float] | list[int]

_STRING, _ARRAY = 8, 9


def dumps(metadata: Mapping[str, Value], *, version: int = 3, order: str = "<") -> bytes:
    """A file of `metadata`: integers are u32, lists of integers i32, of floats f32, bytes i8."""
    head = b"GGUF" + struct.pack(order + "IQQ", version, 0, len(metadata))
    return head + b"".join(
        _text(key, order) + _value(value, order) for key, value in metadata.items()
    )


def write(path: Path, metadata: Mapping[str, Value], *, version: int = 3, order: str = "<") -> Path:
    """The same in a file."""
    path.write_bytes(dumps(metadata, version=version, order=order))
    return path


def _text(text: str | bytes, order: str) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    return struct.pack(order + "Q", len(raw)) + raw


def _value(value: Value, order: str) -> bytes:
    match value:
        case bool():
            return struct.pack(order + "I?", 7, value)
        case int():
            return struct.pack(order + "II", 4, value)
        case float():
            return struct.pack(order + "If", 6, value)
        case str():
            return struct.pack(order + "I", _STRING) + _text(value, order)
        case bytes():
            return struct.pack(order + "IIQ", _ARRAY, 1, len(value)) + value
        case [str(), *_]:
            head = struct.pack(order + "IIQ", _ARRAY, _STRING, len(value))
            return head + b"".join(_text(str(each), order) for each in value)
        case [float(), *_]:
            return struct.pack(f"{order}IIQ{len(value)}f", _ARRAY, 6, len(value), *value)
        case _:
            return struct.pack(f"{order}IIQ{len(value)}i", _ARRAY, 5, len(value), *value)


def loads(data: bytes) -> dict[str, Value]:
    """The metadata of a little-endian file, up to the tensors."""
    at = 24

    def take(form: str) -> tuple[int | float | bool, ...]:
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values

    def text() -> str:
        nonlocal at
        (length,) = take("Q")
        raw = data[at : at + int(length)]
        at += int(length)
        return raw.decode("utf-8", "surrogateescape")

    def one(kind: int) -> Value:
        if kind == _STRING:
            return text()
        (value,) = take("BbHhIif?__Qqd"[kind])
        return value

    metadata: dict[str, Value] = {}
    (entries,) = struct.unpack_from("<Q", data, 16)
    for _ in range(entries):
        key = text()
        (kind,) = take("I")
        if kind != _ARRAY:
            metadata[key] = one(int(kind))
            continue
        inner, length = take("IQ")
        if inner == _STRING:
            metadata[key] = [text() for _ in range(int(length))]
        elif inner in (0, 1):
            metadata[key] = data[at : at + int(length)]
            at += int(length)
        else:
            metadata[key] = list(take(f"{int(length)}{'BbHhIif?__Qqd'[int(inner)]}"))
    return metadata
