"""Each step of a check, well and failing, against a real server on loopback."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from errata_bench.endpoint.check import checked_models, run_check
from errata_bench.endpoint.findings import CheckReport, Finding, Status, Step
from errata_bench.endpoint.settings import load_settings
from errata_bench.errors import SettingsError, UserError
from errata_bench.proofreading.tools import TOOLS
from errata_bench.variants import Variant
from tests.support.loopback import Answer, Cut, Loopback, Recorded, Reset, chat_reply, free_port, serve, tool_call

KEY = "k3y-0123456789abcdef"
VARIANT = Variant("org/model", "low")
OTHER = Variant("org/other", "high")
PRICE = {"prompt": "0.0000005", "completion": "0.000003"}


def edit(number: int) -> dict[str, Any]:
    return tool_call({"paragraphId": f"check{number}", "find": "a", "replace": "b"}, call_id=f"call_{number}")


def refusal(status: int, message: str, **more: Any) -> Answer:
    return Answer(status, {"error": {"message": message, **more}})


Step_ = Answer | Reset | Cut


@dataclass
class Provider:
    """A server that does all well, but for what a test puts in the place of an answer."""

    models: Step_ = field(
        default_factory=lambda: Answer(
            body={"data": [{"id": "org/model", "pricing": PRICE}, {"id": "org/other", "pricing": PRICE}]}
        )
    )
    plain: list[Step_] = field(default_factory=lambda: [Answer(body=chat_reply("OK"))])
    tools: list[Step_] = field(default_factory=lambda: [Answer(body=chat_reply(calls=[edit(1), edit(2)]))])
    history: list[Step_] = field(
        default_factory=lambda: [Answer(body=chat_reply(calls=[tool_call({}, "proofreading_complete", "call_3")]))]
    )
    reasoning: list[Step_] = field(default_factory=lambda: [Answer(body=chat_reply("OK"))])
    refused_models: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def answer(self, request: Recorded) -> Any:
        if request.path.endswith("/models"):
            return self.models
        body = request.json
        step = _step_of(body)
        self.asked.append((step, body))
        if body["model"] in self.refused_models:
            return self.refused_models[body["model"]]
        answers: list[Step_] = getattr(self, step)
        # The last one stays.
        return answers.pop(0) if len(answers) > 1 else answers[0]

    @property
    def steps(self) -> list[str]:
        return [step for step, _ in self.asked]


def _step_of(body: dict[str, Any]) -> str:
    if any(message["role"] == "tool" for message in body["messages"]):
        return "history"
    if "tools" in body:
        return "tools"
    return "reasoning" if "reasoning" in body else "plain"


@dataclass
class Checked:
    report: CheckReport
    told: list[Finding]

    def __getitem__(self, step: Step) -> Finding:
        (finding,) = [finding for finding in self.report.findings if finding.step is step]
        return finding

    @property
    def statuses(self) -> dict[str, str]:
        return {finding.step: finding.status for finding in self.report.findings}

    def with_status(self, status: Status) -> set[Step]:
        return {finding.step for finding in self.report.findings if finding.status is status}


@pytest.fixture
def provider(server: Loopback) -> Provider:
    provider = Provider()
    server.default = provider.answer
    return provider


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with serve() as running:
        yield running


async def check(server: Loopback, tmp_path: Path, *variants: Variant, **overrides: Any) -> Checked:
    given = {"api_provider": "openrouter", "api_base_url": f"{server.url}/v1", "api_key": KEY, **overrides}
    told: list[Finding] = []

    async def no_wait(_: float) -> None:
        return None

    report = await run_check(
        load_settings(None, **given),
        variants or (VARIANT,),
        TOOLS,
        request_timeout=5.0,
        on_step=told.append,
        cache_dir=tmp_path / "cache",
        sleep=no_wait,
    )
    assert list(report.findings) == told
    assert KEY not in str(dataclasses.asdict(report))
    return Checked(report, told)


async def test_a_sound_endpoint_passes_every_step(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    checked = await check(server, tmp_path)
    assert checked.report.works
    assert checked.statuses == dict.fromkeys(Step, "ok")
    assert [finding.step for finding in checked.told] == list(Step)
    assert provider.steps == ["plain", "tools", "history", "reasoning"]
    assert checked.report.requests == 4
    # Four replies of 100 + 20 tokens.
    assert checked.report.cost_usd == pytest.approx(4 * (100 * 0.5 + 20 * 3) / 1e6)
    assert "2 calls" in checked[Step.SEVERAL].text
    assert "models listed: 2" in checked[Step.REACHABLE].text
    assert "$0.5 in, $3 out" in checked[Step.COST].text


async def test_the_requests_are_those_of_a_run(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    await check(server, tmp_path)
    bodies = dict(provider.asked)
    assert "reasoning" not in bodies["plain"]
    assert "tools" not in bodies["plain"]
    assert [tool["function"]["name"] for tool in bodies["tools"]["tools"]] == [tool.name for tool in TOOLS]
    assert bodies["reasoning"]["reasoning"] == {"effort": "low"}
    ids = [call["id"] for call in bodies["history"]["messages"][2]["tool_calls"]]
    assert [message["tool_call_id"] for message in bodies["history"]["messages"][3:]] == ids


async def test_where_nothing_listens_only_the_address_is_blamed(tmp_path: Path) -> None:
    nowhere = Loopback()
    nowhere.port = free_port()
    checked = await check(nowhere, tmp_path)
    assert not checked.report.works
    assert checked.with_status(Status.FAIL) == {Step.REACHABLE}
    assert checked.with_status(Status.SKIPPED) == set(Step) - {Step.REACHABLE}
    assert "ERRATA_BENCH_API_BASE_URL" in (checked[Step.REACHABLE].mend or "")
    assert checked.report.requests == 0


@pytest.mark.parametrize(
    "answer",
    [
        Answer(404, {"detail": "Not Found"}),
        Answer(200, "<!DOCTYPE html><html><title>Welcome</title></html>", {"Content-Type": "text/html"}),
        Answer(302, "", {"Location": "https://example.org/v1"}),
    ],
)
async def test_a_wrong_address_is_told_from_a_missing_model(
    server: Loopback, provider: Provider, tmp_path: Path, answer: Answer
) -> None:
    provider.models, provider.plain = answer, [answer]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.REACHABLE}
    assert "ERRATA_BENCH_API_BASE_URL" in (checked[Step.REACHABLE].mend or "")
    assert provider.steps == ["plain"]


async def test_an_endpoint_without_a_list_of_models_works(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.models = Answer(404, {"detail": "Not Found"})
    checked = await check(server, tmp_path, api_provider="openai-compatible")
    assert checked.report.works
    assert checked.with_status(Status.WARN) == {Step.REACHABLE, Step.COST}
    assert "ERRATA_BENCH_PRICING_FILE" in (checked[Step.COST].mend or "")


@pytest.mark.parametrize("where", ["models", "plain"])
async def test_a_bad_key_fails_the_key_and_nothing_else(
    server: Loopback, provider: Provider, tmp_path: Path, where: str
) -> None:
    answer = refusal(401, f"Incorrect API key provided: {KEY}")
    if where == "models":
        provider.models = answer
    else:
        provider.plain = [answer]
    checked = await check(server, tmp_path)
    assert checked[Step.REACHABLE].status is Status.OK
    assert checked.with_status(Status.FAIL) == {Step.KEY}
    assert checked[Step.KEY].mend == "check ERRATA_BENCH_API_KEY"
    assert checked.with_status(Status.SKIPPED) == set(Step) - {Step.REACHABLE, Step.KEY}
    assert len(provider.asked) == (0 if where == "models" else 1)


async def test_without_credit_the_key_fails(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.plain = [refusal(402, "Insufficient credits")]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.KEY}
    assert "credit" in (checked[Step.KEY].mend or "")


async def test_a_missing_key_is_told_without_a_request(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    checked = await check(server, tmp_path, api_key=None)
    assert checked.with_status(Status.FAIL) == {Step.KEY}
    assert "ERRATA_BENCH_API_KEY" in (checked[Step.KEY].mend or "")
    assert provider.asked == []


async def test_a_server_of_one_s_own_needs_no_key(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    checked = await check(server, tmp_path, api_provider="openai-compatible", api_key=None)
    assert checked[Step.KEY].status is Status.OK
    assert checked.report.works


async def test_an_unknown_model_is_told_with_those_of_a_similar_name(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.plain = [refusal(404, "The model 'org/modle' does not exist", code="model_not_found")]
    checked = await check(server, tmp_path, Variant("org/modle", "low"))
    assert checked.with_status(Status.FAIL) == {Step.MODEL}
    assert "org/model" in (checked[Step.MODEL].mend or "")
    assert {Step.TOOLS, Step.REASONING, Step.USAGE} <= checked.with_status(Status.SKIPPED)


async def test_a_model_that_stays_overloaded_fails_after_a_few_attempts(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.plain = [refusal(503, "overloaded")]
    checked = await check(server, tmp_path)
    assert checked[Step.MODEL].status is Status.FAIL
    assert "3 attempts" in checked[Step.MODEL].text
    assert checked.report.failed_requests == 3


async def test_a_fault_that_passes_is_only_counted(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.plain = [Reset(), refusal(503, "overloaded"), Answer(body=chat_reply("OK"))]
    checked = await check(server, tmp_path)
    assert checked.report.works
    assert (checked.report.requests, checked.report.failed_requests) == (6, 2)


async def test_a_reply_that_is_lost_on_the_way_is_no_wrong_address(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.plain = [Reset()]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.MODEL}
    assert checked[Step.REACHABLE].status is Status.OK


async def test_a_list_that_is_lost_on_the_way_is_no_wrong_address(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.models = Reset()
    checked = await check(server, tmp_path)
    assert checked.report.works
    assert checked[Step.REACHABLE].status is Status.WARN


async def test_a_model_without_tool_support_fails_and_its_reasoning_is_still_tried(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.tools = [refusal(404, "No endpoints found that support tool use")]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.TOOLS}
    assert checked.with_status(Status.SKIPPED) == {Step.SEVERAL, Step.HISTORY}
    assert provider.steps == ["plain", "tools", "reasoning"]


async def test_a_leaked_call_names_the_server_s_parser(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.tools = [Answer(body=chat_reply('<tool_call>{"name":"find_and_replace","arguments":{}}</tool_call>'))]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.TOOLS}
    assert "--tool-call-parser" in (checked[Step.TOOLS].mend or "")
    assert provider.steps.count("tools") == 2


async def test_a_model_that_only_talks_is_asked_twice(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.tools = [Answer(body=chat_reply("Fine as it is.")), Answer(body=chat_reply(calls=[edit(1), edit(2)]))]
    checked = await check(server, tmp_path)
    assert checked.report.works
    provider.tools = [Answer(body=chat_reply("Fine as it is."))]
    assert (await check(server, tmp_path)).with_status(Status.FAIL) == {Step.TOOLS}


@pytest.mark.parametrize(
    "reply",
    [
        chat_reply(calls=[tool_call('{"paragraphId": "che')]),
        chat_reply(calls=[tool_call({}, name="edit_text")]),
        chat_reply(calls=[edit(1)], finish="length"),
    ],
)
async def test_calls_that_cannot_be_executed_are_no_calls(
    server: Loopback, provider: Provider, tmp_path: Path, reply: Any
) -> None:
    provider.tools = [Answer(body=reply)]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.TOOLS}


async def test_one_call_a_reply_is_worth_a_warning(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.tools = [Answer(body=chat_reply(calls=[edit(1)]))]
    checked = await check(server, tmp_path)
    assert checked.report.works
    assert checked.with_status(Status.WARN) == {Step.SEVERAL}
    assert "--max-turns" in (checked[Step.SEVERAL].mend or "")


async def test_a_server_that_refuses_results_of_calls_fails(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.history = [refusal(400, "Unexpected role 'tool'")]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.HISTORY}


async def test_a_refused_effort_fails_with_both_ways_out(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.reasoning = [refusal(400, "Unknown parameter: 'reasoning'.", param="reasoning")]
    checked = await check(server, tmp_path)
    assert checked.with_status(Status.FAIL) == {Step.REASONING}
    assert "ERRATA_BENCH_API_REASONING_MODE=omit" in (checked[Step.REASONING].mend or "")
    assert "another effort" in (checked[Step.REASONING].mend or "")


async def test_without_a_reasoning_object_its_step_is_skipped(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    checked = await check(server, tmp_path, api_reasoning_mode="omit")
    assert checked.report.works
    assert checked.with_status(Status.SKIPPED) == {Step.REASONING}
    assert provider.steps == ["plain", "tools", "history"]


async def test_replies_without_token_counts_are_worth_a_warning(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.plain = [Answer(body=chat_reply("OK", usage={}))]
    checked = await check(server, tmp_path)
    assert checked.report.works
    assert checked.with_status(Status.WARN) == {Step.USAGE}
    assert checked.report.cost_usd is None


async def test_a_cost_that_replies_report_is_known(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "cost": 0.25}
    for answers in (provider.plain, provider.tools, provider.history, provider.reasoning):
        (answer,) = answers
        assert isinstance(answer, Answer)
        answer.body["usage"] = usage
    checked = await check(server, tmp_path, api_provider="openai-compatible")
    assert checked[Step.COST].status is Status.OK
    assert "reported" in checked[Step.COST].text
    assert checked.report.cost_usd == 1.0


async def test_a_broken_pricing_file_is_the_user_s_mistake(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    (tmp_path / "prices.json").write_text("{")
    with pytest.raises(UserError, match=r"prices\.json"):
        await check(server, tmp_path, pricing_file=tmp_path / "prices.json")


async def test_adaptations_are_named(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    ok = Answer(body=chat_reply("OK"))
    provider.plain = [
        refusal(400, "Unsupported parameter: 'max_completion_tokens'.", param="max_completion_tokens"),
        ok,
    ]
    checked = await check(server, tmp_path)
    assert checked.report.works
    assert checked.with_status(Status.WARN) == {Step.ADAPTED}
    assert "max_tokens_for_max_completion_tokens" in checked[Step.ADAPTED].text


async def test_a_model_that_fails_does_not_keep_the_next_from_being_checked(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    provider.refused_models["org/model"] = refusal(404, "model not found")
    checked = await check(server, tmp_path, VARIANT, OTHER)
    by_model = {
        str(variant): {f.status for f in checked.report.findings if f.model == str(variant)}
        for variant in (VARIANT, OTHER)
    }
    assert by_model == {"org/model:low": {Status.FAIL, Status.SKIPPED}, "org/other:high": {Status.OK}}
    assert not checked.report.works


async def test_a_fault_that_reaches_all_ends_the_check(server: Loopback, provider: Provider, tmp_path: Path) -> None:
    provider.tools = [refusal(402, "Insufficient credits")]
    checked = await check(server, tmp_path, VARIANT, OTHER)
    assert provider.steps == ["plain", "tools"]
    assert {f.status for f in checked.report.findings if f.model == "org/other:high"} == {Status.SKIPPED}


async def test_a_secret_in_the_url_is_nowhere_in_the_report(
    server: Loopback, provider: Provider, tmp_path: Path
) -> None:
    url = server.url.replace("http://", "http://someone:pass-w0rd-77@") + "/v1?api-key=s3cr3t-4411"
    for plain in ([Answer(body=chat_reply("OK"))], [Answer(404, {"error": {"message": url}})]):
        provider.plain = list(plain)
        checked = await check(server, tmp_path, api_base_url=url)
        shown = str(dataclasses.asdict(checked.report))
        assert "pass-w0rd-77" not in shown
        assert "s3cr3t-4411" not in shown


def starter() -> tuple[Variant, ...]:
    return (VARIANT, OTHER)


def test_the_model_is_the_one_named_or_the_default_or_the_first_of_the_starter_list() -> None:
    settings = load_settings(None, default_model="org/default:high")
    assert checked_models((OTHER,), settings, starter) == (OTHER,)
    assert checked_models((), settings, starter) == (Variant("org/default", "high"),)
    assert checked_models((), load_settings(None), starter) == (VARIANT,)


def test_an_endpoint_of_one_s_own_needs_a_model_to_be_named() -> None:
    settings = load_settings(None, api_provider="openai-compatible", api_base_url="http://127.0.0.1:1/v1")
    with pytest.raises(SettingsError) as caught:
        checked_models((), settings, starter)
    assert "--model" in (caught.value.mend or "")


def test_a_baseline_is_behind_no_endpoint() -> None:
    with pytest.raises(SettingsError, match="baseline/harper"):
        checked_models((Variant("baseline/harper", None),), load_settings(None), starter)
