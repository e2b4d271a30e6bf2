"""What a model is told, and the version that stands for it (contracts C6 and C8)."""

from __future__ import annotations

import re

import pytest

from errata_bench.document import Document, Paragraph
from errata_bench.proofreading import prompts, tools
from errata_bench.proofreading.prompts import NUDGE, SYSTEM, user_prompt
from errata_bench.taxonomy import CATEGORIES, PARENTS

CHUNK = Document((Paragraph("para01", "Teh {cat} &amp; %s."), Paragraph("para02", "The {0} end.")))
EVERYTHING = [SYSTEM, NUDGE, prompts.USER, *(tool.description for tool in tools.TOOLS)]


def test_user_prompt_is_the_instruction_and_the_chunk_as_it_stands() -> None:
    prompt = user_prompt("  Proofread {this}.\n", CHUNK)
    assert prompt.startswith("Proofread {this}.\n")
    assert prompt.endswith('\n<p id="para01">Teh {cat} &amp; %s.</p>\n<p id="para02">The {0} end.</p>')


@pytest.mark.parametrize("text", EVERYTHING)
def test_model_is_not_told_how_many_errors_there_are(text: str) -> None:
    assert not re.search(r"\d", text)
    numbers = r"one|two|three|four|five|six|seven|eight|nine|ten|dozen|several|many|few|some"
    assert not re.search(rf"\b({numbers})\s+(\w+\s+)?(errors?|mistakes?|issues?|flaws?)\b", text, re.IGNORECASE)


@pytest.mark.parametrize("text", EVERYTHING)
def test_model_is_not_told_the_kinds_that_are_planted(text: str) -> None:
    lowered = text.casefold().replace("_", " ")
    labels = {category.label for category in CATEGORIES} | set(PARENTS)
    assert labels
    for label in labels:
        for name in (label, label.rpartition(".")[2]):
            if " " in (words := name.replace("_", " ")):  # a single plain word, as "agreement", is no label
                assert words not in lowered
    for word in ("planted", "inserted", "corrupted", "benchmark", "known"):
        assert word not in lowered


def test_prompt_version_is_twelve_hex_digits() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", prompts.PROMPT_VERSION)


@pytest.mark.parametrize("name", ["SYSTEM", "USER", "NUDGE"])
def test_prompt_version_changes_with_each_text(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(prompts, name, getattr(prompts, name) + ".")
    assert prompts._version() != prompts.PROMPT_VERSION


def test_prompt_version_changes_with_the_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prompts._version() == prompts.PROMPT_VERSION
    monkeypatch.setattr(prompts, "TOOLS", tools.TOOLS[:2])
    assert prompts._version() != prompts.PROMPT_VERSION
