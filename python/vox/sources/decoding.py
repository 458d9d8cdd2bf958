"""Reading JSON that msgspec refuses: lone surrogates, invalid UTF-8, fields of unforeseen types.

Adapters decode records with msgspec and come here only after a `DecodeError`, so that no record is
lost to a type nobody foresaw. Only meaning is read here: lone surrogates and invalid UTF-8 become
U+FFFD, while item bytes are cut from the record itself.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args

import msgspec
from msgspec import Raw, Struct

S = TypeVar("S", bound=Struct)


class NotARecordError(ValueError):
    """The bytes are no record; its text is the reason for their quarantine."""


def read_loosely(shape: type[S], data: bytes | Raw) -> S:
    """The object in `data`, field by field.

    Raises `NotARecordError`: `not_a_record`, `malformed` or `too_deep`.
    """
    value = any_json(data)
    if not isinstance(value, dict):
        raise NotARecordError("not_a_record")
    return from_object(shape, value)


def from_object(shape: type[S], value: dict[str, Any]) -> S:
    """A struct with the members of `value`; one of an unexpected type counts as absent."""
    fields: dict[str, Any] = {}
    for name, key, expected, inner in _fields_of(shape):
        if key not in value:
            continue
        given = value[key]
        if expected is Raw:
            fields[name] = as_raw(given)
        elif inner is not None:
            if isinstance(given, dict):
                fields[name] = from_object(inner, given)
        else:
            whole = scalar_values(given) if isinstance(given, str) else given
            try:
                fields[name] = msgspec.convert(whole, expected)
            except msgspec.ValidationError:
                continue
    return shape(**fields)


def any_json(data: bytes | Raw) -> Any:
    """The value of any JSON. Its strings may hold lone surrogates.

    Raises `NotARecordError`: `malformed` or `too_deep`.
    """
    try:
        text = bytes(data).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = bytes(data).decode("utf-8", "replace")
    try:
        return json.loads(text)
    except RecursionError:
        raise NotARecordError("too_deep") from None
    except ValueError:
        raise NotARecordError("malformed") from None


def as_raw(value: Any) -> Raw:
    """The value as JSON again."""
    return Raw(scalar_values(json.dumps(value, ensure_ascii=False)).encode())


def scalar_values(text: str) -> str:
    """The text with U+FFFD for each lone surrogate."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Field(NamedTuple):
    name: str
    key: str
    """Its name in JSON."""
    expected: Any
    inner: type[Struct] | None
    """The struct that it holds, if it holds one."""


@cache
def _fields_of(shape: type[Struct]) -> list[_Field]:
    fields = []
    for field in msgspec.structs.fields(shape):
        types = get_args(field.type) or (field.type,)
        structs = [kind for kind in types if isinstance(kind, type) and issubclass(kind, Struct)]
        inner = structs[0] if structs else None
        fields.append(_Field(field.name, field.encode_name, field.type, inner))
    return fields
