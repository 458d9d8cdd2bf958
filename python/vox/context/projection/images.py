"""Images: what they cost a model, by their size."""

from __future__ import annotations

import numpy as np

from vox.context.projection.material import Bools, Counted, Outline, Texts
from vox.errors import InvalidArgumentError
from vox.models import ModelProfile
from vox.tokens.request.images import image_cost
from vox.tokens.request.shapes import Image

PREFIX = "image/"
"""What names of images begin with: their media types."""


def is_image(outline: Outline) -> Bools:
    """The items whose names are media types of images."""
    named = np.array([name.startswith(PREFIX) for name in outline.name_texts], dtype=bool)
    images: Bools = named[outline.names]
    return images


def with_images(
    outline: Outline, counted: Counted, texts: Texts, profile: ModelProfile, most: int
) -> Counted:
    """The counts with those of images: by the size that their headers state for the `most` newest,
    the most that any costs for the others. They are left as they are for a model that takes
    none."""
    rows = np.flatnonzero(counted.no_text & is_image(outline))
    if not rows.size or not profile.sees_images:
        return counted
    tokens = counted.tokens.astype(np.int64)
    tokens[rows] = image_cost(Image(), profile.model_id).tokens
    newest = rows[-most:] if most > 0 else rows[:0]
    contents = texts(outline.items[newest].tolist()) if newest.size else []
    for row, content in zip(newest.tolist(), contents, strict=True):
        if content:
            try:
                tokens[row] = image_cost(Image(content), profile.model_id).tokens
            except InvalidArgumentError:
                continue  # no header that is known: the most that any costs
    limit = np.iinfo(np.uint32).max
    return Counted(np.minimum(tokens, limit).astype(np.uint32), counted.kind, counted.no_text)
