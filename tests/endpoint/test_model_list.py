"""The variants that a flag, a file or the starter list names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_bench.endpoint.model_list import load_models_file, parse_models, read_models, starter_models
from errata_bench.errors import UserError
from errata_bench.variants import Variant


def file_of(folder: Path, value: Any) -> Path:
    file = folder / "models.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


def test_flags_are_split_at_commas_and_each_variant_counts_once() -> None:
    assert parse_models(["a/b:low, c/d ,", "qwen/q:free,a/b:low"]) == (
        Variant("a/b", "low"),
        Variant("c/d", "medium"),
        Variant("qwen/q:free", "medium"),
    )


def test_a_file_holds_texts_and_objects(tmp_path: Path) -> None:
    entries = [
        "a/b:high",
        {"model": "a/b", "reasoningEffort": "low", "label": "B"},
        {"model": "c/d:low", "reasoningEffort": "low"},
        {"model": "c/d", "label": None, "reasoningEffort": None},
        "baseline/harper",
        "a/b:high",
    ]
    assert load_models_file(file_of(tmp_path, entries)) == (
        Variant("a/b", "high"),
        Variant("a/b", "low"),
        Variant("c/d", "low"),
        Variant("c/d", "medium"),
        Variant("baseline/harper", None),
    )


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    entries = [
        "a b",
        17,
        {"label": "x"},
        {"model": "a/b", "effort": "low"},
        {"model": "a/b", "reasoningEffort": "huge"},
        {"model": "a/b:high", "reasoningEffort": "low"},
        {"model": "baseline/harper", "reasoningEffort": "low"},
        {"model": "a/b", "label": 1},
        {"model": "a/b", "reasoningEffort": ["low"]},
        "fine/model",
    ]
    file = file_of(tmp_path, entries)
    with pytest.raises(UserError) as caught:
        load_models_file(file)
    message = caught.value.message
    assert str(file) in message
    assert [place for place in range(1, 11) if f"entry {place}:" in message] == list(range(1, 10))


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", '"a/b"', "[" * 100_000])
def test_a_file_that_names_no_models_is_refused(content: str, tmp_path: Path) -> None:
    file = file_of(tmp_path, content)
    with pytest.raises(UserError) as caught:
        load_models_file(file)
    assert str(file) in caught.value.message


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "none.json", tmp_path / "binary"):
        with pytest.raises(UserError) as caught:
            load_models_file(path)
        assert str(path) in caught.value.message


def test_wrong_flags_are_told_at_once() -> None:
    with pytest.raises(UserError) as caught:
        parse_models(["a b,c/d,e f"])
    assert "a b" in caught.value.message
    assert "e f" in caught.value.message


def test_flags_and_file_add_up_and_nothing_is_nothing(tmp_path: Path) -> None:
    file = file_of(tmp_path, ["a/b:low", "c/d:low"])
    assert read_models(["a/b:low"], file) == (Variant("a/b", "low"), Variant("c/d", "low"))
    assert read_models([]) == ()
    with pytest.raises(UserError):
        read_models([","])


def test_the_starter_list_has_about_ten_variants_of_several_providers() -> None:
    variants = starter_models()
    assert 8 <= len(variants) <= 12
    assert len({variant.model.partition("/")[0] for variant in variants}) >= 5
    assert all(variant.effort is not None for variant in variants)


def test_the_starter_list_of_the_repository_is_the_one_in_the_package() -> None:
    assert load_models_file(Path(__file__).parents[2] / "models" / "starter-models.json") == starter_models()
