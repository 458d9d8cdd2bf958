"""Counting tokens for the first time: each contestant in a fresh process, one pass, no warming.

    VOX_PERF=… python benches/bench_tokens.py                  all, some ten minutes
    VOX_PERF=… python benches/bench_tokens.py --encodings o200k_base --classes mix

`VOX_PERF` is the folder that the setup of the peers makes: corpora, vocabularies. Counts of all are
compared with those of the publisher's own tokenizer.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import sys
import time

import token_peers
import token_texts
from harness import Contestant, Row, find, main, ratio, table, work_folder

ENCODINGS = ("o200k_base", "cl100k_base", "qwen3", "llama3_1")
CLASS_MEGABYTES = 4
"""Of each class; less where there is less."""


def count_once(*, peer: str, encoding: str, what: str, threads: int, megabytes: float) -> Row:
    """A contestant: one pass over all texts."""
    started = time.perf_counter()
    count = token_peers.load(peer, encoding, threads)
    loaded = time.perf_counter()
    texts = token_texts.texts(what, megabytes if what == "mix" else CLASS_MEGABYTES)
    size = sum(len(text.encode()) for text in texts)
    faults = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    counts = count(texts)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "mb_per_second": round(size / 1e6 / seconds, 1),
        "load_ms": round((loaded - started) * 1e3, 1),
        "faults": after.ru_minflt - faults.ru_minflt + after.ru_majflt - faults.ru_majflt,
        "texts": len(texts),
        "megabytes": round(size / 1e6, 1),
        **compared(f"{encoding} {what} {megabytes}", peer, [int(each) for each in counts]),
    }


def compared(name: str, peer: str, counts: list[int]) -> Row:
    """How many counts are not the publisher's, whose own are kept for the others."""
    path = work_folder() / f"counts of {name}.json"
    if peer in {"tiktoken", "tokenizers"}:
        path.write_text(json.dumps(counts))
    if not path.exists():
        return {}
    right = json.loads(path.read_text())
    return {"unequal": sum(a != b for a, b in zip(counts, right, strict=True))}


def contestants(options: argparse.Namespace) -> dict[str, Contestant]:
    """One for each peer, encoding, class and number of threads."""
    chosen: dict[str, Contestant] = {}
    for encoding in options.encodings.split(","):
        for what in options.classes.split(","):
            if what != "mix" and encoding not in token_peers.RANKS:
                continue
            for threads in (1, 2) if what == "mix" else (1,):
                for peer in token_peers.MAKERS:
                    chosen[name(peer, encoding, what, threads)] = functools.partial(
                        run, peer=peer, encoding=encoding, what=what, threads=threads
                    )
    return chosen


def run(
    *,
    peer: str,
    encoding: str,
    what: str,
    threads: int,
    megabytes: float,
    encodings: str,
    classes: str,
) -> Row:
    """A contestant with the options it doesn't need taken off."""
    return count_once(peer=peer, encoding=encoding, what=what, threads=threads, megabytes=megabytes)


def name(peer: str, encoding: str, what: str, threads: int) -> str:
    """The name of a contestant."""
    return f"{peer} {encoding} {what} {threads}"


def report(rows: list[Row], options: argparse.Namespace) -> None:
    for encoding in options.encodings.split(","):
        lines = []
        for what in options.classes.split(","):
            for threads in (1, 2):
                found = {
                    peer: find(rows, name(peer, encoding, what, threads))
                    for peer in token_peers.MAKERS
                }
                ours = found.pop("vox")
                right = [row for row in found.values() if row and not row.get("unequal")]
                best = max(right, key=lambda row: float(row["mb_per_second"]), default=None)
                peer = best["contestant"].split()[0] if best else ""
                least = ">= 1.5" if encoding in token_peers.RANKS else ">= 1.2"
                others = [("gigatoken", least), ("tiktoken", ">= 12")] if what == "mix" else []
                label = f"{what}, {threads} thread{'s' * (threads > 1)}"
                gain = functools.partial(ratio, figure="mb_per_second")
                lines.append((f"{label}, over {peer}", gain(ours, best), least))
                lines += [
                    (f"{label}, over {other}", gain(ours, found[other]), target)
                    for other, target in others
                    if other != peer
                ]
        table(f"First count with {encoding}", lines)
    wrong = {row["contestant"]: row["unequal"] for row in rows if row.get("unequal")}
    for contestant, unequal in wrong.items():
        print(f"  {contestant}: {unequal} counts are not the publisher's", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=32, help="mixed texts")
    parser.add_argument("--encodings", default=",".join(ENCODINGS))
    parser.add_argument("--classes", default=",".join(["mix", *token_texts.CLASSES]))
    options, _ = parser.parse_known_args()
    raise SystemExit(main("tokens", contestants(options), parser, report))
