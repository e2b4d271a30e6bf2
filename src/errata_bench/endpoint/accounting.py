"""Reads what a reply says of tokens and cost (QUIRKS Q52, Q53). What it does not say is None, never 0."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from errata_bench.chat import Usage


def read_usage(payload: Mapping[str, Any], *, answered: bool = False) -> Usage:
    """Read the token counts of a reply or an error body.

    Servers that do not count send zeros. A prompt always has tokens, and so has an answer: ``answered`` says that
    there was one, and then a zero means that nobody counted.
    """
    usage = payload.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    prompt = _first_count(usage, "prompt_tokens", "input_tokens") or None
    completion = _first_count(usage, "completion_tokens", "output_tokens")
    if completion == 0 and (answered or prompt is None):
        completion = None
    details = _mapping(usage, "completion_tokens_details", "output_tokens_details")
    prompt_details = _mapping(usage, "prompt_tokens_details", "input_tokens_details")
    cached = _first_count(prompt_details, "cached_tokens")
    if cached is None:
        cached = _first_count(usage, "prompt_cache_hit_tokens", "cached_tokens")
    reasoning = _first_count(details, "reasoning_tokens")
    if reasoning is None:
        reasoning = _first_count(usage, "reasoning_tokens")
    return Usage(prompt, completion, reasoning, cached)


def read_cost(payload: Mapping[str, Any]) -> float | None:
    """Read the cost in USD that a reply reports itself, or None.

    With the user's own key at the provider (``is_byok``) the provider's bill comes on top of the endpoint's fee; a
    fee of 0 beside an unknown bill is no cost of 0.
    """
    usage = payload.get("usage")
    if not isinstance(usage, dict):
        return None
    cost = _amount(usage.get("cost"))
    if usage.get("is_byok") is not True:
        return cost
    upstream = _amount(_mapping(usage, "cost_details").get("upstream_inference_cost"))
    if upstream is None:
        return cost or None
    return (cost or 0.0) + upstream


def _mapping(fields: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, dict):
            return value
    return {}


def _first_count(fields: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        amount = _amount(fields.get(name))
        if amount is not None and amount == int(amount):
            return int(amount)
    return None


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None
