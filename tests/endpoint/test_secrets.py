"""Keys, userinfo and secret query values reach no fault, no attempt and no log record (QUIRKS Q82)."""

from __future__ import annotations

import base64
import logging
import traceback
from typing import Any

import pytest

from errata_bench.chat import Attempt, ChatRequest
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.endpoint.settings import Settings, load_settings
from errata_bench.errors import EndpointFault
from errata_bench.variants import Variant
from tests.support.loopback import Answer, Cut, Hang, Loopback, Recorded, Reset, free_port

KEY = "sk-planted-key-0123456789abcdef"
USER, PASSWORD = "planted-user", "planted/p@ss word"
TOKEN = "planted-token-98765"
BASIC = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
SECRETS = (KEY, USER, PASSWORD, "planted%2Fp%40ss%20word", TOKEN, BASIC, "planted")
REQUEST = ChatRequest(({"role": "user", "content": "Proofread."},))


def settings_for(port: int, *, userinfo: bool, scheme: str = "http") -> Settings:
    login = "planted-user:planted%2Fp%40ss%20word@" if userinfo else ""
    url = f"{scheme}://{login}127.0.0.1:{port}/v1?api-version=1&token={TOKEN}"
    return load_settings(None, api_provider="openai-compatible", api_base_url=url, api_key=KEY)


async def echo(request: Recorded) -> Answer:
    """Answer with all that the request held, as careless gateways do."""
    login = f"http://{USER}:{PASSWORD}@h {BASIC}" if "Basic" in request.headers["Authorization"] else "http://h"
    said = f"bad request: {login}{request.path}?{request.query} {dict(request.headers)} key {KEY}"
    return Answer(400, {"error": {"message": said, "code": KEY, "metadata": {"raw": said}}})


async def echo_as_page(request: Recorded) -> Answer:
    return Answer(200, f"<html><title>{request.query} {dict(request.headers)}</title></html>")


async def echo_as_text(request: Recorded) -> Answer:
    return Answer(200, f"cannot route {request.query} {dict(request.headers)}")


async def echo_as_error(request: Recorded) -> Answer:
    return Answer(200, {"error": f"{request.query} {dict(request.headers)}"})


async def redirect(request: Recorded) -> Answer:
    return Answer(302, headers={"Location": f"http://h/?{request.query}&key={KEY}"})


STEPS = [
    echo,
    echo_as_page,
    echo_as_text,
    echo_as_error,
    redirect,
    Answer(401, {"error": {"message": f"Incorrect API key provided: {KEY[:9]}****{KEY[-4:]}"}}),
    Answer(404),
    Answer(503, f"token={TOKEN} {KEY}"),
    Reset(),
    Cut(body=f'{{"choices": "{KEY}'.encode()),
    Hang(),
]


def leaks(*texts: Any) -> list[str]:
    return [secret for secret in SECRETS for text in texts if secret in str(text)]


def everything_said(error: BaseException) -> str:
    """The traceback as printed, and every exception that hangs on the error with its parts."""
    said = ["".join(traceback.format_exception(error))]
    seen: BaseException | None = error
    while seen is not None:
        said += [repr(seen), str(seen), repr(seen.args), repr({name: str(part) for name, part in vars(seen).items()})]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(said)


async def fail(settings: Settings, caplog: pytest.LogCaptureFixture) -> str:
    """Let a request fail and return all that anybody could read of it."""
    attempts: list[Attempt] = []

    async def no_wait(_: float) -> None:
        return

    retry = RetryPolicy(max_retries=1)
    with caplog.at_level(logging.DEBUG):
        async with Endpoint(settings, retry=retry, sleep=no_wait, request_timeout=0.3) as endpoint:
            model = endpoint.chat_model(Variant("org/m", "low"))
            with pytest.raises(EndpointFault) as caught:
                await model.complete(REQUEST, attempts.append)
            with pytest.raises(EndpointFault) as also:
                await endpoint.list_models()
    assert attempts
    records = [f"{record.getMessage()} {record.args!r} {record.__dict__!r}" for record in caplog.records]
    assert records
    said = [everything_said(caught.value), everything_said(also.value), str(caught.value.mend)]
    return "\n".join([*said, repr(attempts), *records, repr(endpoint.settings), repr(model), caplog.text])


@pytest.mark.parametrize("userinfo", [True, False])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: getattr(step, "__name__", type(step).__name__))
async def test_no_failing_server_makes_a_secret_show(
    step: Any, userinfo: bool, server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    server.default = step
    assert leaks(await fail(settings_for(server.port, userinfo=userinfo), caplog)) == []
    # The secrets did go out: the test would see them.
    sent = server.requests[0]
    assert TOKEN in sent.query
    assert (BASIC if userinfo else KEY) in sent.headers["Authorization"]


async def test_no_missing_server_makes_a_secret_show(caplog: pytest.LogCaptureFixture) -> None:
    assert leaks(await fail(settings_for(free_port(), userinfo=True), caplog)) == []


async def test_no_tls_fault_makes_a_secret_show(server: Loopback, caplog: pytest.LogCaptureFixture) -> None:
    assert leaks(await fail(settings_for(server.port, userinfo=True, scheme="https"), caplog)) == []


async def test_no_broken_proxy_makes_a_secret_show(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://{USER}:planted@127.0.0.1:{free_port()}")
    settings = load_settings(None, api_base_url=f"http://api.test/v1?token={TOKEN}", api_key=KEY)
    assert leaks(await fail(settings, caplog)) == []
