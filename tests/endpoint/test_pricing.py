"""What tokens cost."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from errata_bench.chat import Usage
from errata_bench.endpoint.catalogue import ModelInfo, Price, read_price
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.pricing import (
    KnownPrice,
    PriceBook,
    PriceSource,
    default_cache_dir,
    load_price_book,
    load_pricing_file,
)
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.endpoint.settings import load_settings
from errata_bench.errors import EndpointFault, Reach, UserError
from tests.support.loopback import Answer, Loopback

HOUR = 3600.0
LISTED = (ModelInfo("a/b", price=Price(1e-6, 2e-6)), ModelInfo("a/unknown"))


class Lister:
    """A list of models that can be unreachable, and counts who asks."""

    def __init__(self) -> None:
        self.models: Iterable[ModelInfo] = LISTED
        self.reachable = True
        self.asked = 0

    async def __call__(self) -> Iterable[ModelInfo]:
        self.asked += 1
        if not self.reachable:
            raise EndpointFault("dns", "no network", reach=Reach.RETRY)
        return self.models


async def book_at(hours: float, lister: Lister, folder: Path, **settings: Any) -> PriceBook:
    return await load_price_book(
        load_settings(None, **settings), lister, cache_dir=folder / "cache", clock=lambda: hours * HOUR
    )


def test_a_cost_needs_a_price_and_both_counts() -> None:
    book = PriceBook({"a/b": KnownPrice(Price(1e-6, 2e-6), PriceSource.LIST)})
    assert book.cost("a/b", Usage(1_000_000, 500_000)) == pytest.approx(2.0)
    assert book.cost("a/b", Usage(None, 5)) is None
    assert book.cost("a/b", Usage(5, None)) is None
    assert book.cost("a/c", Usage(5, 5)) is None
    assert PriceBook().cost("a/b", Usage(5, 5)) is None


def test_cached_tokens_and_requests_have_prices_of_their_own() -> None:
    price = Price(1e-6, 2e-6, cached_prompt=1e-7, request=0.5)
    book = PriceBook({"a/b": KnownPrice(price, PriceSource.LIST)})
    assert book.cost("a/b", Usage(1_000_000, 0, None, 400_000)) == pytest.approx(0.5 + 0.6 + 0.04)
    assert book.cost("a/b", Usage(100, 0, None, 4_000)) == pytest.approx(0.5 + 100 * 1e-7)


def test_a_free_model_costs_nothing_and_that_is_known() -> None:
    assert PriceBook({"a/b": KnownPrice(Price(0, 0), PriceSource.LIST)}).cost("a/b", Usage(5, 5)) == 0.0


@pytest.mark.parametrize(
    ("pricing", "price"),
    [
        ({"prompt": "0.000001", "completion": "0.000002"}, Price(1e-6, 2e-6)),
        ({"prompt": "0", "completion": "0"}, Price(0.0, 0.0)),
        ({"prompt": 1e-6, "completion": 2e-6, "request": "0.01"}, Price(1e-6, 2e-6, request=0.01)),
        ({"prompt": "1e-6", "completion": "2e-6", "input_cache_read": "1e-7"}, Price(1e-6, 2e-6, 1e-7)),
        ({"prompt": "-1", "completion": "-1"}, None),
        ({"prompt": "junk", "completion": "0.1"}, None),
        ({"prompt": "nan", "completion": "inf"}, None),
        ({"prompt": None, "completion": True}, None),
        ({"prompt": "0.1"}, None),
        ({}, None),
        (None, None),
        ("0.1", None),
    ],
)
def test_prices_of_the_list(pricing: Any, price: Price | None) -> None:
    assert read_price(pricing) == price


async def test_the_list_is_kept_for_six_hours(tmp_path: Path) -> None:
    lister = Lister()
    for hours in (0, 1, 5.9):
        book = await book_at(hours, lister, tmp_path)
        assert book.find("a/b") == KnownPrice(Price(1e-6, 2e-6), PriceSource.LIST)
    assert lister.asked == 1
    assert book.find("a/unknown") is None
    lister.models = (ModelInfo("a/b", price=Price(3e-6, 4e-6)),)
    renewed = (await book_at(6.1, lister, tmp_path)).find("a/b")
    assert renewed is not None
    assert renewed.price == Price(3e-6, 4e-6)


async def test_the_last_known_prices_are_used_when_the_list_cannot_be_had(tmp_path: Path) -> None:
    lister = Lister()
    await book_at(0, lister, tmp_path)
    lister.reachable = False
    book = await book_at(100, lister, tmp_path)
    assert book.find("a/b") == KnownPrice(Price(1e-6, 2e-6), PriceSource.OLD_LIST)
    assert book.note is not None
    assert "last known" in book.note


async def test_without_any_list_prices_are_unknown_and_that_is_said(tmp_path: Path) -> None:
    lister = Lister()
    lister.reachable = False
    book = await book_at(0, lister, tmp_path)
    assert book.find("a/b") is None
    assert book.note


@pytest.mark.parametrize("content", ["", "{", "[]", '{"fetched_at": "x"}', '{"fetched_at": 9e99, "prices": {}}'])
async def test_a_broken_cache_is_asked_anew(content: str, tmp_path: Path) -> None:
    lister = Lister()
    await book_at(0, lister, tmp_path)
    (cache,) = (tmp_path / "cache").iterdir()
    cache.write_text(content)
    assert (await book_at(1, lister, tmp_path)).find("a/b") is not None
    assert lister.asked == 2


async def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert (await book_at(0, Lister(), tmp_path)).find("a/b") is not None


async def test_the_pricing_file_goes_before_the_list(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text('{"a/b": {"inputUsdPerMillionTokens": 7, "outputUsdPerMillionTokens": 9}}')
    known = (await book_at(0, Lister(), tmp_path, pricing_file=file)).find("a/b")
    assert known is not None
    assert (known.price, known.source) == (Price(7e-6, 9e-6), PriceSource.FILE)


async def test_other_endpoints_are_not_asked_for_prices(tmp_path: Path) -> None:
    lister = Lister()
    book = await book_at(0, lister, tmp_path, api_provider="openai-compatible", api_base_url="http://h/v1")
    assert lister.asked == 0
    assert book.find("a/b") is None


def _written(folder: Path) -> str:
    return "".join(f"{path} {path.read_text()}" for path in folder.iterdir())


async def test_an_endpoint_loads_its_prices_over_the_network(server: Loopback, tmp_path: Path) -> None:
    entry = {"id": "a/b", "pricing": {"prompt": "0.000001", "completion": "0.000002"}}
    server.script(Answer(200, {"data": [entry]}))
    async with Endpoint(load_settings(None, api_base_url=f"{server.url}/v1?key=planted")) as endpoint:
        book = await endpoint.load_prices(tmp_path)
    assert book is endpoint.prices
    assert book.cost("a/b", Usage(1_000_000, 0)) == pytest.approx(1.0)
    assert "planted" not in _written(tmp_path)


async def test_an_endpoint_without_a_list_has_no_prices(server: Loopback, tmp_path: Path) -> None:
    server.default = Answer(404)
    settings = load_settings(None, api_base_url=f"{server.url}/v1")
    async with Endpoint(settings, retry=RetryPolicy(max_retries=0)) as endpoint:
        assert (await endpoint.load_prices(tmp_path)).note


def test_a_pricing_file_holds_prices_per_million_or_per_token(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    entries = {
        "a/b": {"inputUsdPerMillionTokens": 1, "outputUsdPerMillionTokens": 2.5},
        "c/d:free": {"inputUsdPerToken": 0, "outputUsdPerToken": 1e-6},
    }
    file.write_text(json.dumps(entries))
    assert load_pricing_file(file) == {"a/b": Price(1e-6, 2.5e-6), "c/d:free": Price(0.0, 1e-6)}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", ["no JSON"]),
        ("[]", ["the file"]),
        ('{"a/b": 1}', ["a/b"]),
        ('{"a/b": {"inputUsdPerToken": 1}, "c/d": {"inputUsdPerToken": "x", "outputUsdPerToken": 1}}', ["a/b", "c/d"]),
        ('{"a/b": {"inputUsdPerToken": -1, "outputUsdPerToken": 1}}', ["a/b", "inputUsdPerToken"]),
        ('{"a/b": {"inputUsdPerToken": NaN, "outputUsdPerToken": 1}}', ["a/b", "inputUsdPerToken"]),
        ('{"a/b": {"inputUsdPerToken": 1, "outputUsdPerMillionTokens": 1}}', ["a/b"]),
        ('{"a/b": {"inputUsdPerTokn": 1, "outputUsdPerToken": 1}}', ["a/b", "inputUsdPerTokn", "unknown field"]),
        ("[" * 100_000, ["no JSON"]),
    ],
)
def test_a_broken_pricing_file_is_told_with_file_and_entry(content: str, says: list[str], tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(content)
    with pytest.raises(UserError) as caught:
        load_pricing_file(file)
    for text in [str(file), *says]:
        assert text in caught.value.message
    assert caught.value.mend


def test_a_missing_pricing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_pricing_file(tmp_path / "none.json")


def test_the_cache_stands_where_caches_stand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / "errata-bench"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert default_cache_dir() == Path("~/.cache/errata-bench").expanduser()
