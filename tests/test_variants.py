"""Variants, written ``org/model:effort``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.errors import UserError
from errata_bench.variants import EFFORTS, KNOWN_ENDINGS, Variant, ending_remark, parse_variant


@pytest.mark.parametrize("effort", EFFORTS)
def test_effort_is_what_stands_behind_the_last_colon(effort: str) -> None:
    assert parse_variant(f"org/model:{effort}") == Variant("org/model", effort)


@pytest.mark.parametrize(
    ("text", "model", "effort"),
    [
        ("org/model", "org/model", "medium"),
        ("qwen/qwen3.6-plus:free", "qwen/qwen3.6-plus:free", "medium"),
        ("qwen/qwen3.6-plus:free:high", "qwen/qwen3.6-plus:free", "high"),
        ("qwen3.8-max", "qwen3.8-max", "medium"),
        ("org/model:High", "org/model:High", "medium"),
        ("org/model:low:high", "org/model:low", "high"),
        ("llama3.2:1b", "llama3.2:1b", "medium"),
        ("  org/model:low\n", "org/model", "low"),
    ],
)
def test_suffix_that_is_no_effort_belongs_to_the_model(text: str, model: str, effort: str) -> None:
    assert parse_variant(text) == Variant(model, effort)


@pytest.mark.parametrize("text", ["baseline/oracle", "baseline/oracle:high", "baseline/oracle:medium"])
def test_baseline_has_no_effort(text: str) -> None:
    variant = parse_variant(text)
    assert variant == Variant("baseline/oracle", None)
    assert variant.is_baseline
    assert str(variant) == "baseline/oracle"


def test_model_of_another_org_is_no_baseline() -> None:
    assert not parse_variant("baselines/x").is_baseline


@pytest.mark.parametrize(
    "text", ["", "   ", ":high", "org/mo del", "org/model :high", "a\x00b", "a\x1b[31mb", "a\u2028b"]
)
def test_what_names_no_model_is_a_mistake_with_a_mend(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_variant(text)
    assert "no model variant" in caught.value.message
    assert caught.value.mend is not None
    assert "xhigh" in caught.value.mend


@given(st.from_regex(r"[a-z0-9.-]+/[a-z0-9.:-]+", fullmatch=True), st.sampled_from(EFFORTS))
def test_what_is_written_is_read_back(model: str, effort: str) -> None:
    variant = parse_variant(f"{model}:{effort}")
    assert parse_variant(str(variant)) == variant
    assert (variant.model, variant.effort) == (model, effort)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("org/m:extreme", ""), ("org/m:hihg", "high"), ("org/m:High", "high"), ("org/m:med", "medium"), ("org/m:max", "")],
)
def test_an_ending_that_may_be_meant_as_an_effort_is_remarked_on(text: str, meant: str) -> None:
    for any_unknown in (False, True):
        remark = ending_remark(parse_variant(text), any_unknown=any_unknown)
        assert remark is not None
        assert remark.startswith(f"{text} is taken for the whole id of a model, run at medium")
        assert (f"did you mean {meant}?" in remark) is bool(meant)


@pytest.mark.parametrize("text", ["org/m", "org/m:low", "baseline/oracle", *(f"org/m:{end}" for end in KNOWN_ENDINGS)])
def test_what_cannot_be_meant_otherwise_is_not_remarked_on(text: str) -> None:
    assert ending_remark(parse_variant(text), any_unknown=True) is None


def test_ids_that_end_in_sizes_are_remarked_on_only_where_no_id_does() -> None:
    sized = parse_variant("llama3.2:1b")
    assert ending_remark(sized, any_unknown=False) is None
    assert ending_remark(sized, any_unknown=True) is not None
