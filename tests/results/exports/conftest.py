from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from errata_bench.results.exports.writing import Folder
from errata_bench.results.imports.artifact import Artifact, AttemptShape
from errata_bench.results.imports.group import import_artifact
from errata_bench.scoring.judge.prompts import Conclusion
from errata_bench.scoring.judge.use import JudgingUse
from errata_bench.store.group import Group, write_group
from errata_bench.store.judgments import Judgment
from tests.support.models import fix_everything, fix_otherwise
from tests.support.upkeep import ALPHA, BETA, CASES, run

ELSEWHERE = {
    "datasetName": "letter",
    "datasetHash": "abc",
    "model": "org/gamma:low",
    "baseModel": "org/gamma",
    "reasoningEffort": "low",
    "apiEndpointLabel": "openrouter",
    "runNumber": 1,
    "succeeded": True,
    "correctedIssues": 1,
    "totalIssues": 3,
    "benchmarkToolCalls": 2,
}
REASON = '=HYPERLINK("x"), she said,\nand "left".'


@pytest.fixture
async def group(tmp_path: Path) -> AsyncIterator[Group]:
    """Alpha fixed everything, beta everything in another way, of which one fix was judged; gamma ran elsewhere."""
    with write_group(tmp_path / "group.sqlite") as opened:
        await run(opened, fix_everything, variants=[ALPHA])
        await run(opened, fix_otherwise, variants=[BETA], cases=CASES[:1])
        judgment = Judgment("org/judge:low", "j1", False, Conclusion.NEW_ERROR, REASON, JudgingUse(300, 30, 0.06), 2.0)
        opened.judgments.add({"key": judgment})
        opened.judgments.rest_on(3, {"issue-02": "key"})
        shape = AttemptShape.model_validate(ELSEWHERE)
        import_artifact(opened, Artifact("file.json", None, ((shape, ELSEWHERE),)), 9.0, "1")
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "out")
