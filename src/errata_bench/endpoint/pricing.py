"""What tokens cost: the endpoint's price list, the user's pricing file, and a cache of the list.

What nobody knows is None, never 0. The cost that a reply reports itself goes before all of this.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from errata_bench.chat import Usage
from errata_bench.endpoint.catalogue import ModelInfo, Price
from errata_bench.endpoint.settings import Provider, Settings
from errata_bench.errors import EndpointFault, UserError

CACHE_SECONDS = 6 * 3600.0
"""How long a price list is taken from the cache without asking again."""

_MILLION = 1_000_000

_log = logging.getLogger(__name__)


class PriceSource(StrEnum):
    """Where a price is from."""

    FILE = "pricing file"
    LIST = "price list"
    OLD_LIST = "last known price list"


@dataclass(frozen=True, slots=True)
class KnownPrice:
    """A price and where it is from."""

    price: Price
    source: PriceSource


class PriceBook:
    """Prices by model id. ``note`` tells a person what is not as it should be, if anything.

    ``fetched_at`` is when the price list was asked for, in seconds since 1970; None where there is none.
    """

    def __init__(
        self,
        prices: Mapping[str, KnownPrice] | None = None,
        *,
        note: str | None = None,
        fetched_at: float | None = None,
    ) -> None:
        self._prices = dict(prices or {})
        self.note = note
        self.fetched_at = fetched_at

    def find(self, model: str) -> KnownPrice | None:
        """Return the price of a model, or None where nobody knows it."""
        return self._prices.get(model)

    def cost(self, model: str, usage: Usage) -> float | None:
        """Return the cost in USD of these tokens, or None where a price or a count is not known."""
        known = self.find(model)
        if known is None or usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        price = known.price
        cached = min(usage.cached_prompt_tokens or 0, usage.prompt_tokens) if price.cached_prompt is not None else 0
        fresh = usage.prompt_tokens - cached
        return (
            price.request
            + fresh * price.prompt
            + cached * (price.cached_prompt or 0.0)
            + usage.completion_tokens * price.completion
        )


async def load_price_book(
    settings: Settings,
    list_models: Callable[[], Awaitable[Iterable[ModelInfo]]],
    *,
    cache_dir: Path | None = None,
    clock: Callable[[], float] = time.time,
    afresh: bool = False,
) -> PriceBook:
    """Gather the prices for an endpoint.

    OpenRouter's list is asked for unless the cache holds one of the last 6 hours, or in any case ``afresh``; if it
    cannot be had, the last known one is used and ``note`` says so. The pricing file goes before the list. Raises
    `UserError` for a broken file.
    """
    own = load_pricing_file(settings.pricing_file) if settings.pricing_file is not None else {}
    if settings.api_provider is not Provider.OPENROUTER:
        return PriceBook(_known(own, PriceSource.FILE))
    path = _cache_path(cache_dir if cache_dir is not None else default_cache_dir(), settings.models_url)
    cached = _read_cache(path)
    note: str | None = None
    source = PriceSource.LIST
    fetched_at = cached.fetched_at if cached is not None else None
    if cached is not None and not afresh and 0 <= clock() - cached.fetched_at < CACHE_SECONDS:
        prices: Mapping[str, Price] = cached.prices
    else:
        try:
            models = await list_models()
            prices = {model.id: model.price for model in models if model.price is not None}
            fetched_at = clock()
            _write_cache(path, prices, fetched_at)
        except EndpointFault as fault:
            prices = cached.prices if cached is not None else {}
            source = PriceSource.OLD_LIST
            what = (
                "the last known prices are used" if cached is not None else "costs are known only as far as replies say"
            )
            note = f"No price list could be had ({fault}); {what}"
            _log.info("%s", note)
    known = {**_known(prices, source), **_known(own, PriceSource.FILE)}
    return PriceBook(known, note=note, fetched_at=fetched_at)


def kept_price_book(settings: Settings, *, cache_dir: Path | None = None) -> PriceBook:
    """Return the prices that are known without asking anybody: the pricing file's, and the last list that was kept.

    Raises `UserError` for a broken file.
    """
    own = load_pricing_file(settings.pricing_file) if settings.pricing_file is not None else {}
    cached = None
    if settings.api_provider is Provider.OPENROUTER:
        folder = cache_dir if cache_dir is not None else default_cache_dir()
        cached = _read_cache(_cache_path(folder, settings.models_url))
    listed = _known(cached.prices, PriceSource.LIST) if cached is not None else {}
    fetched_at = cached.fetched_at if cached is not None else None
    return PriceBook({**listed, **_known(own, PriceSource.FILE)}, fetched_at=fetched_at)


def default_cache_dir() -> Path:
    """Return the folder for cached price lists: ``$XDG_CACHE_HOME/errata-bench`` or ``~/.cache/errata-bench``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base and Path(base).is_absolute() else Path("~/.cache").expanduser()) / "errata-bench"


class _Entry(BaseModel):
    """An entry of a pricing file: both prices per million tokens, or both per token."""

    model_config = ConfigDict(extra="forbid")

    input_per_million: float | None = Field(None, alias="inputUsdPerMillionTokens", ge=0, allow_inf_nan=False)
    output_per_million: float | None = Field(None, alias="outputUsdPerMillionTokens", ge=0, allow_inf_nan=False)
    input_per_token: float | None = Field(None, alias="inputUsdPerToken", ge=0, allow_inf_nan=False)
    output_per_token: float | None = Field(None, alias="outputUsdPerToken", ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _one_pair(self) -> _Entry:
        million = (self.input_per_million is not None, self.output_per_million is not None)
        token = (self.input_per_token is not None, self.output_per_token is not None)
        if (million, token) not in (((True, True), (False, False)), ((False, False), (True, True))):
            raise ValueError(
                "needs inputUsdPerMillionTokens and outputUsdPerMillionTokens,"
                " or inputUsdPerToken and outputUsdPerToken"
            )
        return self

    def price(self) -> Price:
        if self.input_per_million is not None and self.output_per_million is not None:
            return Price(self.input_per_million / _MILLION, self.output_per_million / _MILLION)
        return Price(self.input_per_token or 0.0, self.output_per_token or 0.0)


_ENTRIES = TypeAdapter(dict[str, _Entry])


def load_pricing_file(path: Path) -> dict[str, Price]:
    """Read a pricing file: ``{"org/model": {"inputUsdPerMillionTokens": …, "outputUsdPerMillionTokens": …}}``.

    Raises `UserError` that names the file and every faulty entry.
    """
    mend = "the form stands in .env.example at ERRATA_BENCH_PRICING_FILE"
    try:
        entries = _ENTRIES.validate_python(json.loads(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise UserError(f"pricing file {path} cannot be read: {error.strerror}", mend=mend) from error
    except ValidationError as error:
        lines = [f"  {_place(fault['loc'])}: {_reason(fault)}" for fault in error.errors(include_url=False)]
        raise UserError(f"pricing file {path}:\n" + "\n".join(lines), mend=mend) from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"pricing file {path} is no JSON: {error}", mend=mend) from error
    return {model: entry.price() for model, entry in entries.items()}


def _place(location: tuple[int | str, ...]) -> str:
    return ", ".join(str(step) for step in location) or "the file"


def _reason(fault: Mapping[str, Any]) -> str:
    if fault["type"] == "extra_forbidden":
        return "unknown field"
    return str(fault["msg"]).removeprefix("Value error, ")


def _known(prices: Mapping[str, Price], source: PriceSource) -> dict[str, KnownPrice]:
    return {model: KnownPrice(price, source) for model, price in prices.items()}


class _Cache(BaseModel):
    fetched_at: float
    prices: dict[str, Price]


def _cache_path(folder: Path, url: str) -> Path:
    # A hash: the URL may hold a secret, and is no file name.
    return folder / f"prices-{hashlib.sha256(url.encode()).hexdigest()[:16]}.json"


def _read_cache(path: Path) -> _Cache | None:
    try:
        return _Cache.model_validate_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def _write_cache(path: Path, prices: Mapping[str, Price], now: float) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(_Cache(fetched_at=now, prices=dict(prices)).model_dump_json(), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        # Prices are known all the same; the next start asks again.
        _log.warning("the price list could not be kept in %s: %s", path.parent, error.strerror)
