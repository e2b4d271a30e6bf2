"""Finds out what a model does with the requests of a run: calls, their results, a reasoning object, usage."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from errata_bench.chat import Attempt, ChatReply, ChatRequest, Message, Reasoning, ToolCall, ToolSchema
from errata_bench.endpoint.catalogue import ModelInfo
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.findings import NOT_TRIED, Finding, FindingSink, Status, Step
from errata_bench.endpoint.oddities import Oddity
from errata_bench.errors import EndpointFault, Reach
from errata_bench.variants import Variant

_PLAIN_TOKENS = 1024
_TOOL_TOKENS = 4096
"""Limits of a reply. Models think before a short answer too, so that less would cut them off."""

_PLAIN = ChatRequest(
    ({"role": "user", "content": "Reply with the single word OK."},), max_completion_tokens=_PLAIN_TOKENS
)
_TWO_ERRORS = "Correct the spelling errors."
_PARAGRAPHS = (
    '<p id="check1">The weather was beatiful on the first day.</p>\n'
    '<p id="check2">Nobody recieved a letter that week.</p>'
)
_SYSTEM = (
    "You correct errors in a text with your tools, and only with them. Make one call for each error, and all calls in "
    "one single reply."
)
_AGAIN = "Call the tools now: one call for each of the two misspelt words."


@dataclass(slots=True)
class Notebook:
    """What a check has found so far, and what it needs: an open endpoint, the tools of a run, the list of models.

    ``listed`` is the fault where there is no list.
    """

    endpoint: Endpoint
    tools: tuple[ToolSchema, ...]
    on_step: FindingSink
    listed: tuple[ModelInfo, ...] | EndpointFault = ()
    findings: list[Finding] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    def tell(self, step: Step, status: Status, text: str, mend: str | None = None, *, model: str | None = None) -> None:
        """Note a finding and tell it."""
        finding = Finding(step, status, text, mend, model)
        self.findings.append(finding)
        self.on_step(finding)


class ModelCheck:
    """The steps of one model. Each method that takes a step tells its finding."""

    def __init__(self, notebook: Notebook, variant: Variant) -> None:
        self._notes = notebook
        self._variant = variant
        # Without an effort, so that the reasoning object is a step of its own.
        self._model = notebook.endpoint.chat_model(Variant(variant.model, None))
        self._replies: list[ChatReply] = []

    async def ask_plainly(self) -> EndpointFault | None:
        """Ask for one word, without tools and without a reasoning object: the request that needs the least."""
        return await self._ask(_PLAIN)

    async def run(self, asked: EndpointFault | None) -> bool:
        """Take all steps after the first reply; False where a fault reaches beyond this model."""
        if asked is not None:
            self._tell(Step.MODEL, Status.FAIL, str(asked), self._similar(asked) or asked.mend)
            return asked.reach is not Reach.ALL
        self._tell(
            Step.MODEL, Status.OK, f"{self._variant.model} replied in {self._replies[-1].duration_seconds:.1f} s"
        )
        for take in (self._call_tools, self._reason):
            fault = await take()
            if fault is not None and fault.reach is Reach.ALL:
                return False
        self._count()
        self._price()
        self._adapted()
        return True

    async def _call_tools(self) -> EndpointFault | None:
        messages: tuple[Message, ...] = (
            {"role": "system", "content": _SYSTEM},
            {"role": "user", "content": f"{_TWO_ERRORS}\n\n{_PARAGRAPHS}"},
        )
        for _ in range(2):
            request = ChatRequest(messages, self._notes.tools, max_completion_tokens=_TOOL_TOKENS)
            fault = await self._ask(request)
            if fault is not None:
                self._no_tools(str(fault), fault.mend)
                return fault
            reply = self._replies[-1]
            calls = self._usable(reply)
            if calls:
                self._tell(Step.TOOLS, Status.OK, f"called {', '.join(dict.fromkeys(call.name for call in calls))}")
                self._several(calls)
                return await self._go_on(messages, reply)
            if reply.tool_calls:
                break
            messages = (*messages, reply.message, {"role": "user", "content": _AGAIN})
        self._no_tools(*_why_no_calls(reply))
        return None

    def _no_tools(self, text: str, mend: str | None) -> None:
        self._tell(Step.TOOLS, Status.FAIL, text, mend)
        for step in (Step.SEVERAL, Step.HISTORY):
            self._tell(step, Status.SKIPPED, NOT_TRIED)

    def _usable(self, reply: ChatReply) -> list[ToolCall]:
        names = {tool.name for tool in self._notes.tools}
        return [call for call in reply.tool_calls if call.name in names and call.arguments is not None]

    def _several(self, calls: Sequence[ToolCall]) -> None:
        if len(calls) > 1:
            self._tell(Step.SEVERAL, Status.OK, f"{len(calls)} calls came in one reply")
        else:
            mend = "raise --max-turns if corrections are left over"
            self._tell(Step.SEVERAL, Status.WARN, "only one call came in a reply where more were asked for", mend)

    async def _go_on(self, messages: tuple[Message, ...], reply: ChatReply) -> EndpointFault | None:
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": '{"ok":true,"message":"Done."}'}
            for call in reply.tool_calls
        ]
        request = ChatRequest(
            (*messages, reply.message, *results), self._notes.tools, max_completion_tokens=_TOOL_TOKENS
        )
        fault = await self._ask(request)
        if fault is not None:
            self._tell(Step.HISTORY, Status.FAIL, f"the results of calls are refused: {fault}", fault.mend)
        else:
            self._tell(Step.HISTORY, Status.OK, "the results of calls are taken")
        return fault

    async def _reason(self) -> EndpointFault | None:
        settings, effort = self._notes.endpoint.settings, self._variant.effort
        if settings.api_reasoning_mode.value == "omit":
            self._tell(Step.REASONING, Status.SKIPPED, "no reasoning object is sent (ERRATA_BENCH_API_REASONING_MODE)")
            return None
        fault = await self._ask(replace(_PLAIN, reasoning=Reasoning(effort)))
        if fault is not None:
            mend = fault.mend
            if mend is None and fault.reach is not Reach.RETRY:
                mend = "if it works without: ERRATA_BENCH_API_REASONING_MODE=omit"
            self._tell(Step.REASONING, Status.FAIL, f"effort {effort}: {fault}", mend)
        else:
            tokens = self._replies[-1].usage.reasoning_tokens
            counted = "" if tokens is None else f", {tokens} reasoning tokens"
            self._tell(Step.REASONING, Status.OK, f"effort {effort} accepted{counted}")
        return fault

    def _count(self) -> None:
        if any(Oddity.MISSING_USAGE in reply.oddities for reply in self._replies):
            text = "replies do not say how many tokens they took, so that nothing can be priced"
            mend = "switch usage on at the server, if it can be"
            self._tell(Step.USAGE, Status.WARN, text, mend)
            return
        usage = self._replies[-1].usage
        self._tell(Step.USAGE, Status.OK, f"{usage.prompt_tokens} in, {usage.completion_tokens} out in the last reply")

    def _price(self) -> None:
        book = self._notes.endpoint.prices
        known = book.find(self._variant.model) if book is not None else None
        if known is not None:
            price = f"${known.price.prompt * 1e6:g} in, ${known.price.completion * 1e6:g} out per million tokens"
            self._tell(Step.COST, Status.OK, f"{price} ({known.source})")
        elif all(reply.cost_usd is not None for reply in self._replies):
            self._tell(Step.COST, Status.OK, "reported with each reply; there is no price to estimate by")
        else:
            mend = "name a file with prices: ERRATA_BENCH_PRICING_FILE"
            self._tell(Step.COST, Status.WARN, "nobody knows what this model costs", mend)

    def _adapted(self) -> None:
        adaptations = self._model.adaptations
        if adaptations:
            self._tell(Step.ADAPTED, Status.WARN, f"{', '.join(adaptations)}: noted with the results")
        else:
            self._tell(Step.ADAPTED, Status.OK, "none needed")

    async def _ask(self, request: ChatRequest) -> EndpointFault | None:
        try:
            self._replies.append(await self._model.complete(request, self._notes.attempts.append))
        except EndpointFault as fault:
            return fault
        return None

    def _similar(self, fault: EndpointFault) -> str | None:
        listed = self._notes.listed
        if fault.kind != "unknown_model" or isinstance(listed, EndpointFault):
            return None
        close = difflib.get_close_matches(self._variant.model, [model.id for model in listed], n=3, cutoff=0.5)
        return f"the endpoint lists {', '.join(close)}" if close else None

    def _tell(self, step: Step, status: Status, text: str, mend: str | None = None) -> None:
        self._notes.tell(step, status, text, mend, model=str(self._variant))


def _why_no_calls(reply: ChatReply) -> tuple[str, str]:
    other = "choose another model, or a server that supports its tool calls"
    if reply.truncated:
        return f"the reply was cut off at {_TOOL_TOKENS} tokens before a usable call", other
    if reply.oddities.get(Oddity.LEAKED_CALL) or reply.oddities.get(Oddity.LEAKED_CALL_IN_REASONING):
        return (
            "the call was written into the text, where no program may execute it",
            "switch on the server's parser for this model's tool calls (vLLM: --enable-auto-tool-choice "
            "--tool-call-parser; llama.cpp: --jinja)",
        )
    if reply.tool_calls:
        return "calls came, but with unknown tools or arguments that are no JSON", other
    return "no tool was called, even when asked again", other
