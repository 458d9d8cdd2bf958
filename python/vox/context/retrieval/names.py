"""Names of files and symbols in a question."""

from __future__ import annotations

import re

_NAME = re.compile(r"\w[-_./\\:]+\w|[a-z][A-Z]")
"""What is written as one though it has parts: `src/x.py`, `foo_bar`, `getName`, `foo-bar`."""


def share_of_names(question: str) -> float:
    """How many of a question's words look like names, from 0 to 1; 0 if it has none."""
    words = question.split()
    return sum(bool(_NAME.search(word)) for word in words) / len(words) if words else 0.0
