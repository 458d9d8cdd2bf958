"""Fits the ratios of `contracts/token-ratios.yaml` to real items, and says how far they are off.

    python tools/fit_ratios.py --data DIR --vocabularies DIR [--texts DIR]   # anew
    python tools/fit_ratios.py --table     # only coefficients.rs, from the contract

`--data` has transcripts below `claude_code/` and `codex/`, which vox imports, maybe those of other
tools, of which the texts of messages are taken, and `SOURCES.csv` with the columns `file` and
`repo`. `--vocabularies` has `<name>/tokenizer.json` for each family below; tiktoken finds its own.
`--texts` has `*.txt`, one kind of content each, which are cut into items: kinds that transcripts
have little of.

Sources, ordered by size, are taken by turns to fit and to be held out. A family has one model: an
average, as a sum over what the text is made of with weights that aren't negative (least squares of
relative errors); a margin by content class; and what short texts need more. The margins are
quantiles, so that few items are counted too low. `QUANTILE`, `FEWEST` and the shape of the model
were chosen while looking at the held-out figures: those are of sources that no number was fitted
to, but not of sources that nobody had looked at.

To repeat a fit it takes the same transcripts (the contract lists their sources; those in
`tests/data` are a part of them), the files of `--vocabularies` under the terms of their owners,
and the same `--texts`. Other inputs give other numbers, and the contract says which it had.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import random
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tiktoken
import tokenizers
import yaml

import vox
from vox import _native

REPOSITORY = Path(__file__).resolve().parents[1]
CONTRACT = REPOSITORY / "contracts" / "token-ratios.yaml"
TABLE = REPOSITORY / "rust" / "vox-tokens" / "src" / "ratio" / "coefficients.rs"

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Family:
    """A family of models and what it is fitted to."""

    name: str
    tokenizers: tuple[str, ...]
    """Of several, the one that makes the most tokens of an item counts."""
    scale: float = 1.0
    """What counts are multiplied with; see `contracts/counting.md`."""


FAMILIES = (
    Family("o200k", ("o200k_base",)),
    Family("cl100k", ("cl100k_base",)),
    Family("p50k", ("p50k_base",)),
    Family("llama3", ("llama3_1",)),
    Family("qwen", ("qwen3",)),
    Family("deepseek", ("deepseek_v3",)),
    Family("gemini", ("gemma3",)),
    Family("claude-4", ("claude",), 1.17),
    Family("claude", ("claude",), 1.45),
    Family("other", ("cl100k_base", "qwen3", "deepseek_v3", "gemma3", "claude"), 1.1),
)
TOOLS = ("claude_code", "codex")
CONTENT = frozenset({"text", "content", "output", "result", "stdout", "thinking", "reasoning"})
"""Keys under which transcripts of other tools hold what was said."""
ARGUMENTS = frozenset({"arguments", "input", "args"})
LONGEST = 300_000
"""Bytes of the longest item that is fitted to. Judgement: more takes long and changes nothing."""
TEXT_ITEMS = 120
"""Items of each file of `--texts`."""
GROUPS = ("latin", "alphabet", "script", "cjk")
"""Sets of weights; a class that isn't named here has those of `latin`."""
PULL = 0.1
"""How strongly weights are drawn to what is assumed before, beside items of weight 1. Judgement."""
UNSEEN = (
    dict.fromkeys(("latin", "greek", "cyrillic", "hebrew", "arabic"), 1.0)
    | dict.fromkeys(("indic", "georgian", "symbol", "kana", "han", "hangul", "wide"), 1.5)
    | {"astral": 2.5, "continuation": 0.0}
)
"""Tokens assumed of a character of a script before it was met; of any other feature 0.5.
Judgement."""
QUANTILE = 0.991
"""Share of the items of a class that its margin covers. Judgement: under 1 % are left."""
FEWEST = 60
"""Items that a class must have for a margin of its own; else it has the largest. Judgement."""


@dataclass(frozen=True)
class Item:
    """A text and where it is from."""

    source: str
    content: bytes
    held_out: bool = False


def imported(data: Path, files: list[str], source: str) -> Iterator[Item]:
    """The items that vox makes of transcripts."""
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            copy = Path(folder, "root", file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(data / file, copy)
        with vox.open(Path(folder, "archive")) as archive:
            for tool in TOOLS:
                root = Path(folder, "root", tool)
                if root.exists():
                    archive.ingest([tool.replace("_", "-")], root=root)
            for window in archive.windows().to_pylist():
                items = archive.window(window["id"]).items(0, window["items"], preview=False)
                for item in items.to_pylist():
                    yield Item(source, bytes(archive.read(item["item"])))


def said(value: Any, key: str = "") -> Iterator[str]:
    """The texts of messages in a JSON value of any shape."""
    if isinstance(value, str):
        if key in CONTENT:
            yield value
    elif isinstance(value, list):
        for one in value:
            yield from said(one, key)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name in ARGUMENTS and isinstance(one, dict):
                yield json.dumps(one, ensure_ascii=False)
            else:
                yield from said(one, name)


def parsed(file: Path) -> Iterator[Any]:
    """The JSON values of a file that is one, or has one on each line."""
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return
    for part in [text] if file.suffix == ".json" else text.splitlines():
        try:
            yield json.loads(part)
        except ValueError:
            continue


def real_items(data: Path) -> list[Item]:
    """All items of all sources, each text once, every second source held out."""
    files = defaultdict(list)
    with (data / "SOURCES.csv").open(newline="") as table:
        for row in csv.DictReader(table):
            files[row["repo"]].append(row["file"])
    seen: set[bytes] = set()
    sources: dict[str, list[Item]] = {}
    for source, names in files.items():
        transcripts = [name for name in names if name.startswith(TOOLS)]
        found = list(imported(data, transcripts, source)) if transcripts else []
        others = [data / name for name in names if not name.startswith(TOOLS)]
        for file in others:
            if file.suffix in (".json", ".jsonl", ".traj") and file.is_file():
                found += [
                    Item(source, text.encode(errors="replace"))
                    for value in parsed(file)
                    for text in said(value)
                ]
        sources[source] = [item for item in found if fits(item) and new(item, seen)]
    by_size = sorted(sources.values(), key=lambda items: -sum(len(i.content) for i in items))
    return [
        Item(item.source, item.content, held_out=turn % 2 == 1)
        for turn, items in enumerate(filter(None, by_size))
        for item in items
    ]


def fits(item: Item) -> bool:
    """Whether it is a text to fit to."""
    if not 0 < len(item.content) <= LONGEST:
        return False
    try:
        item.content.decode()
    except UnicodeDecodeError:
        return False
    return True


def new(item: Item, seen: set[bytes]) -> bool:
    """Whether it is met for the first time."""
    if item.content in seen:
        return False
    seen.add(item.content)
    return True


def text_items(texts: Path) -> Iterator[Item]:
    """Items cut from files of one kind of content each; those of the second half are held out."""
    chance = random.Random(3)
    for file in sorted(texts.glob("*.txt")):
        data = file.read_bytes()
        half = len(data) // 2
        for number in range(2 * TEXT_ITEMS):
            held_out = number % 2 == 1
            size = max(1, min(50_000, int(chance.lognormvariate(np.log(600), 1.3))))
            at = chance.randrange(max(1, half - size)) + half * held_out
            content = data[at : at + size].decode(errors="ignore").encode()
            if content:
                yield Item(f"texts/{file.stem}", content, held_out)


def counts(tokenizer: str, items: list[Item], vocabularies: Path) -> Floats:
    """How many tokens each item is."""
    texts = [item.content.decode() for item in items]
    file = vocabularies / tokenizer / "tokenizer.json"
    if file.exists():
        encoder = tokenizers.Tokenizer.from_file(str(file))
        encoder.encode_special_tokens = True
        lengths = [
            len(encoded.ids)
            for at in range(0, len(texts), 256)
            for encoded in encoder.encode_batch_fast(texts[at : at + 256], add_special_tokens=False)
        ]
    else:
        encoding = tiktoken.get_encoding(tokenizer)
        lengths = [len(encoding.encode_ordinary(text)) for text in texts]
    return np.array(lengths, dtype=np.float64)


def least_squares(features: Floats, target: Floats, before: Floats) -> Floats:
    """Weights, none negative, with the least squares: one after the other, until they stand.

    They are drawn to the weights `before`, so that a feature that is hardly met keeps its own.
    """
    gram = features.T @ features + PULL * np.eye(len(before))
    moment = features.T @ target + PULL * before
    weights = before.copy()
    for _ in range(400):
        for at in range(len(weights)):
            step = (moment[at] - gram[at] @ weights) / gram[at, at]
            weights[at] = max(0.0, weights[at] + step)
    return weights


def group_of(name: str) -> str:
    """The set of weights of a class."""
    return name if name in GROUPS else "latin"


@dataclass(frozen=True)
class Model:
    """What a family's estimates are computed from."""

    weights: dict[str, Floats]
    margins: dict[str, float]
    spread: float
    constant: float

    def average(self, features: Floats, classes: npt.NDArray[np.str_]) -> Floats:
        """The sums of what texts are made of, each times its weight."""
        chosen = np.array([self.weights[group_of(name)] for name in classes])
        return np.asarray((features * chosen).sum(axis=1))

    def estimates(self, features: Floats, classes: npt.NDArray[np.str_]) -> Floats:
        """As `vox_tokens::ratio::Family::estimate`."""
        average = self.average(features, classes)
        margins = np.array([self.margins[name] for name in classes])
        spread = self.spread * np.sqrt(average)
        return np.asarray(np.floor(average * margins + spread + self.constant + 0.5))


def fit(
    features: Floats,
    classes: npt.NDArray[np.str_],
    tokens: Floats,
    real: Mask,
    names: list[str],
) -> Model:
    """The model with the lowest median among those that are rarely too low."""
    weights: dict[str, Floats] = {}
    before = np.array([UNSEEN.get(feature, 0.5) for feature in _native.census("")[1]])
    groups = np.array([group_of(name) for name in classes])
    for group in GROUPS:
        here = groups == group
        relative = tokens[here] + 4
        found = least_squares(features[here] / relative[:, None], tokens[here] / relative, before)
        weights[group] = np.round(found, 3)
        before = np.where(before >= 1, before, weights["latin"])
    average = Model(weights, {}, 0, 0).average(features, classes)
    best: tuple[float, Model] | None = None
    for spread in np.arange(0.0, 1.3, 0.1):
        for constant in (1.0, 1.5, 2.0):
            # Rounding gives half a token.
            need = (tokens - 0.5 - constant - spread * np.sqrt(average)) / np.maximum(average, 0.1)
            margins = {}
            for name in names:
                here = classes == name
                if here.sum() >= FEWEST:
                    margins[name] = float(np.quantile(need[here], QUANTILE))
            largest = max(margins.values())
            margins = {name: round(max(margins.get(name, largest), 0.5), 4) for name in names}
            model = Model(weights, margins, round(float(spread), 2), constant)
            over = float(np.median((model.estimates(features, classes) / tokens)[real]))
            if best is None or over < best[0]:
                best = (over, model)
    assert best
    return best[1]


def errors(estimates: Floats, tokens: Floats) -> dict[str, Any]:
    """How far estimates are off."""
    over = estimates / tokens - 1
    return {
        "items": len(tokens),
        "under_counted": round(float(np.mean(estimates < tokens)), 4),
        "median_over_count": round(float(np.median(over)), 3),
        "nine_in_ten_below": round(float(np.quantile(over, 0.9)), 3),
        "lowest": round(float(over.min()), 3),
    }


def contract(items: list[Item], vocabularies: Path) -> dict[str, Any]:
    """All that `contracts/token-ratios.yaml` holds."""
    taken = [_native.census(item.content) for item in items]
    names = list(taken[0][1])
    features = np.array([list(counted.values()) for _, counted in taken], dtype=np.float64)
    classes = np.array([name for name, _ in taken])
    class_names = _native.content_classes()
    held_out = np.array([item.held_out for item in items])
    real = np.array([not item.source.startswith("texts/") for item in items])
    wanted_of = {name for family in FAMILIES for name in family.tokenizers}
    tokens = {name: counts(name, items, vocabularies) for name in wanted_of}
    families = {}
    for family in FAMILIES:
        most = np.max([tokens[name] for name in family.tokenizers], axis=0)
        wanted = np.ceil(most * family.scale)
        some = wanted > 0
        chosen = ~held_out & some
        model = fit(features[chosen], classes[chosen], wanted[chosen], real[chosen], class_names)
        estimates = model.estimates(features, classes)

        def off(where: Mask, wanted: Floats = wanted, estimates: Floats = estimates) -> Any:
            return errors(estimates[where], wanted[where])

        held = held_out & some
        families[family.name] = {
            "tokenizers": list(family.tokenizers),
            "scale": family.scale,
            "constant": model.constant,
            "spread": model.spread,
            "margins": model.margins,
            "weights": {
                group: {n: float(w) for n, w in zip(names, weights, strict=True) if w}
                for group, weights in model.weights.items()
            },
            "held_out": off(held & real),
            "held_out_by_class": {
                name: off(held & real & (classes == name))
                for name in class_names
                if (held & real & (classes == name)).sum() >= FEWEST
            },
            "held_out_texts": off(held & ~real),
        }
        print(family.name, families[family.name]["held_out"], flush=True)
    return {
        "version": 1,
        "fitted": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "label": "measured",
        "features": names,
        "classes": class_names,
        "fitted_to": described(items, real & ~held_out),
        "held_out": described(items, real & held_out),
        "families": families,
    }


def described(items: list[Item], where: Mask) -> dict[str, Any]:
    """Which sources items come from, and how many they are."""
    chosen = [item for item, here in zip(items, where, strict=True) if here]
    return {
        "items": len(chosen),
        "bytes": sum(len(item.content) for item in chosen),
        "sources": sorted({item.source for item in chosen}),
    }


def table(ratios: dict[str, Any]) -> str:
    """`coefficients.rs` for a contract."""
    lines = [
        "//! Made by `tools/fit_ratios.py` from `contracts/token-ratios.yaml`; not to be edited.",
        "",
        '#![allow(clippy::approx_constant, reason = "measured; none of them is meant to be π")]',
        "",
        "use super::Family;",
        "",
        f"pub(super) static FAMILIES: [Family; {len(ratios['families'])}] = [",
    ]
    for name, family in ratios["families"].items():
        margins = [family["margins"][name] for name in ratios["classes"]]
        lines += [
            "    Family {",
            f'        name: "{name}",',
            "        weights: [",
            *(
                line
                for group in GROUPS
                for line in rows(family["weights"][group].get(f, 0.0) for f in ratios["features"])
            ),
            "        ],",
            "        margins:",
            *rows(margins),
            f"        spread: {family['spread']},",
            f"        constant: {family['constant']},",
            "    },",
        ]
    return "\n".join([*lines, "];", ""])


def rows(values: Iterable[float]) -> list[str]:
    """An array of numbers, as lines of Rust."""
    return ["[", *(f"{float(value)}," for value in values), "],"]


def main() -> None:
    """Fits, writes the contract, and the table from it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, help="folder of transcripts with SOURCES.csv")
    parser.add_argument("--vocabularies", type=Path, help="folder of <name>/tokenizer.json")
    parser.add_argument("--texts", type=Path, help="folder of *.txt, one kind of content each")
    parser.add_argument("--table", action="store_true", help="only coefficients.rs")
    options = parser.parse_args()
    if not options.table:
        if not options.data or not options.vocabularies:
            parser.error("--data and --vocabularies are needed to fit")
        items = real_items(options.data)
        if options.texts:
            items += text_items(options.texts)
        ratios = contract(items, options.vocabularies)
        heading = "".join(f"# {line}\n" for line in HEADING.strip().splitlines())
        body = yaml.safe_dump(ratios, sort_keys=False, width=100, default_flow_style=None)
        CONTRACT.write_text(heading.replace("# \n", "#\n") + "\n" + body)
    TABLE.write_text(table(yaml.safe_load(CONTRACT.read_text())))
    subprocess.run(["rustfmt", "--edition", "2024", TABLE], check=True)


HEADING = """
Ratios: about how many tokens a text is, by family of tokenizers and content class.

Made by tools/fit_ratios.py; all numbers are measured. tokens = round(margin of the class × average
+ spread × √average + constant), where average is the sum over the features of a text, each times
its weight (0 where none is given) among those of its class: alphabet, script and cjk have their
own, all others those of latin. Features and classes are those of rust/vox-tokens/src/ratio.
`held_out` is how far this is off on items of sources that it wasn't fitted to: the share counted
too low, the median of estimate / count − 1, what nine in ten stay below, and the lowest. The
quantile behind the margins was chosen while looking at these figures.
Of several `tokenizers` the one with the most tokens counted; `scale` is what counts were multiplied
with before fitting: contracts/counting.md.
"""

if __name__ == "__main__":
    main()
