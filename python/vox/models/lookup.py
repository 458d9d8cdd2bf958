"""What is known of the model of a name."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import Any

import msgspec

from vox.config import Settings
from vox.errors import NotFoundError
from vox.models.catalogue import Catalogue, Listed, load_catalogue
from vox.models.files import profile_of_file
from vox.models.model_profile import Caching, ModelProfile
from vox.models.names import Name, is_variant, kin_of, parted
from vox.models.row import Row
from vox.tokens.files import fetched_file, named_file

GAPS = ("output", "tools", "reasoning", "images", "caching", "min_prefix")
"""What a row that doesn't know it takes from its next of kin."""


def profile(name: str | os.PathLike[str], *, settings: Settings | None = None) -> ModelProfile:
    """What is known of a model: by its name, as providers, routes and Ollama write it, or by the
    path of its GGUF file or `tokenizer.json`.

    Looked up are the catalogue that vox ships, what `vox model refresh` has put over it in the home
    of `settings`, and models that other programs have fetched. A model that is listed nowhere is
    given what is known of its next of kin, prices apart, and `inherited_from` names it; so are the
    gaps of one of which not everything is known.

    Raises `NotFoundError` for a model of which not even the family is known, with the nearest
    names; as `vox.tokens.TokenEstimator` for a path.
    """
    if path := named_file(name):
        return profile_of_file(path, os.fspath(name))
    asked = os.fspath(name)
    read = parted(asked)
    catalogue = load_catalogue(settings)
    listed = _listed(catalogue, read)
    if (read.local or listed is None) and (path := fetched_file(asked)):
        # The model itself is here: nobody knows it better.
        return profile_of_file(path, asked)
    if listed is None:
        kin = _next_of_kin(catalogue, read.bare, None)
        if kin is None:
            raise NotFoundError(_unknown(asked, read, catalogue))
        row, _, _ = _whole(catalogue, kin)
        row = msgspec.structs.replace(row, id=asked, prices=None)
        local = read.local or row.local
        if local:
            # What others make of it as a service says nothing of it.
            row = msgspec.structs.replace(row, output=None, caching=None, min_prefix=None)
        return _profile(row, local, kin.row.id, ("window", *_known(row)))
    row, inherited_from, inherited = _whole(catalogue, listed)
    return _profile(row, read.local or row.local, inherited_from, inherited)


def _whole(catalogue: Catalogue, listed: Listed) -> tuple[Row, str | None, tuple[str, ...]]:
    """A row, its gaps filled; from whom, and which they were."""
    if len(_known(listed.row)) == len(GAPS):
        return listed.row, None, ()
    kin = _next_of_kin(catalogue, listed.bare, listed)
    if kin is None:
        return listed.row, None, ()
    row = _filled(listed.row, kin.row)
    inherited = tuple(gap for gap in _known(row) if gap not in _known(listed.row))
    return row, kin.row.id if inherited else None, inherited


def _known(row: Row) -> list[str]:
    return [gap for gap in GAPS if getattr(row, gap) is not None]


def _listed(catalogue: Catalogue, name: Name) -> Listed | None:
    found = catalogue.by_key.get(name.key) or catalogue.by_bare.get(name.bare)
    return min(found, key=lambda one: _fitness(one, name)) if found else None


def _fitness(one: Listed, name: Name) -> tuple[int, int]:
    """Less is better: the provider that the name goes through, then whose word counts."""
    provider = one.row.provider
    if name.local:
        return (0 if one.row.local else 1), one.rank
    return (
        name.route.index(provider) if provider in name.route else len(name.route),
        one.rank if not one.row.local else 3,
    )


def _next_of_kin(catalogue: Catalogue, bare: str, listed: Listed | None) -> Listed | None:
    """Of whom a model is a variant; else one of its version in its family, else the newest of its
    family, else of what the family belongs to. For the gaps of one that is listed itself: among
    those that have none."""

    def fits(one: Listed) -> bool:
        return listed is None or (one is not listed and one.row.tools is not None)

    words = bare.split("-")
    for length in range(len(words), 0, -1):
        base = "-".join(words[:length])
        if base == bare or is_variant(bare, base):
            for one in filter(fits, catalogue.by_bare.get(base, ())):
                return one
    kin = kin_of(bare)
    for length in range(len(kin.family), 0, -1):
        others = list(filter(fits, catalogue.by_family.get(kin.family[:length], ())))
        same = [one for one in others if one.kin.version == kin.version]
        if same:
            # Of one version the smallest window: what fits it fits all of them.
            return min(same, key=lambda one: (len(one.kin.family), one.row.window))
        if others:
            return max(others, key=lambda one: _newness(one, length))
    return None


def _newness(one: Listed, length: int) -> tuple[bool, tuple[int, ...], str, int]:
    """How new a model of a family of so many words is; members of its branches come after all."""
    released = str(one.row.released or "")
    return len(one.kin.family) == length, one.kin.version, released, -one.rank


def _filled(row: Row, kin: Row) -> Row:
    """A row, with what only its kin knows."""
    known: dict[str, Any] = {
        gap: getattr(kin, gap) for gap in _known(kin) if getattr(row, gap) is None
    }
    # An answer as long as another's whole window says nothing; what runs here has no such limit.
    if row.local or known.get("output", 0) >= min(row.window, kin.window):
        known.pop("output", None)
    if row.local:
        # Nobody sells what runs here, nor keeps it between requests at a price.
        known.pop("caching", None)
    if not (row.caching or known.get("caching")):
        known.pop("min_prefix", None)
    return msgspec.structs.replace(row, **known)


def _profile(
    row: Row, local: bool, inherited_from: str | None, inherited: tuple[str, ...]
) -> ModelProfile:
    caching = None if row.caching is None else Caching(row.caching, row.min_prefix)
    return ModelProfile(
        model_id=row.id,
        max_context_tokens=row.window,
        max_output_tokens=row.output,
        max_input_tokens=row.input,
        # What isn't known to open references is given none.
        tool_capable=bool(row.tools),
        reasoning_tier="some" if row.reasoning else "none",
        sees_images=bool(row.images),
        caching=None if local else caching,
        locality="local" if local else "cloud",
        prices=None if local else row.prices,
        source=row.source,
        as_of=row.date,
        inherited_from=inherited_from,
        inherited=inherited,
    )


def _unknown(asked: str, name: Name, catalogue: Catalogue) -> str:
    spelled = {one.key: one.row.id for one in reversed(catalogue.listed)}
    near = [spelled[key] for key in get_close_matches(name.key[:200], spelled, 3, 0.5)]
    nearest = f"; the nearest names are {', '.join(near)}" if near else ""
    return (
        f"{asked[:200]}: no such model is known{nearest}. `vox model list` shows all; `vox model "
        "refresh` reads a newer catalogue; the path of a GGUF file is a model too"
    )
