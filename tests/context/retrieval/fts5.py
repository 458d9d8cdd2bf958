"""The peer: SQLite's FTS5 with Porter's stemmer, asked as well as it can be."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping


class Fts5:
    """An index over texts, each under a mark."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._marks = list(texts)
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "CREATE VIRTUAL TABLE t USING fts5(x, content='', tokenize='porter unicode61')"
        )
        self._database.executemany(
            "INSERT INTO t(rowid, x) VALUES (?, ?)", enumerate(texts.values())
        )

    def rank(self, query: str) -> list[str]:
        """The best ten by BM25 of any of the query's words, each with what is joined to it as a
        phrase: of all words, or of words cut at punctuation, answers are worse."""
        words = [word.replace('"', '""') for word in query.split()]
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._database.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (match,)
        )
        return [self._marks[row] for (row,) in rows]
