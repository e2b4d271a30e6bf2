from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.errors import EndpointFault, Reach, UserError
from errata_bench.generation.journal import look_before, open_journal, refuse_other_work
from tests.support.doubles import ScriptedModel, calling, saying, tool_call

WORK = {"text": "abc", "seed": 0}
REQUEST = ChatRequest(messages=({"role": "user", "content": "What?"},))
REPLY = calling(tool_call("say", {"word": "half \ud83d"}), cost_usd=0.25)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


async def ask(path: Path, *replies: ChatReply | Exception, key: str = "a") -> tuple[ChatReply, int]:
    """The reply to the request in a process of its own, and how many were asked for."""
    inner = ScriptedModel(list(replies))
    with open_journal(path, WORK) as journal:
        reply = await journal.model(inner, key).complete(REQUEST)
    return reply, len(inner.requests)


async def test_a_reply_is_asked_for_once_and_the_same_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    first, asked = await ask(path, REPLY)
    again, asked_again = await ask(path)
    assert (asked, asked_again) == (1, 0)
    assert again == first == REPLY
    assert [line["event"] for line in lines(path)] == ["start", "request", "reply"]
    assert lines(path)[1]["cost_usd"] == 0.25
    with open_journal(path, WORK) as journal:
        assert (journal.resumed, journal.replies, journal.spent_before) == (True, 1, 0.25)


async def test_other_keys_and_other_requests_have_replies_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    await ask(path, REPLY)
    assert await ask(path, saying("b"), key="b") == (saying("b"), 1)
    with open_journal(path, WORK) as journal:
        model = journal.model(ScriptedModel([saying("c"), saying("d")]), "a")
        other = ChatRequest(messages=({"role": "user", "content": "Who?"},))
        assert await model.complete(other) == saying("c")  # a/1 again, but another question
        assert await model.complete(REQUEST) == saying("d")  # a/2


async def test_a_refusal_of_the_request_is_an_answer_and_other_faults_are_none(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    for replies in ([EndpointFault("content_filter", "filter", reach=Reach.RUN)], []):
        with pytest.raises(EndpointFault, match="filter") as caught:
            await ask(path, *replies)
        assert caught.value.reach is Reach.RUN
    with pytest.raises(EndpointFault):
        await ask(path, EndpointFault("timeout", "late", reach=Reach.RETRY), key="b")
    assert (await ask(path, REPLY, key="b"))[1] == 1


@pytest.mark.parametrize("cut", [1, 10, -1])
async def test_a_line_cut_by_a_kill_is_cut_off(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "j.ndjson"
    await ask(path, REPLY)
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    path.write_bytes(whole[: len(whole) - len(last)] + last[:cut])
    assert (await ask(path, REPLY))[1] == 1
    assert [line["event"] for line in lines(path)] == ["start", "request", "request", "reply"]


def test_a_fate_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    for _ in range(2):
        with open_journal(path, WORK) as journal:
            journal.fate("w001-a01", fate="accepted")
            journal.append("written", files={"x.json": "00"})
    assert [line["event"] for line in lines(path)] == ["start", "fate", "written", "written"]
    before = look_before(path)
    assert (before.accepted, before.written) == (1, frozenset({("x.json", "00")}))
    assert look_before(tmp_path / "gone").accepted == 0


def test_other_work_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    open_journal(path, WORK).close()
    with pytest.raises(UserError, match="other settings \\(seed\\)"):
        open_journal(path, {**WORK, "seed": 1})
    open_journal(path, {**WORK, "seed": 1}, anew=True).close()
    assert lines(path)[0]["identity"]["seed"] == 1


def test_other_work_is_refused_without_touching_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    refuse_other_work(path, WORK)  # none is there
    assert not path.exists()
    open_journal(path, WORK).close()
    with path.open("ab") as stream:
        stream.write(b'{"event": "fa')  # cut by a kill
    before = path.read_bytes()
    refuse_other_work(path, WORK)
    with pytest.raises(UserError, match="other settings \\(seed\\)"):
        refuse_other_work(path, {**WORK, "seed": 1})
    assert path.read_bytes() == before


def test_without_replay_the_same_work_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    with open_journal(path, WORK) as journal:
        journal.fate("a", fate="accepted")
    with open_journal(path, WORK, replay=False) as journal:
        assert not journal.resumed
    assert [line["event"] for line in lines(path)] == ["start"]
    with pytest.raises(UserError):
        open_journal(path, {**WORK, "seed": 1}, replay=False)


@pytest.mark.parametrize("content", [b"Dear aunt,", b"Dear aunt,\n", b"[1]\n", b'{"event": "fate"}\n'])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "j.ndjson"
    path.write_bytes(content)
    with pytest.raises(UserError, match="journal"):
        open_journal(path, WORK)
    assert path.read_bytes() == content


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "j.ndjson"
    with open_journal(path, WORK), pytest.raises(UserError, match="another process"):
        open_journal(path, WORK)
    open_journal(path, WORK).close()
