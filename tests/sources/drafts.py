"""What a draft stands for."""

from __future__ import annotations

import json
from typing import Any

from vox.sources.base import Draft


def value_at(record: bytes, draft: Draft) -> Any:
    """What stands in a record where a draft says; the whole record if it names no place."""
    value = json.loads(record.decode("utf-8", "surrogatepass"))
    assert not isinstance(draft.body, bytes)
    for step in draft.body or ():
        value = value[step]
    return value
