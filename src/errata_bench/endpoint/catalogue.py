"""Reads the list of models of an endpoint (``GET {base}/models``). Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata_bench.endpoint.bodies import BodyKind, read_body
from errata_bench.endpoint.errors_sent import has_error, read_error
from errata_bench.endpoint.faults import Surroundings, fault_of
from errata_bench.errors import EndpointFault, Reach


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in USD: a token in, a token out, a cached token in, and a request on top."""

    prompt: float
    completion: float
    cached_prompt: float | None = None
    request: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model as its endpoint lists it; None is what the list does not say.

    ``context_tokens`` is what prompt and reply may have together.
    """

    id: str
    name: str | None = None
    context_tokens: int | None = None
    price: Price | None = None
    takes_tools: bool | None = None


def read_models(status: int, headers: Mapping[str, str], raw: bytes, around: Surroundings) -> tuple[ModelInfo, ...]:
    """Read a list of models, in its own order; raises `EndpointFault` where there is none."""
    body = read_body(raw)
    if not 200 <= status < 300 or has_error(body.payload):
        raise fault_of(status, read_error(body), headers, around)
    listed = body.payload.get("data", body.payload.get("models"))
    if body.kind is not BodyKind.OBJECT or not isinstance(listed, list):
        raise EndpointFault("no_model_list", f"no list of models at {around.url}", reach=Reach.RUN, status=status)
    models = [_read_model(entry) for entry in listed if isinstance(entry, dict)]
    return tuple(model for model in models if model is not None)


def read_price(pricing: object) -> Price | None:
    """Read OpenRouter's ``pricing``: USD a token, as texts. Negative amounts and junk mean that it is unknown."""
    if not isinstance(pricing, dict):
        return None
    prompt, completion = _amount(pricing.get("prompt")), _amount(pricing.get("completion"))
    request = _amount(pricing.get("request", 0))
    if prompt is None or completion is None or request is None:
        return None
    return Price(prompt, completion, _amount(pricing.get("input_cache_read")), request)


def _read_model(entry: Mapping[str, Any]) -> ModelInfo | None:
    model_id = entry.get("id") or entry.get("name")
    if not isinstance(model_id, str) or not model_id:
        return None
    name = entry.get("name")
    context = entry.get("context_length") or entry.get("max_model_len")
    parameters = entry.get("supported_parameters")
    return ModelInfo(
        model_id,
        name if isinstance(name, str) else None,
        context if isinstance(context, int) and context > 0 else None,
        read_price(entry.get("pricing")),
        "tools" in parameters if isinstance(parameters, list) else None,
    )


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        amount = float(value)
    except (ValueError, OverflowError):
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None
