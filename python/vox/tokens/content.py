"""What kind of content a text is, as far as its bytes tell."""

from __future__ import annotations

from vox._native import census
from vox.tokens.items import Item


def content_class(item: Item) -> str:
    """What a text mostly is: `prose`, `code`, `json` and so on, as `contracts/token-ratios.yaml`
    lists them."""
    return census(item)[0]
