"""What an image costs: its provider's formula, from the size that its header states.

Formulas and their sources stand in `contracts/framing.toml`.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from io import BytesIO
from math import ceil, floor, sqrt

import imagesize

from vox.errors import InvalidArgumentError
from vox.tokens.kinds import Kind
from vox.tokens.request.framing import ImageFormula, image_formula_of
from vox.tokens.request.shapes import Detail, Image

LARGEST_SIDE = 8000
"""Pixels of the longest side where neither the image nor its formula says: providers take no
more (Anthropic, Images and vision)."""


@dataclass(frozen=True, slots=True)
class ImageCost:
    """What an image costs, and what that number is worth."""

    tokens: int
    kind: Kind
    says: str


def image_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels that the header of an image states; base64 and `data:` URLs are
    read as well.

    Raises `InvalidArgumentError` for what isn't an image of a known format.
    """
    size: tuple[int, int] = imagesize.get(BytesIO(_decoded(data)))
    width, height = size
    if width < 1 or height < 1:
        raise InvalidArgumentError(
            "the image's header states no size; give its width and height in pixels"
        )
    return width, height


def _decoded(data: bytes) -> bytes:
    if data[:5] == b"data:":
        data = data.partition(b",")[2]
    try:
        # A header of an image always has bytes that base64 doesn't.
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return data


def image_cost(image: Image, model: str) -> ImageCost:
    """What `image` costs a model. Where its size isn't known, the most that any costs."""
    formula = image_formula_of(model)
    fixed = formula.detail.get(image.detail)
    if fixed is not None or formula.formula == "fixed":
        tokens = formula.base if fixed is None else fixed
        return ImageCost(tokens, formula.kind, f"an image, by {formula.source}")
    if image.width is not None and image.height is not None:
        size = (image.width, image.height)
        if min(size) < 1:
            raise InvalidArgumentError("an image is at least one pixel wide and high")
    elif image.data is not None:
        size = image_size(image.data)
    else:
        return _largest(formula, image.detail)
    tokens = _tokens(formula, size, image.detail)
    return ImageCost(tokens, formula.kind, f"{size[0]} × {size[1]} pixels, by {formula.source}")


def _largest(formula: ImageFormula, detail: Detail) -> ImageCost:
    """The most that an image costs: formulas grow with either side, up to their limits."""
    side = LARGEST_SIDE
    # A square that is scaled down can cost less than an oblong one.
    sizes = [(side, side), *((side, side * part // 16) for part in range(1, 16))]
    tokens = max(_tokens(formula, size, detail) for size in sizes)
    if formula.most is not None:
        tokens = max(tokens, formula.base + ceil(formula.most * formula.factor))
    return ImageCost(
        tokens, formula.kind, f"of a size that isn't known: the most by {formula.source}"
    )


def _tokens(formula: ImageFormula, size: tuple[int, int], detail: Detail) -> int:
    match formula.formula:
        case "tiles":
            return _tiles(formula, size, detail)
        case "crops":
            return _crops(formula, size)
        case "pixels":
            width, height = _within(size, formula.longest)
            most = formula.most
            tokens = ceil(width * height / 750)
            return tokens if most is None else min(tokens, most)
        case "patches":
            return _patches(formula, size)
        case "grid":
            return _grid(formula, size)
        case "fixed":
            return formula.base


def _within(size: tuple[float, float], longest: int | None) -> tuple[float, float]:
    """The size after scaling down, so that no side is longer than `longest`."""
    if longest is None or max(size) <= longest:
        return size
    scale = longest / max(size)
    return size[0] * scale, size[1] * scale


def _tiles(formula: ImageFormula, size: tuple[int, int], detail: Detail) -> int:
    if detail == "low":
        return formula.base
    width, height = _within(size, formula.longest)
    if formula.shortest is not None and min(width, height) > formula.shortest:
        scale = formula.shortest / min(width, height)
        width, height = width * scale, height * scale
    return formula.base + formula.tile * _cells(width, 512) * _cells(height, 512)


def _crops(formula: ImageFormula, size: tuple[int, int]) -> int:
    if max(size) <= 384:
        return formula.base
    side = min(768, max(256, floor(min(size) / 1.5)))
    return formula.base * _cells(size[0], side) * _cells(size[1], side)


def _patches(formula: ImageFormula, size: tuple[int, int]) -> int:
    width, height = size
    patch, most = formula.patch, formula.most
    patches = _cells(width, patch) * _cells(height, patch)
    if most is not None and patches > most:
        scale = sqrt(most * patch**2 / (width * height))
        across, down = width * scale / patch, height * scale / patch
        if min(across, down) >= 1:
            scale *= min(floor(across) / across, floor(down) / down)
        patches = min(most, _cells(width * scale, patch) * _cells(height * scale, patch))
    return ceil(patches * formula.factor)


def _grid(formula: ImageFormula, size: tuple[int, int]) -> int:
    width, height = _within(size, formula.longest)
    patches = max(formula.least, _cells(width, formula.patch) * _cells(height, formula.patch))
    return formula.base + (patches if formula.most is None else min(patches, formula.most))


def _cells(length: float, side: int) -> int:
    # Scaling leaves fractions of a pixel that no image has.
    return max(1, ceil(round(length, 6) / side))
