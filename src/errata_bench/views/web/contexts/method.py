"""The method: what figures mean, what models are told, which texts there are, and what all of it cannot show."""

from __future__ import annotations

from typing import Any

import orjson

from errata_bench.proofreading.prompts import NUDGE, PROMPT_VERSION, SYSTEM, USER
from errata_bench.proofreading.tools import TOOLS
from errata_bench.views.ranking_columns import COLUMNS
from errata_bench.views.web.contexts.common import Request, settings_words


def method(request: Request) -> dict[str, Any]:
    """What stands on the page of the method."""
    facts = request.facts
    versions = sorted({record.key.settings.prompt_version for record in facts.records})
    cases = []
    for fingerprint, number in facts.case_numbers.items():
        case = facts.case(fingerprint)
        if case is None:
            continue
        cases.append(
            {
                "number": number,
                "id": case.id,
                "paragraphs": len(case.document),
                "words": case.document.words,
                "issues": len(case.scored_issues),
                "disqualified": len(case.issues) - len(case.scored_issues),
                "density": 1000 * len(case.scored_issues) / case.document.words,
                "instruction": case.instruction,
            }
        )
    cases.sort(key=lambda one: (not one["issues"], str(one["id"])))
    return {
        "columns": [column for column in COLUMNS if column.meaning],
        "settings": [settings_words(one) for one in facts.overview.settings],
        "prompt_versions": versions,
        "prompts_are_these": versions == [PROMPT_VERSION] or not versions,
        "prompt_version": PROMPT_VERSION,
        "system": SYSTEM,
        "user": USER,
        "nudge": NUDGE,
        "tools": [
            {
                "name": tool.name,
                "description": tool.description,
                "schema": orjson.dumps(tool.parameters, option=orjson.OPT_INDENT_2).decode(),
            }
            for tool in TOOLS
        ],
        "cases": cases,
    }
