"""Producers' rows as MessagePack, checked against their types."""

from __future__ import annotations

from typing import Any

import msgspec

from vox.errors import InvalidArgumentError

_encoder = msgspec.msgpack.Encoder()


def packed(row: object, decoder: msgspec.msgpack.Decoder[Any], what: str) -> bytes:
    """The row's bytes. Raises `InvalidArgumentError`, which names the field, if a value isn't of
    its declared type: constructors don't look."""
    try:
        data = _encoder.encode(row)
        decoder.decode(data)
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise InvalidArgumentError(f"{what}: {error}") from error
    return data
