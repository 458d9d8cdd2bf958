"""Counting texts that make counters slow: one character a million times, one line of base64 …

    VOX_PERF=… python benches/bench_tokens_hostile.py

Each contestant counts eleven texts of 1 MB in a fresh process, and vox also ten times that. A peer
that crashes or takes more than `PATIENCE` is left out of that text.
"""

from __future__ import annotations

import argparse
import functools
import time

import token_peers
import token_texts
from harness import Contestant, Row, find, main, table

ENCODING = "o200k_base"
PEERS = ("vox", "gigatoken", "fastokens", "quicktok", "bpe-openai", "tiktoken")
TEXTS = list(token_texts.hostile(10))
MEGABYTE = 1_000_000
PATIENCE = 30.0
"""Seconds that a peer may take, loading included."""


def run(*, peer: str, what: str, encoding: str) -> Row:
    """A contestant: one text, counted once."""
    count = token_peers.load(peer, encoding, 1)
    count(["some words, to have everything loaded"])
    row: Row = {}
    for size in (MEGABYTE, 10 * MEGABYTE) if peer == "vox" else (MEGABYTE,):
        text = token_texts.hostile(size)[what]
        start = time.perf_counter()
        tokens = int(count([text])[0])
        row[f"ms_{size // MEGABYTE}_mb"] = round((time.perf_counter() - start) * 1e3, 2)
        row[f"tokens_{size // MEGABYTE}_mb"] = tokens
    return row


def contestants() -> dict[str, Contestant]:
    """One for each peer and text."""
    return {
        f"{peer} {what}": functools.partial(run, peer=peer, what=what)
        for what in TEXTS
        for peer in PEERS
    }


def report(rows: list[Row], options: argparse.Namespace) -> None:
    lines: list[tuple[str, float | None, str]] = []
    for what in TEXTS:
        ours = find(rows, f"vox {what}")
        theirs = [row for row in rows if row["contestant"] in {f"{p} {what}" for p in PEERS[1:]}]
        if ours is None:
            continue
        right = [row for row in theirs if row["tokens_1_mb"] == ours["tokens_1_mb"]]
        best = min(right, key=lambda row: float(row["ms_1_mb"]), default=None)
        if best:
            peer = best["contestant"].removesuffix(f" {what}")
            lines.append((f"{what}, over {peer}", ours["ms_1_mb"] / best["ms_1_mb"], "<= 0.5"))
        lines.append((f"{what}, milliseconds for 1 MB", ours["ms_1_mb"], "<= 150"))
        lines.append((f"{what}, 10 MB over 1 MB", ours["ms_10_mb"] / ours["ms_1_mb"], "<= 13"))
    table(f"Hostile texts with {options.encoding}", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoding", default=ENCODING)
    raise SystemExit(main("tokens_hostile", contestants(), parser, report, PATIENCE))
