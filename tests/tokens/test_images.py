"""What an image costs: formulas on sizes that others have published the cost of."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vox.errors import InvalidArgumentError
from vox.tokens.request import Image, image_cost, image_size
from vox.tokens.request.images import LARGEST_SIDE
from vox.tokens.request.shapes import Detail

MODELS = [
    "gpt-4o",
    "gpt-4o-mini",
    "gpt-4.1-mini",
    "gpt-5",
    "gpt-5.6",
    "o3",
    "claude-3-opus-20240229",
    "claude-sonnet-4-5",
    "claude-opus-5",
    "gemini-2.5-pro",
    "gemini-3-pro",
    "qwen2.5-vl-7b",
    "Qwen/Qwen3-VL-8B-Instruct",
    "gemma-3-4b-it",
    "pixtral-12b",
    "somebody/unheard-of",
]


def png(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    )


def jpeg(width: int, height: int, *, before: int) -> bytes:
    """A JPEG file up to its frame header, behind `before` bytes of a colour profile."""
    profile = b"".join(
        b"\xff\xe2" + struct.pack(">H", 2 + size) + bytes(size)
        for size in [60_000] * (before // 60_000)
    )
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + profile + frame + b"\xff\xda" + bytes(64)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00\x00\x00\x3b"


def webp(width: int, height: int) -> bytes:
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunk = b"VP8X" + struct.pack("<I", 10) + b"\x00" * 4 + size
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


@pytest.mark.parametrize(
    "data",
    [
        png(1234, 777),
        jpeg(1234, 777, before=0),
        jpeg(1234, 777, before=3_000_000),
        gif(1234, 777),
        webp(1234, 777),
    ],
    ids=["png", "jpeg", "jpeg-with-profile", "gif", "webp"],
)
def test_the_size_is_that_of_the_header(data: bytes) -> None:
    assert image_size(data) == (1234, 777)
    assert image_size(base64.b64encode(data)) == (1234, 777)
    assert image_size(b"data:image/png;base64," + base64.b64encode(data)) == (1234, 777)


@pytest.mark.parametrize(
    "data", [b"", b"not an image", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8"]
)
def test_what_states_no_size_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidArgumentError, match="width and height"):
        image_size(data)


@given(st.binary(max_size=400))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        width, height = image_size(data)
    except InvalidArgumentError:
        return
    assert width > 0
    assert height > 0


# Numbers of the providers' own pages, and of measurements named in the table.
@pytest.mark.parametrize(
    ("model", "width", "height", "detail", "tokens"),
    [
        ("gpt-4o", 1024, 1024, "high", 765),
        ("gpt-4o", 2048, 4096, "high", 1105),
        ("gpt-4o", 4096, 8192, "low", 85),
        ("gpt-4o", 100, 100, "auto", 255),
        ("gpt-5", 1024, 1024, "high", 630),
        ("o3", 1024, 1024, "high", 675),
        ("gpt-4o-mini", 1024, 1024, "high", 25501),
        ("gpt-4.1-mini", 1024, 1024, "auto", 1659),  # 1024 × 1.62
        ("gpt-4.1-mini", 1800, 2400, "auto", 2353),  # 1452 × 1.62
        ("o4-mini", 1024, 1024, "auto", 1762),
        ("claude-3-haiku-20240307", 200, 200, "auto", 54),
        ("claude-3-5-sonnet-20241022", 1000, 1000, "auto", 1334),
        ("claude-3-opus-20240229", 8000, 8000, "auto", 1600),
        ("claude-haiku-4-5", 1024, 1024, "auto", 1369 + 4),
        ("claude-haiku-4-5", 3840, 2160, "auto", 1568 + 4),
        ("claude-opus-4-8", 1920, 1080, "auto", 2691 + 4),
        ("claude-sonnet-5-5", 256, 256, "auto", 100 + 4),
        ("gemini-2.0-flash", 384, 384, "auto", 258),
        ("gemini-2.5-pro", 960, 540, "auto", 6 * 258),
        ("gemini-2.5-pro", 1920, 1080, "auto", 6 * 258),
        ("gemini-3-pro-preview", 4000, 3000, "auto", 1120),
        ("gemini-3-pro-preview", 4000, 3000, "low", 280),
        ("qwen2.5-vl-7b-instruct", 1120, 560, "auto", 40 * 20 + 2),
        ("qwen3-vl-8b", 320, 320, "auto", 100 + 2),
    ],
)
def test_an_image_costs_what_its_provider_says(
    model: str, width: int, height: int, detail: Detail, tokens: int
) -> None:
    cost = image_cost(Image(width=width, height=height, detail=detail), model)
    assert cost.tokens == tokens
    assert cost.kind == "bound"
    assert cost.says != ""


def test_bytes_and_sizes_cost_the_same_and_base64_is_no_text() -> None:
    data = png(1000, 800) + bytes(5_000_000)
    by_bytes = image_cost(Image(base64.b64encode(data)), "claude-opus-4-8")
    assert by_bytes == image_cost(Image(width=1000, height=800), "claude-opus-4-8")
    assert by_bytes.tokens < 1200


def test_a_model_without_a_formula_is_only_assumed_for() -> None:
    assert image_cost(Image(width=280, height=280), "somebody/unheard-of").kind == "assumed"


@given(
    model=st.sampled_from(MODELS),
    width=st.integers(1, LARGEST_SIDE),
    height=st.integers(1, LARGEST_SIDE),
    detail=st.sampled_from(["auto", "low", "high"]),
)
def test_an_image_of_unknown_size_costs_no_less_than_any(
    model: str, width: int, height: int, detail: Detail
) -> None:
    unknown = image_cost(Image(detail=detail), model)
    known = image_cost(Image(width=width, height=height, detail=detail), model)
    assert known.tokens <= unknown.tokens


def test_an_image_without_pixels_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at least one pixel"):
        image_cost(Image(width=0, height=10), "gpt-4o")
