from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from errata_bench.chat import ChatReply, ChatRequest, Usage
from errata_bench.errors import EndpointFault, Reach
from errata_bench.results.checking import Finding, Trouble, check_group
from errata_bench.store.group import read_group, write_group
from tests.support.builders import make_case
from tests.support.doubles import complete
from tests.support.models import fix_everything, fix_otherwise, paid
from tests.support.upkeep import ALPHA, BETA, CASES, change, make_group, run


def check(path: Path) -> list[Finding]:
    with read_group(path) as group:
        return check_group(group)


def texts(path: Path, trouble: Trouble) -> list[tuple[str, str]]:
    return [(finding.about, finding.text) for finding in check(path) if finding.trouble is trouble]


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    return await make_group(tmp_path / "group.sqlite", varied(fix_everything), samples=2, variants=[ALPHA, BETA])


def varied(answer: Any, **fields: Any) -> Any:
    """Each reply with a duration of its own, as real ones have."""
    replies = iter(range(10_000))

    def reply(request: ChatRequest) -> ChatReply:
        given: ChatReply = answer(request)
        return dataclasses.replace(given, duration_seconds=2 + next(replies) / 1000, **fields)

    return reply


async def test_a_sound_group_has_no_findings(path: Path) -> None:
    assert check(path) == []


async def test_runs_that_a_variant_lacks_are_missing(path: Path) -> None:
    change(path, "DELETE FROM runs WHERE model = 'org/beta' AND fingerprint = (SELECT fingerprint FROM cases"
                 " WHERE case_id = 'memo') AND sample = 2")  # fmt: skip
    assert texts(path, Trouble.MISSING) == [("org/beta:high", "1 run missing to 2 on each case: memo")]


async def test_failed_and_unfinished_runs_are_missing(path: Path) -> None:
    def fault(_: ChatRequest) -> ChatReply:
        raise EndpointFault("server_error", "no", reach=Reach.RUN)

    with write_group(path) as group:
        await run(group, fault, cases=CASES[:1], samples=3)
        group.begin_run(group.runs()[-1].key, 4, 3, 1.0, "1")
    assert texts(path, Trouble.MISSING) == [
        ("org/alpha:low", "1 run unfinished"),
        ("org/alpha:low", "1 run failed for good so far"),
    ]


async def test_fixes_that_nobody_judged_are_counted(tmp_path: Path) -> None:
    path = await make_group(tmp_path / "group.sqlite", varied(fix_otherwise))
    assert texts(path, Trouble.UNJUDGED) == [("org/alpha:low", "5 fixes are unjudged in 2 runs and count as bad")]


async def test_a_single_fix_that_nobody_judged_is_told_in_the_singular(tmp_path: Path) -> None:
    path = await make_group(tmp_path / "group.sqlite", varied(fix_otherwise), cases=[make_case("one", 1)])
    assert texts(path, Trouble.UNJUDGED) == [("org/alpha:low", "1 fix is unjudged in 1 run and counts as bad")]


async def test_settings_that_make_variants_incomparable_are_mixed(tmp_path: Path) -> None:
    path = await make_group(tmp_path / "group.sqlite", varied(fix_everything))
    with write_group(path) as group:
        await run(group, varied(fix_everything), variants=[BETA], max_words=0, judge="org/judge:low")
    assert texts(path, Trouble.MIXED) == [
        ("max words", "1 (2 runs), 0 (2 runs)"),
        ("judge", "none (2 runs), org/judge:low (2 runs)"),
    ]


async def test_two_versions_of_a_case_are_mixed(tmp_path: Path) -> None:
    path = await make_group(tmp_path / "group.sqlite", varied(fix_everything))
    with write_group(path) as group:
        await run(group, varied(fix_everything), cases=[make_case("letter", 2)])
    assert ("case letter", "2 versions of its text or its issues were run") in texts(path, Trouble.MIXED)


async def test_samples_that_are_alike_to_the_letter_are_suspicious(tmp_path: Path) -> None:
    path = await make_group(tmp_path / "group.sqlite", fix_everything, cases=CASES[1:], samples=2)
    assert texts(path, Trouble.SUSPICIOUS) == [
        ("org/alpha:low on memo", "samples 1, 2 are the same to the letter and the millisecond")
    ]


async def test_samples_with_the_same_counts_and_other_words_are_not_suspicious(tmp_path: Path) -> None:
    path = await make_group(tmp_path / "group.sqlite", fix_everything, cases=CASES[1:], samples=2)
    change(path, "UPDATE turns SET message = json_set(message, '$.content', 'Well.') WHERE run_id = 2 AND chunk = 0")
    assert texts(path, Trouble.SUSPICIOUS) == []


async def test_copies_are_found_although_their_seconds_were_summed_in_another_way(tmp_path: Path) -> None:
    path = await make_group(tmp_path / "group.sqlite", fix_everything, cases=CASES[1:], samples=2)
    change(path, "UPDATE figures SET content = json_set(content, '$.duration_seconds', 4.000001) WHERE run_id = 2")
    assert texts(path, Trouble.SUSPICIOUS) == [
        ("org/alpha:low on memo", "samples 1, 2 are the same to the letter and the millisecond")
    ]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (varied(fix_everything, usage=Usage(100, 0)), "1 run with 0 tokens"),
        (varied(fix_everything, usage=Usage()), "1 run of which the endpoint counted no tokens"),
        (varied(lambda _: paid(complete())), "1 run without any edit, though there are errors to correct"),
        (
            lambda request: dataclasses.replace(fix_everything(request), duration_seconds=0.0),
            "1 run that took no time",
        ),
    ],
)
async def test_runs_that_cannot_be_right_are_suspicious(tmp_path: Path, answer: Any, text: str) -> None:
    path = await make_group(tmp_path / "group.sqlite", answer, cases=CASES[1:])
    assert texts(path, Trouble.SUSPICIOUS) == [("org/alpha:low", text)]


async def test_a_control_without_edits_is_as_it_should_be(tmp_path: Path) -> None:
    control = make_case("control", issues=False)
    path = await make_group(tmp_path / "group.sqlite", varied(lambda _: paid(complete())), cases=[control])
    assert check(path) == []


async def test_a_run_whose_time_is_far_off_is_suspicious(tmp_path: Path) -> None:
    seconds = iter([2.0, 2.1, 2.2, 2.3, 200.0, 200.0])

    def answer(request: ChatRequest) -> ChatReply:
        return dataclasses.replace(fix_everything(request), duration_seconds=next(seconds))

    path = await make_group(tmp_path / "group.sqlite", answer, cases=[make_case("memo", 2)], samples=3)
    ((about, text),) = texts(path, Trouble.SUSPICIOUS)
    assert about.startswith("org/alpha:low on memo, sample ")
    assert text.startswith("it took 400.0 s, and the median of this work is ")


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("DELETE FROM figures WHERE run_id = 1", "it counts as successful and lacks its figures"),
        ("DELETE FROM chunks WHERE run_id = 1 AND chunk = 0", "it counts as successful and lacks chunks"),
        ("UPDATE verdicts SET run_id = 77 WHERE run_id = 1", "3 rows of verdicts belong to nothing"),
    ],
)
async def test_what_does_not_hang_together_is_damage(path: Path, sql: str, text: str) -> None:
    change(path, sql)
    assert text in [found for _, found in texts(path, Trouble.DAMAGE)]


async def test_baselines_are_not_suspected(tmp_path: Path) -> None:
    from errata_bench.variants import Variant

    untouched = Variant("baseline/untouched", None)
    path = await make_group(tmp_path / "group.sqlite", lambda _: paid(complete()), variants=[untouched], samples=2)
    assert check(path) == []
