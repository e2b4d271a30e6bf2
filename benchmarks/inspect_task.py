"""The same loop as an ``inspect_ai`` task, run by an interpreter that has it; see `benchmarks.harness`.

Reads a JSON object on standard input (``base_url, system, user, paragraphs, tools, turns, samples, concurrency``) and
prints one with the requests that were made and the seconds of CPU that they took, imports left out. The conversation is
the harness's own: the same prompts and tool schemas, tools that edit paragraphs, so many turns. It is written
with what inspect_ai offers for this: its OpenAI-compatible provider, its tool calls, its log.
"""

# No import of errata_bench: the interpreter that runs this does not have it.
from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from typing import Any


def main() -> None:
    asked = json.load(sys.stdin)
    os.environ["BENCH_BASE_URL"] = asked["base_url"]
    os.environ["BENCH_API_KEY"] = "none"

    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
    from inspect_ai.scorer import Score, Target, mean, scorer
    from inspect_ai.solver import Generate, TaskState, solver
    from inspect_ai.tool import ToolDef
    from inspect_ai.util import store

    async def find_and_replace(paragraphId: str, find: str, replace: str) -> str:  # noqa: N803
        paragraphs: dict[str, str] = store().get("paragraphs")
        text = paragraphs.get(paragraphId)
        if text is None or find not in text:
            return json.dumps({"ok": False, "message": "It does not occur."})
        paragraphs[paragraphId] = text.replace(find, replace)
        return json.dumps({"ok": True, "message": "Done."})

    async def replace_paragraph(paragraphId: str, newParagraphHtml: str) -> str:  # noqa: N803
        store().get("paragraphs")[paragraphId] = newParagraphHtml
        return json.dumps({"ok": True, "message": "Done."})

    async def proofreading_complete(note: str = "") -> str:  # noqa: ARG001
        return json.dumps({"ok": True, "message": "This part is complete."})

    functions = {one.__name__: one for one in (find_and_replace, replace_paragraph, proofreading_complete)}
    tools = [
        ToolDef(
            functions[tool["name"]],
            name=tool["name"],
            description=tool["description"],
            parameters={key: value["description"] for key, value in tool["parameters"]["properties"].items()},
        ).as_tool()
        for tool in asked["tools"]
    ]
    requests = 0

    @solver  # type: ignore[untyped-decorator]
    def proofread() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            nonlocal requests
            store().set("paragraphs", dict(asked["paragraphs"]))
            state.tools = tools
            for _ in range(asked["turns"]):
                state = await generate(state, tool_calls="single")
                requests += 1
            return state

        return solve

    @scorer(metrics=[mean()])  # type: ignore[untyped-decorator]
    def exact() -> Any:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
            return Score(value=0.0)

        return score

    samples = [
        Sample(input=[ChatMessageSystem(content=asked["system"]), ChatMessageUser(content=asked["user"])], target="")
        for _ in range(asked["samples"])
    ]
    task = Task(dataset=samples, solver=proofread(), scorer=exact())
    model = get_model("openai-api/bench/model-0", config=GenerateConfig(temperature=0, max_tokens=8192))
    with tempfile.TemporaryDirectory() as folder:
        used = time.process_time()
        (log,) = eval(
            task,
            model=model,
            log_dir=folder,
            display="none",
            max_connections=asked["concurrency"],
            max_samples=asked["concurrency"],
        )
        cpu = time.process_time() - used
    if log.status != "success":
        sys.exit(f"the task ended as {log.status}: {log.error}")
    json.dump({"requests": requests, "cpu": cpu}, sys.stdout)


if __name__ == "__main__":
    main()
