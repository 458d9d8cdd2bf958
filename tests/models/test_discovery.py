"""What is asked of the network, without one."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from vox.errors import InvalidArgumentError, IoError, NotFoundError, TooLargeError
from vox.models import discovery
from vox.models.discovery import fetch

URL = "https://catalogue.test/models"


def served(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.MockTransport:
    return httpx.MockTransport(answer)


def test_what_stands_at_an_address_is_given() -> None:
    assert fetch(URL, transport=served(lambda _: httpx.Response(200, content=b"{}"))) == b"{}"


def test_a_redirect_is_followed_but_never_to_another_scheme() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/models":
            return httpx.Response(301, headers={"location": "/newer"})
        if request.url.path == "/newer":
            return httpx.Response(200, content=b"newer")
        return httpx.Response(302, headers={"location": "http://catalogue.test/models"})

    assert fetch(URL, transport=served(answer)) == b"newer"
    with pytest.raises(InvalidArgumentError, match=r"http://catalogue\.test/models: only"):
        fetch("https://catalogue.test/down", transport=served(answer))


def test_redirects_without_end_end() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        return httpx.Response(302, headers={"location": f"/{len(asked)}"})

    with pytest.raises(IoError, match="more than 5 redirects"):
        fetch(URL, transport=served(answer))
    assert len(asked) == 6


@pytest.mark.parametrize("url", ["http://a.test/x", "file:///etc/passwd", "ftp://a", "https://"])
def test_only_https_is_asked(url: str) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise AssertionError("asked")

    with pytest.raises(InvalidArgumentError, match="only addresses of https"):
        fetch(url, transport=served(answer))


def test_what_is_no_address_is_refused() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise AssertionError("asked")

    for url in ("https://a\x00b", "https://a:port/", "https://\udc80"):
        with pytest.raises(InvalidArgumentError, match="no address"):
            fetch(url, transport=served(answer))


def test_refusals_are_errors_that_keep_secrets() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/none":
            return httpx.Response(404)
        if request.url.path == "/broken":
            raise httpx.ConnectError("no route")
        return httpx.Response(503)

    secret = "https://me:hunter2@catalogue.test"
    for path, error in (("none", NotFoundError), ("broken", IoError), ("busy", IoError)):
        with pytest.raises(error) as raised:
            fetch(f"{secret}/{path}?key=hunter2", transport=served(answer))
        assert f"https://catalogue.test/{path}: " in str(raised.value)
        assert "hunter2" not in str(raised.value)


def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "LARGEST", 1 << 20)
    whole = httpx.Response(200, content=b"x" * ((1 << 20) + 1))
    with pytest.raises(TooLargeError, match="more than 1 MiB"):
        fetch(URL, transport=served(lambda _: whole))
