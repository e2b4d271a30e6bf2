"""The HTTP side: requests in, replies and faults out, everything entered in the ledger."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from errata_bench.errors import EndpointFault, Reach
from errata_bench.serving.body import Asked, Refused, read_body
from errata_bench.serving.conversation import check_conversation
from errata_bench.serving.faults import FaultKind, FaultPlan
from errata_bench.serving.ledger import Ledger, TokenPrice
from errata_bench.serving.proofreaders import Proofreader, missing_proofreaders
from errata_bench.serving.replies import Said, completion, envelope, error, listed_model, prompt_tokens
from errata_bench.serving.spoiling import cut, spoil

MAX_BODY_BYTES = 32 << 20
REFUSED = "refused"
OK = "ok"
FAILED = "failed"
"""Outcomes in the ledger, beside the kinds of fault: no good as a request, answered, or a checker that failed."""

_INVALID = "invalid_request_error"
_PAGE = b"<!DOCTYPE html><html><head><title>%b</title></head><body><h1>%b</h1></body></html>"

_STATUSES: Mapping[FaultKind, str] = {
    FaultKind.TOO_MANY_REQUESTS: "Rate limit reached for requests",
    FaultKind.SERVER_ERROR: "The server had an error while processing your request",
    FaultKind.BAD_GATEWAY: "Bad gateway",
    FaultKind.OVERLOADED: "The server is overloaded",
}


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """How the server behaves.

    ``latency`` is the seconds before each answer, ``slow_seconds`` what the fault ``slow`` adds. With a ``price``, the
    list of models shows it and each reply reports its cost; without one all is free.
    """

    faults: FaultPlan = field(default_factory=FaultPlan)
    latency: float = 0.0
    slow_seconds: float = 30.0
    price: TokenPrice | None = None


class Server:
    """The served models behind HTTP. ``sleep`` and ``clock`` (Unix time) are for tests."""

    def __init__(
        self,
        models: Mapping[str, Proofreader],
        options: ServingOptions = ServingOptions(),
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.ledger = Ledger()
        self._models = models
        self._options = options
        self._price = options.price or TokenPrice()
        self._sleep = sleep
        self._clock = clock
        self._asked: Counter[str] = Counter()

    def application(self) -> web.Application:
        """The routes: ``/v1/models``, ``/v1/chat/completions``, ``/ledger``."""
        application = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_errors_as_json])
        application.router.add_get("/v1/models", self._list_models)
        application.router.add_post("/v1/chat/completions", self._complete)
        application.router.add_get("/ledger", self._show_ledger)
        return application

    async def _list_models(self, _: web.Request) -> web.Response:
        pricing = {
            "prompt": f"{self._price.prompt / 1e6:.12f}",
            "completion": f"{self._price.completion / 1e6:.12f}",
        }
        return _json({"object": "list", "data": [listed_model(name, pricing) for name in self._models]})

    async def _show_ledger(self, _: web.Request) -> web.Response:
        return _json(self.ledger.summary())

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        model = ""
        try:
            body, asked = read_body(await request.read())
            model = asked.model if asked.model in self._models else ""
            check_conversation(body.messages)
            proofreader = self._find(asked.model)
        except Refused as refused:
            self.ledger.enter(model, REFUSED)
            content = error(refused.message, kind=_INVALID, code=refused.code, parameter=refused.parameter)
            return _json(content, refused.status)
        # Counted before anything is waited for: the number is that of arrival.
        self._asked[asked.digest] += 1
        number = self._asked[asked.digest]
        kind = self._options.faults.draw(asked.digest, number)
        late = self._options.slow_seconds if kind is FaultKind.SLOW else 0.0
        if self._options.latency or late:
            await self._sleep(self._options.latency + late)
        if kind is not None and (failed := self._without_reply(kind, request)) is not None:
            self.ledger.enter(model, kind)
            return failed
        return await self._reply(request, proofreader, asked, kind, f"chatcmpl-{asked.digest[:12]}-{number}")

    def _find(self, model: str) -> Proofreader:
        found = self._models.get(model)
        if found is not None:
            return found
        reason = missing_proofreaders().get(model)
        why = f" ({reason})" if reason is not None else f"; there are {', '.join(self._models)}"
        raise Refused(f"The model {model!r} does not exist{why}", parameter="model", code="model_not_found", status=404)

    def _without_reply(self, kind: FaultKind, request: web.Request) -> web.Response | None:
        """What is sent where no reply is made at all; None where the fault needs one."""
        if kind in _STATUSES:
            headers = {"Retry-After": "0"} if kind is FaultKind.TOO_MANY_REQUESTS else {}
            status = int(kind)
            what = "rate_limit_error" if status == 429 else "server_error"
            return _json(error(_STATUSES[kind], kind=what, code=status), status, headers)
        match kind:
            case FaultKind.GATEWAY_TIMEOUT:
                return _page(b"524: A timeout occurred", 524)
            case FaultKind.HTML:
                return _page(b"Sign in", 200)
            case FaultKind.EMPTY:
                return web.Response(status=200, content_type="application/json")
            case FaultKind.ERROR_BODY:
                return _json(error("Provider returned error", kind="upstream_error", code=502))
            case FaultKind.RESET:
                _reset(request)
                return web.Response()
        return None

    async def _reply(
        self, request: web.Request, proofreader: Proofreader, asked: Asked, kind: FaultKind | None, reply_id: str
    ) -> web.StreamResponse:
        prompt = prompt_tokens(asked.request)
        if kind is FaultKind.NO_CHOICES:
            bill = self._price.bill(prompt, 0)
            self.ledger.enter(asked.model, kind, bill)
            return _json(envelope([], bill, **self._around(asked, reply_id)))
        try:
            said = await self._say(proofreader, asked, kind)
        except EndpointFault as fault:
            return self._failure(asked, fault)
        bill = self._price.bill(prompt, said.tokens)
        self.ledger.enter(asked.model, kind or OK, bill)
        content = completion(said, bill, **self._around(asked, reply_id))
        return await _cut_off(request, content) if kind is FaultKind.CUT else _json(content)

    async def _say(self, proofreader: Proofreader, asked: Asked, kind: FaultKind | None) -> Said:
        said = await proofreader.answer(asked.request, parallel=asked.parallel)
        if asked.token_limit is not None:
            said = cut(said, asked.token_limit)
        return said if kind is None else spoil(said, kind)

    def _failure(self, asked: Asked, fault: EndpointFault) -> web.Response:
        """A request that the baseline refuses, or a checker that failed."""
        refused = fault.kind == "not_a_chat_model"
        self.ledger.enter(asked.model, REFUSED if refused else FAILED)
        status = 400 if refused else 503 if fault.reach is Reach.RETRY else 500
        return _json(error(fault.message, kind=_INVALID if refused else "server_error", code=fault.kind), status)

    def _around(self, asked: Asked, reply_id: str) -> dict[str, Any]:
        return {
            "model": asked.model,
            "reply_id": reply_id,
            "created": int(self._clock()),
            "with_cost": self._options.price is not None,
        }


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Answer wrong paths, methods and sizes in the form of the API."""
    try:
        return await handler(request)
    except web.HTTPException as answer:
        message = f"{answer.reason}: {request.method} {request.path}"
        return _json(error(message, kind=_INVALID, code=answer.status), answer.status)


def _json(content: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        body=orjson.dumps(content), status=status, headers=dict(headers or {}), content_type="application/json"
    )


def _page(title: bytes, status: int) -> web.Response:
    return web.Response(body=_PAGE % (title, title), status=status, content_type="text/html")


def _reset(request: web.Request) -> None:
    transport = request.transport
    if transport is None:
        return
    raw = transport.get_extra_info("socket")
    if raw is not None:
        # Lingering for no time at all makes the kernel send RST instead of FIN.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def _cut_off(request: web.Request, content: Mapping[str, Any]) -> web.StreamResponse:
    body = orjson.dumps(content)
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
