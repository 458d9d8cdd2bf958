"""The names in a text: paths, identifiers, ids and hashes.

The bench looks for them with expressions of its own, which know nothing of how vox finds names for
an item's mentions: a projection isn't judged by the rule that it was made by.
"""

from __future__ import annotations

import json
import re

LONGEST = 200
"""Characters; what is longer is data."""

_PATH = r"(?:~|\.{1,2})?/?(?:[\w@.+-]+/)+[\w@.+-]*\w"
_FILE = (
    r"[\w@+-]+(?:\.[\w+-]+)*\.(?:py|pyi|rs|ts|tsx|js|jsx|mjs|json|jsonl|md|toml|ya?ml|ex|exs|heex|"
    r"css|html?|sh|sql|lock|txt|log|go|java|c|h|cpp|csv|png|svg)"
)
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HASH = r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}"
_TICKET = r"[A-Z][A-Z0-9]+-\d+"
_SNAKE = r"[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+"
_CAMEL = r"[a-z]+[0-9]*(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}"
_CODE = r"(?=[A-Z0-9]*[0-9])(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6,24}"

_NAME = re.compile(
    rf"(?<![\w/.-])(?:{_PATH}|{_FILE})(?![\w/])"
    rf"|(?<![\w-])(?:{_UUID}|{_TICKET})(?![\w-])"
    rf"|(?<!\w)(?:{_HASH}|{_SNAKE}|{_CAMEL}|{_CODE})(?!\w)"
)

SHORTEST = 5
"""Characters; what is shorter names nothing in particular."""


def names(text: str) -> frozenset[str]:
    """Every name in a text, once."""
    found = (match.group() for match in _NAME.finditer(text))
    return frozenset(name for name in found if SHORTEST <= len(name) <= LONGEST)


def names_of_call(arguments: str) -> frozenset[str]:
    """The names in what a tool is called with: in the values, for its keys belong to the tool."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return names(arguments)
    found: set[str] = set()
    rest = [value]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            found |= names(value)
        elif isinstance(value, dict):
            rest.extend(value.values())
        elif isinstance(value, list):
            rest.extend(value)
    return frozenset(found)
