"""Judging as a user meets it: a real process, a server that is candidate and judge at once."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Cli, chunk_of
from tests.support.judging import names_in, verdict
from tests.support.loopback import Answer, Loopback, Recorded, chat_reply, tool_call

JUDGE = "org/judge:high"
Judging = Callable[[Recorded], Awaitable[Answer]]


def is_judging(request: Recorded) -> bool:
    return any(tool["function"]["name"] == "record_verdicts" for tool in request.json["tools"])


async def fix_otherwise(request: Recorded) -> Answer:
    """A candidate that puts "this" where "the" was expected."""
    calls = [
        tool_call({"paragraphId": paragraph, "find": "teh", "replace": "this"}, call_id=f"call_{n}")
        for n, paragraph in enumerate(re.findall(r'<p id="([^"]+)">[^<]*teh', chunk_of(request)))
    ]
    return Answer(body=chat_reply(calls=[*calls, tool_call({}, name="proofreading_complete", call_id="call_done")]))


def verdicts_on(request: Recorded, valid: bool) -> Answer:
    entries = [verdict(name, valid) for name in names_in(request.json["messages"])]
    usage = {"prompt_tokens": 300, "completion_tokens": 30, "cost": 0.01}
    return Answer(body=chat_reply(calls=[tool_call({"verdicts": entries}, name="record_verdicts")], usage=usage))


async def accept(request: Recorded) -> Answer:
    return verdicts_on(request, True)


async def reject(request: Recorded) -> Answer:
    return verdicts_on(request, False)


def judged_by(judge: Judging) -> Judging:
    async def answer(request: Recorded) -> Answer:
        return await (judge(request) if is_judging(request) else fix_otherwise(request))

    return answer


def counts(endpoint: Loopback) -> tuple[int, int]:
    """Requests to the candidate and to the judge."""
    posted = [request for request in endpoint.requests if request.method == "POST"]
    judging = sum(is_judging(request) for request in posted)
    return len(posted) - judging, judging


def arguments(dataset: Path, *more: str) -> tuple[str, ...]:
    model = ("run", "-m", "org/model:low", "-g", "g", "--dataset", str(dataset), "--samples", "1")
    return (*model, "--chunk-size", "10", *more)


def quality(out: str) -> str:
    return next(line for line in out.splitlines() if "org/model:low" in line).split()[4]


async def test_fixes_are_judged_and_paid_for_apart(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    endpoint.default = judged_by(accept)
    ended = await cli.run(*arguments(dataset, "--judge-model", JUDGE))
    assert ended.code == 0, ended.err
    assert quality(ended.out) == "1.000"
    assert counts(endpoint) == (8, 8)
    judging = next(request for request in endpoint.requests if request.method == "POST" and is_judging(request))
    assert judging.json["model"] == "org/judge"
    assert judging.json["reasoning"] == {"effort": "high"}
    with sqlite3.connect(cli.folder / "results" / "g.sqlite") as store:
        assert store.execute("SELECT DISTINCT judge FROM runs").fetchall() == [(JUDGE,)]
        spent = dict(store.execute("SELECT purpose, count(*) FROM spend GROUP BY purpose").fetchall())
    assert spent == {"candidate": 8, "judge": 8}
    again = await cli.run(*arguments(dataset, "--judge-model", JUDGE))
    assert again.code == 0
    assert counts(endpoint) == (8, 8)


async def test_an_endpoint_without_a_judge_says_so_before_it_starts(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    endpoint.default = judged_by(accept)
    ended = await cli.run(*arguments(dataset))
    assert ended.code == 0, ended.err
    said = [line for line in ended.err.splitlines() if "No judge is set for this endpoint" in line]
    assert len(said) == 1
    assert ended.err.index(said[0]) < ended.err.index("to do")
    assert counts(endpoint) == (8, 0)
    assert quality(ended.out) == "0.000"


async def test_no_judge_is_quiet_about_it(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    endpoint.default = judged_by(accept)
    cli.env["ERRATA_BENCH_DEFAULT_JUDGE_MODEL"] = JUDGE
    ended = await cli.run(*arguments(dataset, "--no-judge"))
    assert ended.code == 0
    assert "No judge" not in ended.err
    assert counts(endpoint) == (8, 0)


async def test_a_run_killed_while_it_is_judged_goes_on_with_judging_alone(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    both_wait = asyncio.Event()
    waiting = given = 0

    async def answer_two(request: Recorded) -> Answer:
        nonlocal waiting, given
        if given < 2:
            given += 1
            return await accept(request)
        waiting += 1
        if waiting == 2:  # both runs have asked for more, so what was answered is stored
            both_wait.set()
        await asyncio.Event().wait()
        raise AssertionError

    endpoint.default = judged_by(answer_two)
    process = await cli.start(*arguments(dataset, "--judge-model", JUDGE))
    await both_wait.wait()
    await cli.end(process, signal.SIGKILL)
    assert counts(endpoint)[0] == 8
    endpoint.requests.clear()
    endpoint.default = judged_by(accept)
    ended = await cli.run(*arguments(dataset, "--judge-model", JUDGE))
    assert ended.code == 0, ended.err
    assert counts(endpoint) == (0, 6)
    assert quality(ended.out) == "1.000"


async def test_a_judge_that_fails_fails_no_run_and_its_gaps_are_filled_later(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    async def unknown(_: Recorded) -> Answer:
        return Answer(404, {"error": {"message": "The model org/judge does not exist", "code": "model_not_found"}})

    endpoint.default = judged_by(unknown)
    ended = await cli.run(*arguments(dataset, "--judge-model", JUDGE))
    assert ended.code == 0, ended.err
    assert ended.err.count("The judge was not asked any more") == 1
    assert "8 fixes unjudged. Later: errata-bench results judge g" in ended.err
    assert counts(endpoint)[1] <= 2
    assert quality(ended.out) == "0.000"

    still = await cli.run("results", "judge", "g")
    assert still.code == 1
    assert "8 still unjudged" in still.out

    endpoint.requests.clear()
    endpoint.default = judged_by(accept)
    filled = await cli.run("results", "judge", "g")
    assert filled.code == 0, filled.err
    assert "8 fixes of 2 runs judged, 0 still unjudged" in filled.out
    assert counts(endpoint) == (0, 8)
    ranking = await cli.run("view", "rankings", "g")
    assert quality(ranking.out) == "1.000"
    again = await cli.run("results", "judge", "g")
    assert (again.code, counts(endpoint)) == (0, (0, 8))


async def test_runs_without_a_judge_are_judged_later_and_count_as_that_judges(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    endpoint.default = judged_by(accept)
    await cli.run(*arguments(dataset, "--no-judge"))
    unnamed = await cli.run("results", "judge", "g")
    assert unnamed.code == 1
    assert "name the judge with --judge-model" in unnamed.out
    named = await cli.run("results", "judge", "g", "--judge-model", JUDGE)
    assert named.code == 0, named.err
    assert "2 runs without a judge until now are filed under it." in named.out
    endpoint.requests.clear()
    ended = await cli.run(*arguments(dataset, "--judge-model", JUDGE))
    assert counts(endpoint) == (0, 0)
    assert quality(ended.out) == "1.000"


async def test_an_audit_compares_two_judges_and_pays_the_second_once(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    endpoint.default = judged_by(accept)
    await cli.run(*arguments(dataset, "--judge-model", JUDGE))
    endpoint.requests.clear()
    endpoint.default = judged_by(reject)
    shown = await cli.run("results", "audit", "g", "--second-judge", "org/other:low")
    assert shown.code == 0, shown.err
    assert "org/judge:high and org/other:low on 8 distinct fixes:" in shown.out
    assert "agreement 0.0%, Cohen's kappa 0.000" in shown.out
    assert shown.out.count("not valid by the second") == 8
    assert counts(endpoint) == (0, 8)
    again = await cli.run("results", "audit", "g", "--second-judge", "org/other:low", "--json")
    assert counts(endpoint) == (0, 8)
    audit = json.loads(again.out)
    assert audit["agreements"][0]["only_first_valid"] == 8
    assert audit["variants"][0]["quality"] == 1.0
    assert audit["variants"][0]["strict"] == 0.0
    assert audit["variants"][0]["judged_share"] == 1.0
    ranking = await cli.run("view", "rankings", "g")
    assert quality(ranking.out) == "1.000"


async def test_judging_later_keeps_to_a_cap(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    endpoint.default = judged_by(accept)
    await cli.run(*arguments(dataset, "--no-judge"))
    endpoint.requests.clear()
    judging = ("results", "judge", "g", "--judge-model", JUDGE, "--max-cost", "0.1", "--concurrency", "1")
    unpriced = await cli.run(*judging)
    assert unpriced.code == 2
    assert "nobody knows the price of org/judge" in unpriced.err
    prices = {"org/judge": {"inputUsdPerMillionTokens": 1, "outputUsdPerMillionTokens": 30}}
    (cli.folder / "prices.json").write_text(json.dumps(prices))
    cli.env["ERRATA_BENCH_PRICING_FILE"] = "prices.json"
    # A request may cost about 0.08 USD and does cost 0.01: the third does not fit any more.
    capped = await cli.run(*judging)
    assert capped.code == 1, capped.err
    assert "Stopped by --max-cost" in capped.out
    asked = counts(endpoint)[1]
    assert 1 <= asked <= 3
    assert f"{8 - asked} still unjudged" in capped.out
    rest = await cli.run("results", "judge", "g")
    assert rest.code == 0, rest.err
    assert counts(endpoint)[1] == 8


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("results", "judge", "nowhere"), "there is no group 'nowhere'"),
        (("results", "audit", "nowhere"), "there is no group 'nowhere'"),
        (("results", "judge", "../g"), "cannot be a group id"),
        (("results", "judge", "g", "--judge-model", "a b"), "no model variant"),
        (("results", "audit", "g", "--second-judge", "baseline/oracle"), "cannot judge"),
        (("run", "-m", "org/m", "--judge-model", "org/j", "--no-judge"), "exclude each other"),
    ],
)
async def test_mistakes_end_in_one_plain_message(
    cli: Cli, endpoint: Loopback, given: tuple[str, ...], said: str
) -> None:
    ended = await cli.run(*given)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert not (cli.folder / "results").exists()


async def test_edits_away_from_issues_are_sorted_and_real_flaws_listed(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    async def meddle(request: Recorded) -> Answer:
        if not any(tool["function"]["name"] == "find_and_replace" for tool in request.json["tools"]):
            return await compare(request)
        paragraphs = re.findall(r'<p id="([^"]+)">', chunk_of(request))
        edits = [("teh", "the"), ("stood", "waited")] if "alpha" in chunk_of(request) else [("teh", "the")]
        calls = [
            tool_call({"paragraphId": paragraph, "find": find, "replace": put}, call_id=f"c{n}")
            for paragraph in paragraphs
            for n, (find, put) in enumerate(edits)
        ]
        return Answer(body=chat_reply(calls=[*calls, tool_call({}, name="proofreading_complete", call_id="end")]))

    async def compare(request: Recorded) -> Answer:
        user = request.json["messages"][1]["content"]
        shown = re.findall(r"\[\[begin version \w+\]\]\n(.*)\n", user)
        wrong = [str(n) for n, text in enumerate(shown, 1) if "stood" in text or "teh" in text]
        said = {"reason": "So it is.", "error_in": wrong[0], "same_meaning": True, "better": "neither"}
        return Answer(body=chat_reply(calls=[tool_call(said, name="compare_versions")]))

    endpoint.default = meddle
    ran = await cli.run(*arguments(dataset, "--no-judge"))
    assert ran.code == 0, ran.err
    sorted_out = await cli.run("results", "judge", "g", "--judge-model", JUDGE, "--judge-edits")
    assert sorted_out.code == 0, sorted_out.err
    assert "org/model:low: real flaws fixed 2, harmless 0, preferential 0, harmful 0" in sorted_out.out
    assert "classed 8 of 8 planted errors right" in sorted_out.out
    assert sorted_out.out.count("stood → waited") == 2
