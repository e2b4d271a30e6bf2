"""Which judge decides on fixes that differ from the expected ones, if any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from errata_bench.endpoint.settings import OPENROUTER_URL, Provider, Settings
from errata_bench.errors import SettingsError
from errata_bench.variants import Variant, parse_variant

DEFAULT_JUDGE = "anthropic/claude-opus-4.6:low"
"""The judge on OpenRouter where nobody names another."""

NO_JUDGE_SET = (
    "No judge is set for this endpoint: fixes that differ from the expected text stay unjudged and count as bad ones. "
    "Name a judge with --judge-model or ERRATA_BENCH_DEFAULT_JUDGE_MODEL."
)


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """The judge, or None; and what has to be said about the choice before anything starts."""

    variant: Variant | None = None
    remark: str | None = None


def choose_judge(
    named: str | None, settings: Settings, variants: Iterable[Variant], *, none: bool = False
) -> JudgeChoice:
    """The judge for runs of these variants.

    The one that is named; else, where a language model runs, the one of the settings, or on OpenRouter the default
    one. ``none`` switches judging off. Raises `SettingsError` for a judge that cannot be asked, and `UserError` for a
    name that is none.
    """
    if none:
        if named is not None:
            raise SettingsError("--judge-model and --no-judge exclude each other", mend="choose one of them")
        return JudgeChoice()
    if named is not None:
        return JudgeChoice(named_judge(named, settings))
    if all(variant.is_baseline for variant in variants):
        return JudgeChoice()
    default = default_judge(settings)
    return JudgeChoice(remark=NO_JUDGE_SET) if default is None else JudgeChoice(default)


def default_judge(settings: Settings) -> Variant | None:
    """The judge where nobody names one; None where these settings have none. Raises `SettingsError` likewise."""
    if settings.default_judge_model is not None:
        return named_judge(settings.default_judge_model, settings)
    on_openrouter = settings.api_provider is Provider.OPENROUTER and settings.base_url == OPENROUTER_URL
    # Another server may not have that model, and its texts may not be meant to go anywhere else.
    return parse_variant(DEFAULT_JUDGE) if on_openrouter and settings.can_call else None


def named_judge(name: str, settings: Settings) -> Variant:
    """The judge of that name. Raises `SettingsError` where it cannot be asked, `UserError` where it is no name."""
    judge = parse_variant(name)
    if judge.is_baseline:
        raise SettingsError(f"{judge} cannot judge", mend="name a language model of your endpoint")
    if not settings.can_call:
        raise SettingsError(
            f"there is no key for the judge {judge}",
            mend="set ERRATA_BENCH_API_KEY in the environment or in .env, or run with --no-judge",
        )
    return judge


def edit_judge(named: Variant | None, settings: Settings) -> Variant:
    """The judge of edits: the one that is named, else the default one. Raises `SettingsError` where there is none."""
    judge = named or default_judge(settings)
    if judge is None:
        raise SettingsError(
            "no judge is set for this endpoint", mend="name one with --judge-model or ERRATA_BENCH_DEFAULT_JUDGE_MODEL"
        )
    return judge
