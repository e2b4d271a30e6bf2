"""Cases made of a text: by models behind a real HTTP server, killed and taken up again, and by rules."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.load import load_cases
from tests.end_to_end.conftest import KEY, Cli, Ended
from tests.generation.sketches import any_error, text_in
from tests.support.execution import SAFETY_SECONDS
from tests.support.loopback import Answer, Loopback, Recorded, chat_reply, tool_call

TEXTS = Path(__file__).parents[2] / "datasets" / "v1" / "cases"
BOARD = TEXTS / "trust-board-minutes-clean.txt"
CATEGORIES = "misused_word,awkward_phrasing,wrong_word_form,collocation_error"
EELS = TEXTS / "counting-eels-clean.txt"
PARAGRAPHS = [block for block in EELS.read_text().strip().split("\n\n") if 80 <= len(block.split()) <= 125][:6]
"""Six paragraphs, each of which is a window of its own at 130 words."""


def answered(name: str, arguments: dict[str, Any]) -> Answer:
    return Answer(body=chat_reply(calls=[tool_call(arguments, name=name)]))


async def plants_and_accepts(request: Recorded) -> Answer:
    """Corruptor and reviewer in one; the solver finds nothing."""
    body = request.json
    choice = body["tool_choice"]
    prompt = body["messages"][1]["content"]
    if choice == "auto":
        return answered("proofreading_complete", {})
    if choice["function"]["name"] == "plant_error":
        taken = [line.split(": ")[1].split()[2] for line in prompt.splitlines() if line.startswith("- paragraph")]
        return answered("plant_error", any_error(prompt, taken))
    return answered("review", {"reason": "Plain.", "accepted": True, "confidence": "high"})


@pytest.fixture
def text(cli: Cli) -> Path:
    path = cli.folder / "story.txt"
    path.write_text("\n\n".join(PARAGRAPHS))
    return path


@pytest.fixture
def models(endpoint: Loopback) -> Loopback:
    endpoint.default = plants_and_accepts
    return endpoint


def arguments(*more: str, categories: str = CATEGORIES) -> tuple[str, ...]:
    return (
        *("generate", "--source", "story.txt", "--model", "org/a:medium", "--review-model", "org/b:low"),
        *("--issue-count", "6", "--max-words-per-chunk", "130", "--target-categories", categories, "--no-checkers"),
        *more,
    )


def log_of(cli: Cli, name: str = "story-case") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (cli.folder / f"{name}.proposals.ndjson").read_text().splitlines()]


def models_asked(server: Loopback) -> Counter[str]:
    return Counter(request.json["model"] for request in server.requests)


async def test_a_text_becomes_a_case_with_everything_beside_it(cli: Cli, models: Loopback, text: Path) -> None:
    ended = await cli.run(*arguments())
    assert ended.code == 0, ended.err
    assert "6 of 6 errors planted" in ended.err
    assert "cases check: no findings." in ended.err
    assert ended.out == ""
    assert models_asked(models) == {"org/a": 6, "org/b": 6}
    names = sorted(path.name for path in cli.folder.iterdir())
    assert names == [
        "story-case-clean.txt",
        "story-case-corrupted.txt",
        "story-case.json",
        "story-case.proposals.ndjson",
        "story-case.txt",
        "story.txt",
    ]
    (case,) = load_cases([str(cli.folder / "story-case.json")])
    assert len(case.issues) == 6
    assert Counter(issue.paragraph_id for issue in case.issues).most_common(1)[0][1] == 1  # spread over paragraphs
    assert (cli.folder / "story-case-clean.txt").read_text() == "\n\n".join(PARAGRAPHS) + "\n"
    assert [line["fate"] for line in log_of(cli) if line["event"] == "fate"] == ["accepted"] * 6
    # A person may correct the annotated source and build it again, to the same bytes.
    before = {name: (cli.folder / name).read_bytes() for name in names}
    assert (await cli.run("cases", "build", "story-case.txt", "--out", ".")).code == 0
    assert {name: (cli.folder / name).read_bytes() for name in names} == before


async def test_a_case_made_so_can_be_run(cli: Cli, models: Loopback, text: Path) -> None:
    await cli.run(*arguments())
    ran = await cli.run(
        *(
            "run",
            "-m",
            "baseline/oracle,baseline/untouched",
            "-g",
            "g",
            "--dataset",
            "story-case.json",
            "--samples",
            "1",
        )
    )
    assert ran.code == 0, ran.err
    quality = {row["model"]: row["quality"] for row in await cli.rankings("g")}
    assert quality == {"baseline/oracle": "1.0", "baseline/untouched": "0.0"}


async def test_killed_at_any_time_it_goes_on_and_asks_nothing_twice(cli: Cli, models: Loopback, text: Path) -> None:
    whole = await cli.run(*arguments("--output-dir", "whole"))
    assert whole.code == 0, whole.err
    wanted = Counter(request.raw for request in models.requests)
    models.requests.clear()
    answered_in_full: Counter[bytes] = Counter()
    for kill_after in (1, 4, 3):  # of twelve answers in all
        left = kill_after
        seen = asyncio.Event()

        async def until(request: Recorded, seen: asyncio.Event = seen) -> Answer:
            nonlocal left
            left -= 1
            if left < 0:
                seen.set()
                await asyncio.Event().wait()
            answered_in_full[request.raw] += 1
            return await plants_and_accepts(request)

        models.default = until
        process = await cli.start(*arguments("--concurrency", "1"))
        async with asyncio.timeout(SAFETY_SECONDS):
            await seen.wait()
        assert (await cli.end(process, signal.SIGKILL)).code == -signal.SIGKILL
    models.default = plants_and_accepts
    models.requests.clear()
    ended = await cli.run(*arguments())
    assert ended.code == 0, ended.err
    assert "replies are there already" in ended.err
    answered_in_full.update(request.raw for request in models.requests)
    # An answer that was on its way when the process died may be asked for again; no other is.
    assert sum((answered_in_full - wanted).values()) <= 3
    assert set(answered_in_full) == set(wanted)
    for name in ("story-case.json", "story-case.txt", "story-case-corrupted.txt"):
        assert (cli.folder / name).read_bytes() == (cli.folder / "whole" / name).read_bytes()


async def test_a_finished_case_costs_nothing_more(cli: Cli, models: Loopback, text: Path) -> None:
    await cli.run(*arguments())
    before = {path: path.read_bytes() for path in cli.folder.glob("story-case*.*")}
    models.requests.clear()
    again = await cli.run(*arguments())
    assert (again.code, models.requests) == (0, [])
    after = {path: path.read_bytes() for path in cli.folder.glob("story-case*.*")}
    journal = cli.folder / "story-case.proposals.ndjson"
    assert {**before, journal: b""} == {**after, journal: b""}


async def test_too_few_accepted_keep_what_there_is_and_say_why(cli: Cli, models: Loopback, text: Path) -> None:
    async def accepts_two(request: Recorded) -> Answer:
        if request.json["model"] == "org/b":
            accepted = any(text[:40] in request.json["messages"][1]["content"] for text in PARAGRAPHS[:2])
            return answered("review", {"reason": "taste", "accepted": accepted, "confidence": "high"})
        return await plants_and_accepts(request)

    models.default = accepts_two
    ended = await cli.run(*arguments("--max-attempts-per-issue", "2"))
    assert ended.code == 1, ended.err
    (case,) = load_cases([str(cli.folder / "story-case.json")])
    assert 0 < len(case.issues) < 6
    assert f"{len(case.issues)} of 6 errors planted" in ended.err
    assert re.search(r"rejected \d+", ended.err)
    assert "taste" in ended.err


async def test_a_second_reviewer_and_a_solver_take_part(cli: Cli, models: Loopback, text: Path) -> None:
    async def second_is_strict(request: Recorded) -> Answer:
        if request.json["model"] == "org/c":
            accepted = len(text_in(request.json["messages"][1]["content"])) % 2 == 0
            return answered("review", {"reason": "r", "accepted": accepted, "confidence": "high"})
        return await plants_and_accepts(request)

    models.default = second_is_strict
    ended = await cli.run(
        *arguments("--second-review-model", "org/c", "--solve-model", "org/d:low", "--max-attempts-per-issue", "3")
    )
    asked = models_asked(models)
    assert asked["org/b"] == asked["org/c"]
    fates = [line for line in log_of(cli) if line["event"] == "fate"]
    assert {"accepted", "rejected"} >= {line["fate"] for line in fates}
    planted = sum(line["fate"] == "accepted" for line in fates)
    assert ended.code == (0 if planted == 6 else 1)
    solved = [line for line in log_of(cli) if line["event"] == "solver"]
    assert [line["solved"] for line in solved] == ["not_found"] * planted
    assert ended.err.count("not mended in 3 tries") == planted


async def test_a_cap_on_money_ends_it_with_what_there_is(cli: Cli, models: Loopback, text: Path) -> None:
    (cli.folder / "prices.json").write_text(
        json.dumps({name: {"inputUsdPerToken": 1e-9, "outputUsdPerToken": 1e-4} for name in ("org/a", "org/b")})
    )
    cli.env["ERRATA_BENCH_PRICING_FILE"] = "prices.json"
    ended = await cli.run(*arguments("--max-cost", "0.825", "--concurrency", "1"))
    assert ended.code == 1, ended.err
    assert "Stopped by --max-cost" in ended.err
    assert 0 < len(models.requests) < 12
    rest = await cli.run(*arguments("--max-cost", "5"))
    assert rest.code == 0, rest.err
    assert sum(models_asked(models).values()) == 12


async def test_an_unknown_price_is_refused_under_a_cap(cli: Cli, models: Loopback, text: Path) -> None:
    ended = await cli.run(*arguments("--max-cost", "1"))
    assert ended.code == 2
    assert "nobody knows the price of org/a, org/b" in ended.err
    assert models.requests == []
    assert sorted(path.name for path in cli.folder.iterdir()) == ["story.txt"]


async def test_a_bad_key_ends_it_at_once_and_is_not_shown(cli: Cli, models: Loopback, text: Path) -> None:
    models.default = Answer(401, {"error": {"message": f"Incorrect API key: {KEY}", "code": 401}})
    ended = await cli.run(*arguments())
    assert ended.code == 2
    assert len(models.requests) <= 3
    written = b"".join(path.read_bytes() for path in cli.folder.rglob("*") if path.is_file())
    assert KEY not in ended.err and KEY.encode() not in written
    assert not (cli.folder / "story-case.json").exists()


async def test_interrupted_it_finishes_the_attempts_at_work_and_goes_on_later(
    cli: Cli, models: Loopback, text: Path
) -> None:
    reached, release = asyncio.Event(), asyncio.Event()

    async def held(request: Recorded) -> Answer:
        reached.set()
        await release.wait()
        return await plants_and_accepts(request)

    models.default = held
    flags = arguments("--max-words-per-chunk", "300")  # several rounds
    process = await cli.start(*flags)
    async with asyncio.timeout(SAFETY_SECONDS):
        await reached.wait()
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    heard = b""
    while b"Stopping" not in heard:
        heard += await process.stderr.readline()
    release.set()
    ended = await cli.end(process)
    assert ended.code == 130
    assert "goes on where this stopped" in ended.err
    asked = len(models.requests)
    again = await cli.run(*flags)
    assert again.code == 0, again.err
    assert 2 <= asked < len(models.requests)
    assert len({request.raw for request in models.requests}) == len(models.requests)  # nothing was asked twice


async def test_interrupted_in_the_solver_check_it_stops_and_the_case_is_there(
    cli: Cli, models: Loopback, text: Path
) -> None:
    reached = asyncio.Event()

    async def held(request: Recorded) -> Answer:
        if request.json["model"] == "org/d":
            reached.set()
            await asyncio.Event().wait()
        return await plants_and_accepts(request)

    models.default = held
    flags = arguments("--solve-model", "org/d")
    process = await cli.start(*flags)
    async with asyncio.timeout(SAFETY_SECONDS):
        await reached.wait()
    ended = await cli.end(process, signal.SIGINT)
    assert ended.code == 130, ended.err
    assert "goes on where this stopped" in ended.err
    assert len(load_cases([str(cli.folder / "story-case.json")])[0].issues) == 6
    models.default = plants_and_accepts
    models.requests.clear()
    again = await cli.run(*flags)
    assert again.code == 0, again.err
    assert set(models_asked(models)) == {"org/d"}


async def test_balance_is_measured(cli: Cli, models: Loopback, text: Path) -> None:
    assert (await cli.run(*arguments("--case-id", "one", categories="misused_word"))).code == 0
    both = await cli.run(
        *arguments("--case-id", "two", "--dataset-to-balance", "one.json", "--single-target-class-per-chunk")
    )
    assert both.code == 0, both.err
    offered = Counter(line["offered"][0] for line in log_of(cli, "two") if line["event"] == "fate")
    assert offered["misused_word"] <= 1
    limited = await cli.run(
        *arguments(
            *("--case-id", "three", "--dataset-to-balance", "one.json", "--balance-exclude-top-categories", "1"),
            *("--balance-max-category-count", "2"),
        )
    )
    assert limited.code == 0, limited.err
    planted = Counter(issue.category.split(".")[1] for issue in load_cases([str(cli.folder / "three.json")])[0].issues)
    assert planted == {"awkward_phrasing": 2, "wrong_word_form": 2, "collocation_error": 2}


async def test_a_dry_run_estimates_and_sends_nothing(cli: Cli, models: Loopback, text: Path) -> None:
    ended = await cli.run(*arguments("--dry-run"))
    assert ended.code == 0
    assert "corruptor" in ended.out and "reviewer" in ended.out and "Assumed:" in ended.out
    assert "cost unknown" in ended.out and "$0" not in ended.out
    assert "to be written to story-case.json." in ended.err
    assert [request for request in models.requests if request.method == "POST"] == []
    assert sorted(path.name for path in cli.folder.iterdir()) == ["story.txt"]


MISTAKES: dict[str, tuple[list[str], str]] = {
    "no source": (["--offline", "--source", "gone.txt"], "gone.txt"),
    "a source of another kind": (["--offline", "--source", "story.md"], ".txt"),
    "no model": ([], "--model"),
    "no reviewer": (["--model", "org/a"], "--review-model"),
    "no key": (["--model", "org/a", "--review-model", "org/b"], "ERRATA_BENCH_API_KEY"),
    "a baseline for a model": (["--model", "baseline/oracle", "--review-model", "org/b"], "--offline"),
    "models offline": (["--offline", "--model", "org/a"], "--offline"),
    "an unknown category": (["--offline", "--target-category", "speling"], "speling"),
    "a category beyond rules": (["--offline", "--target-category", "malapropism"], "malapropism"),
    "an unknown parent": (["--offline", "--required-parent", "speling"], "speling"),
    "a balance without cases": (["--offline", "--balance-exclude-top-categories", "2"], "--dataset-to-balance"),
    "too many errors": (["--offline", "--issue-count", "500"], "room for"),
    "no rate": (["--offline", "--issues-per-1000-words", "0"], "--issues-per-1000-words"),
    "a rate and a count": (["--offline", "--issue-count", "2", "--issues-per-1000-words", "5"], "exclude"),
    "a confidence that is none": (["--offline", "--review-min-confidence", "certain"], "certain"),
    "an id that is a path": (["--offline", "--case-id", "../x"], "../x"),
    "the id of the source": (["--offline", "--case-id", "story"], "story.txt"),
    "no cases to balance with": (["--offline", "--dataset-to-balance", "nowhere"], "nowhere"),
}


@pytest.mark.parametrize("name", MISTAKES)
async def test_a_mistake_ends_in_one_plain_message_and_nothing_written(cli: Cli, text: Path, name: str) -> None:
    flags, said = MISTAKES[name]
    (cli.folder / "story.md").write_text("Text.")
    source = [] if "--source" in flags else ["--source", "story.txt"]
    before = sorted(cli.folder.rglob("*"))
    ended = await cli.run("generate", *source, *flags)
    assert ended.code == 2, ended.err
    assert said in ended.err
    assert "Traceback" not in ended.err and ended.out == ""
    assert sorted(cli.folder.rglob("*")) == before


async def offline(cli: Cli, *more: str) -> Ended:
    return await cli.run("generate", "--source", str(BOARD), "--output-dir", ".", "--offline", *more)


async def test_offline_a_long_text_becomes_a_clean_case_between_floor_and_ceiling(cli: Cli) -> None:
    ended = await offline(cli, "--case-id", "board")
    assert ended.code == 0, ended.err
    assert "cases check: no findings." in ended.err
    (case,) = load_cases([str(cli.folder / "board.json")])
    assert len(case.issues) == 17  # 3,303 words
    assert len({issue.category for issue in case.issues}) >= 10
    baselines = "baseline/oracle,baseline/spelling,baseline/harper,baseline/untouched"
    ran = await cli.run("run", "-m", baselines, "-g", "g", "--dataset", "board.json", "--samples", "1")
    assert ran.code == 0, ran.err
    quality = {row["model"]: float(row["quality"]) for row in await cli.rankings("g")}
    assert (quality["baseline/oracle"], quality["baseline/untouched"]) == (1.0, 0.0)
    assert 0 < quality["baseline/spelling"] < 1
    assert 0 < quality["baseline/harper"] < 1


async def test_offline_the_seed_decides_everything(cli: Cli) -> None:
    for folder, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        ended = await offline(cli, "--output-dir", folder, "--case-id", "x", "--seed", seed, "--no-checkers")
        assert ended.code == 0, ended.err
    texts = [(cli.folder / folder / "x.txt").read_bytes() for folder in "abc"]
    assert texts[0] == texts[1] != texts[2]


async def test_offline_texts_can_be_as_dense_and_as_long_as_one_likes(cli: Cli) -> None:
    (cli.folder / "long.txt").write_text(
        "\n\n".join(path.read_text() for path in sorted(TEXTS.glob("[a-h]*-clean.txt")))
    )
    ended = await cli.run(
        *("generate", "--source", "long.txt", "--offline", "--issues-per-1000-words", "20", "--no-checkers")
    )
    (case,) = load_cases([str(cli.folder / "long-case.json")])
    assert ended.code == 0, ended.err[-2000:]
    assert len(case.issues) > 350


async def test_somebodys_corrections_are_not_written_over(cli: Cli, text: Path) -> None:
    flags = ("generate", "--source", "story.txt", "--offline", "--no-checkers")
    assert (await cli.run(*flags)).code == 0
    assert (await cli.run(*flags)).code == 0  # as it was made, it may be made again
    annotated = cli.folder / "story-case.txt"
    annotated.write_text(annotated.read_text() + "\nOne more paragraph.\n")
    kept = annotated.read_bytes()
    refused = await cli.run(*flags)
    assert refused.code == 2
    assert "has been changed since it was made" in refused.err
    assert annotated.read_bytes() == kept
    assert (await cli.run(*flags, "--overwrite")).code == 0
    assert annotated.read_bytes() != kept


async def test_other_settings_do_not_mix_with_what_is_there(cli: Cli, text: Path) -> None:
    flags = ("generate", "--source", "story.txt", "--offline", "--no-checkers")
    assert (await cli.run(*flags)).code == 0
    other = await cli.run(*flags, "--seed", "7")
    assert other.code == 2
    assert "seed" in other.err
    rehearsed = await cli.run(*flags, "--seed", "7", "--dry-run")
    assert (rehearsed.code, rehearsed.err) == (2, other.err)
    assert (await cli.run(*flags, "--seed", "7", "--overwrite", "--dry-run")).code == 0
    assert (await cli.run(*flags, "--seed", "7", "--overwrite")).code == 0


async def test_a_dry_run_of_a_finished_case_says_that_nothing_is_left_to_pay(
    cli: Cli, models: Loopback, text: Path
) -> None:
    assert (await cli.run(*arguments())).code == 0
    ended = await cli.run(*arguments("--dry-run"))
    assert ended.code == 0, ended.err
    assert "nothing is left to be asked" in ended.out
    assert "nobody knows" not in ended.out
    other = await cli.run(*arguments("--dry-run", "--seed", "7"))
    assert (other.code, "other settings (seed)" in other.err) == (2, True)


async def test_html_stays_html(cli: Cli) -> None:
    (cli.folder / "page.html").write_text(
        "<html><body><h1>Title</h1>"
        + "".join(f"<p><em>So</em> it was &amp; is. {text}</p>" for text in PARAGRAPHS)
        + "</body></html>"
    )
    ended = await cli.run("generate", "--source", "page.html", "--offline", "--issue-count", "4", "--no-checkers")
    assert ended.code == 0, ended.err
    (case,) = load_cases([str(cli.folder / "page-case.json")])
    assert len(case.issues) == 4
    assert all("<em>" in paragraph.inner_html and "&amp;" in paragraph.inner_html for paragraph in case.document)


async def test_disqualifying_refreshes_results_without_running_anything(cli: Cli, text: Path) -> None:
    await cli.run("generate", "--source", "story.txt", "--offline", "--issue-count", "4", "--no-checkers")
    run = ("run", "-m", "baseline/oracle", "-g", "g", "--dataset", "story-case.json", "--samples", "1")
    assert (await cli.run(*run)).code == 0
    done = await cli.run(
        *("cases", "disqualify", "story-case.json", "issue-01", "--reason", "two mendings", "--refresh", "g")
    )
    assert done.code == 0, done.err
    assert "1 run brought up to date" in done.out
    again = await cli.run(*run)
    assert "nothing was run again" in again.err
    listed = await cli.run("cases", "disqualify", "story-case.json", "--list")
    assert listed.out == "issue-01: two mendings\n"
