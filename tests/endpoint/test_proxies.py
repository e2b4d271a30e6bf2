"""Which requests go through a proxy (QUIRKS Q84)."""

from __future__ import annotations

import pytest

from errata_bench.endpoint.proxies import find_proxy
from errata_bench.errors import SettingsError

PROXY = "http://proxy.test:3128"


@pytest.fixture(autouse=True)
def proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", PROXY)
    monkeypatch.setenv("HTTP_PROXY", PROXY)


@pytest.mark.parametrize("url", ["http://api.test/v1", "https://api.test:8443/v1", "https://10.1.2.3/v1"])
def test_the_environment_names_the_proxy(url: str) -> None:
    assert find_proxy(url) == PROXY


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:1/v1",
        "http://127.0.0.1/v1",
        "http://127.9.9.9/v1",
        "http://[::1]:80/v1",
        "http://x.localhost/v1",
    ],
)
def test_loopback_is_direct(url: str) -> None:
    assert find_proxy(url) is None


@pytest.mark.parametrize(
    ("entries", "url", "direct"),
    [
        ("api.test", "https://api.test/v1", True),
        ("other.test, api.test", "https://api.test/v1", True),
        (".test", "https://api.test/v1", True),
        ("test", "https://api.test/v1", True),
        ("*.test", "https://api.test/v1", True),
        ("api.test:8443", "https://api.test:8443/v1", True),
        ("api.test:8443", "https://api.test:9/v1", False),
        ("*", "https://api.test/v1", True),
        ("API.Test", "https://api.test/v1", True),
        ("10.0.0.0/8", "https://10.1.2.3/v1", True),
        ("10.0.0.0/8", "https://11.1.2.3/v1", False),
        ("10.0.0.0/8", "https://api.test/v1", False),
        ("pi.test", "https://api.test/v1", False),
        (" , ", "https://api.test/v1", False),
    ],
)
def test_no_proxy_is_honoured(entries: str, url: str, direct: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", entries)
    assert (find_proxy(url) is None) == direct


def test_all_proxy_counts_where_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("https_proxy")
    assert find_proxy("https://api.test/v1") is None
    monkeypatch.setenv("ALL_PROXY", "proxy.test:1")
    assert find_proxy("https://api.test/v1") == "http://proxy.test:1"


def test_a_proxy_of_another_kind_is_refused_with_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5h://planted:planted@proxy.test:1080")
    with pytest.raises(SettingsError, match="socks5h") as caught:
        find_proxy("https://api.test/v1")
    assert "NO_PROXY" in str(caught.value.mend)
    assert "planted" not in caught.value.message
