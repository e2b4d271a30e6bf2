"""Certificates (QUIRKS Q85)."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from errata_bench.chat import Attempt, ChatRequest
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.settings import load_settings
from errata_bench.errors import EndpointFault, Reach
from errata_bench.variants import Variant
from tests.support.loopback import Loopback, chat_reply

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")

REQUEST = ChatRequest(({"role": "user", "content": "Proofread."},))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    subprocess.run([*command, *names, "-out", certificate, "-keyout", key], check=True, capture_output=True)
    return certificate, key


@pytest.fixture
async def url(certificate: tuple[Path, Path]) -> AsyncIterator[str]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)

    async def answer(_: web.Request) -> web.Response:
        return web.json_response(chat_reply("Safe."))

    application = web.Application()
    application.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(application, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    yield f"https://127.0.0.1:{runner.addresses[0][1]}/v1"
    await runner.cleanup()


async def ask(url: str, attempts: list[Attempt]) -> str:
    settings = load_settings(None, api_provider="openai-compatible", api_base_url=url)
    async with Endpoint(settings) as endpoint:
        reply = await endpoint.chat_model(Variant("org/m")).complete(REQUEST, attempts.append)
    return str(reply.message["content"])


async def test_an_untrusted_certificate_is_fatal_for_all_and_not_tried_again(url: str) -> None:
    attempts: list[Attempt] = []
    with pytest.raises(EndpointFault) as caught:
        await ask(url, attempts)
    assert (caught.value.kind, caught.value.reach) == ("tls", Reach.ALL)
    assert "SSL_CERT_FILE" in str(caught.value.mend)
    assert [(attempt.outcome, attempt.cost_usd) for attempt in attempts] == [("tls", 0.0)]


async def test_a_certificate_named_by_ssl_cert_file_is_trusted(
    url: str, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert await ask(url, []) == "Safe."


async def test_a_missing_ssl_cert_file_is_named(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(EndpointFault) as caught:
        await ask(url, [])
    assert "none.pem" in str(caught.value.mend)


async def test_https_to_a_server_that_speaks_http_is_fatal(server: Loopback) -> None:
    attempts: list[Attempt] = []
    with pytest.raises(EndpointFault) as caught:
        await ask(f"https://127.0.0.1:{server.port}/v1", attempts)
    assert (caught.value.kind, caught.value.reach) == ("tls", Reach.ALL)
    assert len(attempts) == 1
