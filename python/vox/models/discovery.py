"""Catalogues from the network: the one place of vox that opens a connection, and only when a user
asks for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from vox.errors import InvalidArgumentError, IoError, NotFoundError, TooLargeError

if TYPE_CHECKING:
    import httpx

LARGEST = 64 << 20
"""Bytes of a catalogue at most: 30 times what the largest takes in 2026. Judgement."""
SECONDS = 30.0
"""How long each step may take, and …"""
ALL_SECONDS = 120.0
"""… all of them together. Judgement, both."""
REDIRECTS = 5
"""How often an address may point to another. Judgement."""


def fetch(url: str, *, transport: httpx.BaseTransport | None = None) -> bytes:
    """What stands at an `https` address. Nothing is sent but the request; no redirect leads to
    another scheme.

    Raises `InvalidArgumentError` for an address that is none of `https`, `NotFoundError`,
    `TooLargeError` beyond `LARGEST`, and `IoError` for whatever else keeps it from coming.
    """
    # Here, not above: only who refreshes waits for it.
    import httpx

    deadline = time.monotonic() + ALL_SECONDS
    try:
        address = _secure(httpx.URL(url))
    except (httpx.InvalidURL, UnicodeError) as error:
        raise InvalidArgumentError(f"{url[:200]}: no address: {error}") from error
    try:
        with httpx.Client(transport=transport, timeout=SECONDS) as client:
            for _ in range(REDIRECTS + 1):
                with client.stream("GET", address) as answer:
                    if answer.next_request is None:
                        return _body(answer, deadline)
                    address = _secure(answer.next_request.url)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise IoError(f"{_shown(address)}: {error or type(error).__name__}") from error
    raise IoError(f"{_shown(address)}: more than {REDIRECTS} redirects")


def _body(answer: httpx.Response, deadline: float) -> bytes:
    where = _shown(answer.url)
    if answer.status_code == 404:
        raise NotFoundError(f"{where}: nothing is there (404)")
    if answer.status_code != 200:
        raise IoError(f"{where}: the answer is {answer.status_code} {answer.reason_phrase}")
    body = bytearray()
    for piece in answer.iter_bytes():
        body += piece
        if len(body) > LARGEST:
            raise TooLargeError(
                f"{where}: more than {LARGEST >> 20} MiB; no catalogue is that long"
            )
        if time.monotonic() > deadline:
            raise IoError(f"{where}: not all of it came within {ALL_SECONDS:.0f} seconds")
    return bytes(body)


def _secure(url: httpx.URL) -> httpx.URL:
    if url.scheme != "https" or not url.host:
        raise InvalidArgumentError(f"{_shown(url)}: only addresses of https:// are read")
    return url


def _shown(url: httpx.URL) -> str:
    """An address without what may be secret of it."""
    return str(url.copy_with(userinfo=b"", query=None, fragment=None))[:200]
