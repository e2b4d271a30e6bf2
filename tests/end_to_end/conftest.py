"""The program as its user runs it: a real process, a real dataset, a real server on loopback."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.loopback import Answer, Loopback, Recorded, chat_reply, serve, tool_call

KEY = "sk-test-3f9c1b7ad2"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended and what it wrote."""

    code: int
    out: str
    err: str


@dataclass(slots=True)
class Cli:
    """Starts the command in a folder of its own, with nothing inherited but what is given."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    async def start(self, *args: str) -> asyncio.subprocess.Process:
        env = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_BENCH_")}
        env.pop("COLUMNS", None)
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "errata_bench",
            *args,
            cwd=self.folder,
            env={**env, **self.env},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *args: str) -> Ended:
        return await self.end(await self.start(*args))

    async def rankings(self, group: str) -> list[dict[str, str]]:
        """The rows of a ranking, best first."""
        ended = await self.run("view", "rankings", group, "--csv")
        assert ended.code == 0, ended.err
        return list(csv.DictReader(io.StringIO(ended.out)))

    async def end(self, process: asyncio.subprocess.Process, number: signal.Signals | None = None) -> Ended:
        if number is not None:
            process.send_signal(number)
        out, err = await process.communicate()
        assert process.returncode is not None
        return Ended(process.returncode, out.decode(), err.decode())


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    folder = tmp_path / "work"
    folder.mkdir()
    return Cli(folder)


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with serve() as running:
        running.default = correct_everything
        yield running


@pytest.fixture
def endpoint(cli: Cli, server: Loopback) -> Loopback:
    """The server, and a command that is set up to use it."""
    cli.env = {
        "ERRATA_BENCH_API_PROVIDER": "openai-compatible",
        "ERRATA_BENCH_API_BASE_URL": f"{server.url}/v1",
        "ERRATA_BENCH_API_KEY": KEY,
    }
    return server


WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel")


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Two cases of four paragraphs with one error each: with ``--chunk-size 10`` every paragraph is a chunk."""
    return write_dataset(tmp_path / "cases", cases=2, paragraphs=4)


def write_dataset(folder: Path, *, cases: int, paragraphs: int) -> Path:
    folder.mkdir()
    for number in range(cases):
        name = f"case-{number}"
        texts = [f"Case {number} says that teh {WORDS[n]} stood still." for n in range(paragraphs)]
        (folder / f"{name}.txt").write_text("\n\n".join(texts))
        issues = [
            {
                "id": f"issue-{n}",
                "category": "fat_finger_typo",
                "expectedCorrection": {"find": f"teh {WORDS[n]}", "replace": f"the {WORDS[n]}"},
            }
            for n in range(paragraphs)
        ]
        case = {"id": name, "instruction": "Proofread the text.", "sourcePath": f"{name}.txt", "issues": issues}
        (folder / f"{name}.json").write_text(json.dumps(case))
    return folder


def chunk_of(request: Recorded) -> str:
    """The text that a request asks a model to proofread."""
    prompts = [message["content"] for message in request.json["messages"] if message["role"] == "user"]
    return "\n".join(re.findall(r'<p id="[^"]+">.*</p>', prompts[0]))


async def correct_everything(request: Recorded) -> Answer:
    """A model that fixes every "teh" and says that it is done."""
    calls = [
        tool_call({"paragraphId": paragraph, "find": "teh", "replace": "the"}, call_id=f"call_{n}")
        for n, paragraph in enumerate(re.findall(r'<p id="([^"]+)">[^<]*teh', chunk_of(request)))
    ]
    done = tool_call({}, name="proofreading_complete", call_id="call_done")
    return Answer(body=chat_reply(calls=[*calls, done]))
