"""The catalogues of OpenRouter (`/api/v1/models`) and models.dev (`api.json`), as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

import msgspec

from vox.errors import MalformedError
from vox.models.model_profile import Prices
from vox.models.row import Row

LOCAL_PROVIDERS = frozenset({"lmstudio", "atomic-chat"})
"""Providers of models.dev that run models on the user's machine."""


@dataclass(slots=True)
class Read:
    """What a catalogue gave."""

    format: str
    """`openrouter`, `models.dev` or `vox`."""
    rows: list[Row] = field(default_factory=list)
    other: int = 0
    """Entries that are no models of texts: of images, speech, embeddings."""
    bad: list[str] = field(default_factory=list)
    """Entries that can't be understood: which, and why."""


def read(content: bytes, place: str, day: date) -> Read:
    """The models of a catalogue of either format, written down on `day`. Entries that can't be
    understood are set aside. Raises `MalformedError` for what is no catalogue."""
    try:
        document = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(f"{place}: no JSON: {error}") from error
    if isinstance(document, dict):
        if isinstance(document.get("data"), list):
            return _rows("openrouter", _of_openrouter(document["data"]), _openrouter, day)
        if any(isinstance(entry, dict) and "models" in entry for entry in document.values()):
            return _rows("models.dev", _of_models_dev(document), _models_dev, day)
    raise MalformedError(
        f"{place}: neither OpenRouter's /api/v1/models nor models.dev's api.json: the one has a "
        "list 'data', the other providers with 'models'"
    )


_Entry = tuple[str, str, Any]


def _of_openrouter(entries: list[Any]) -> Iterator[_Entry]:
    for place, entry in enumerate(entries):
        name = entry.get("id") if isinstance(entry, dict) else None
        yield "openrouter", str(name or f"entry {place}"), entry


def _of_models_dev(providers: Mapping[str, Any]) -> Iterator[_Entry]:
    for provider, about in providers.items():
        models = about.get("models") if isinstance(about, dict) else None
        if not isinstance(models, dict):
            yield provider, "models", None
            continue
        for name, entry in models.items():
            yield provider, name, entry


def _rows(
    form: str,
    entries: Iterator[_Entry],
    fields: Callable[[str, dict[str, Any]], dict[str, Any] | None],
    day: date,
) -> Read:
    found = Read(form)
    for provider, name, entry in entries:
        try:
            if not isinstance(entry, dict):
                raise ValueError("no object")
            known = fields(provider, entry)
            if known is None:
                found.other += 1
                continue
            about = {"id": name, "provider": provider, "source": form, "date": day, **known}
            found.rows.append(msgspec.convert(about, Row))
        # Whatever an entry holds in place of what belongs there.
        except (
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            ArithmeticError,
            OSError,
        ) as error:
            found.bad.append(f"{provider}/{name}: {error}"[:200])
    return found


def _models_dev(provider: str, entry: dict[str, Any]) -> dict[str, Any] | None:
    limit, modalities = entry["limit"], entry.get("modalities", {})
    if "text" not in modalities.get("output", ["text"]) or limit["context"] == 0:
        return None
    cost = entry.get("cost") or {}
    local = provider in LOCAL_PROVIDERS
    prices = None if local else _prices(1, cost, "input", "output", "cache_read", "cache_write")
    return {
        "window": limit["context"],
        "output": limit.get("output") or None,
        "input": limit.get("input") or None,
        "tools": entry.get("tool_call"),
        "reasoning": entry.get("reasoning"),
        "images": "image" in modalities["input"] if "input" in modalities else None,
        # That a price for it is stated says that there is one; that none is says nothing.
        "caching": True if prices and prices.cache_read is not None else None,
        "prices": prices,
        "local": local,
        "released": _day(entry.get("release_date")),
    }


def _openrouter(_provider: str, entry: dict[str, Any]) -> dict[str, Any] | None:
    about, served = entry.get("architecture") or {}, entry.get("top_provider") or {}
    if "text" not in (about.get("output_modalities") or ["text"]):
        return None
    names = ("prompt", "completion", "input_cache_read", "input_cache_write")
    prices = _prices(1_000_000, entry.get("pricing") or {}, *names)
    can, takes = entry.get("supported_parameters"), about.get("input_modalities")
    created = entry.get("created")
    return {
        # What the provider that serves it holds, where that is less than the model could.
        "window": min(
            size for size in (entry["context_length"], served.get("context_length")) if size
        ),
        "output": served.get("max_completion_tokens") or None,
        "tools": None if can is None else "tools" in can,
        "reasoning": None if can is None else "reasoning" in can,
        "images": None if takes is None else "image" in takes,
        "caching": True if prices and prices.cache_read is not None else None,
        "prices": prices,
        "released": datetime.fromtimestamp(created, UTC).date() if created else None,
    }


def _prices(times: int, given: dict[str, Any], *names: str) -> Prices | None:
    """The prices of these names, for a million tokens. A negative one says that it varies."""
    found = [_price(given.get(name), times) for name in names]
    if found[0] is None or found[1] is None:
        return None
    return Prices(found[0], found[1], *found[2:])


def _price(given: Any, times: int) -> float | None:
    if given is None:
        return None
    price = float(given) * times
    if not isfinite(price):
        raise ValueError(f"a price of {given}")
    return None if price < 0 else round(price, 6)


def _day(text: str | None) -> date | None:
    """A day; the first one of a month or a year, where only that is said."""
    if not text:
        return None
    return date.fromisoformat(f"{text}-01-01"[:10] if len(text) < 10 else text)
