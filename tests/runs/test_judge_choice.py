from __future__ import annotations

import os
from typing import Any

import pytest

from errata_bench.endpoint.settings import Settings, load_settings
from errata_bench.errors import SettingsError, UserError
from errata_bench.runs.judge_choice import DEFAULT_JUDGE, NO_JUDGE_SET, JudgeChoice, choose_judge, edit_judge
from errata_bench.variants import Variant

MODEL = Variant("org/model", "low")
BASELINE = Variant("baseline/oracle", None)
JUDGE = Variant("org/judge", "high")
DEFAULT = Variant("anthropic/claude-opus-4.6", "low")
OWN: dict[str, Any] = {"api_provider": "openai-compatible", "api_base_url": "http://127.0.0.1:1/v1"}
KEY: dict[str, Any] = {"api_key": "k3y-0123456789"}


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("ERRATA_BENCH_")]:
        monkeypatch.delenv(name)


def settings(**given: Any) -> Settings:
    return load_settings(None, **given)


def test_the_judge_that_is_named_is_taken_for_baselines_too() -> None:
    for variants in ([MODEL], [BASELINE], []):
        assert choose_judge("org/judge:high", settings(**KEY), variants) == JudgeChoice(JUDGE)
    named_and_set = settings(**KEY, default_judge_model="org/other")
    assert choose_judge("org/judge:high", named_and_set, [MODEL]) == JudgeChoice(JUDGE)


def test_on_openrouter_language_models_have_a_default_judge() -> None:
    assert choose_judge(None, settings(**KEY), [BASELINE, MODEL]) == JudgeChoice(DEFAULT)
    assert str(DEFAULT) == DEFAULT_JUDGE


def test_the_judge_of_the_settings_goes_before_the_default_one() -> None:
    assert choose_judge(None, settings(**KEY, default_judge_model="org/judge:high"), [MODEL]) == JudgeChoice(JUDGE)
    assert choose_judge(None, settings(**OWN, default_judge_model="org/judge:high"), [MODEL]) == JudgeChoice(JUDGE)


def test_baselines_alone_are_not_judged_unless_a_judge_is_named() -> None:
    assert choose_judge(None, settings(**KEY, default_judge_model="org/judge"), [BASELINE]) == JudgeChoice()
    assert choose_judge(None, settings(), [BASELINE]) == JudgeChoice()


def test_another_endpoint_has_no_judge_until_one_is_set_and_that_is_said() -> None:
    assert choose_judge(None, settings(**OWN), [MODEL]) == JudgeChoice(None, NO_JUDGE_SET)
    mirror = settings(**KEY, api_base_url="https://mirror.example/api/v1")
    assert choose_judge(None, mirror, [MODEL]) == JudgeChoice(None, NO_JUDGE_SET)
    assert "\n" not in NO_JUDGE_SET


def test_judging_can_be_switched_off() -> None:
    assert choose_judge(None, settings(**KEY), [MODEL], none=True) == JudgeChoice()
    with pytest.raises(UserError, match="exclude each other"):
        choose_judge("org/judge", settings(**KEY), [MODEL], none=True)


def test_a_judge_without_a_key_is_a_mistake() -> None:
    with pytest.raises(SettingsError, match="no key for the judge org/judge:high") as refused:
        choose_judge("org/judge:high", settings(), [BASELINE])
    assert refused.value.mend is not None
    assert "--no-judge" in refused.value.mend


def test_a_baseline_cannot_judge() -> None:
    with pytest.raises(SettingsError, match="cannot judge"):
        choose_judge("baseline/oracle", settings(**KEY), [MODEL])


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(UserError, match="no model variant"):
        choose_judge("a b", settings(**KEY), [MODEL])


def test_edits_need_a_judge() -> None:
    assert edit_judge(JUDGE, settings(**OWN)) == JUDGE
    assert edit_judge(None, settings(**KEY)) == DEFAULT
    with pytest.raises(SettingsError, match="no judge is set"):
        edit_judge(None, settings(**OWN))
