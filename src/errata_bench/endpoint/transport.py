"""One exchange over HTTP: a request out, a whole response in, within a deadline and a size limit.

Knows nothing of chat; what it cannot do ends in an `EndpointFault`. The only module that imports aiohttp.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from errata_bench import __version__
from errata_bench.endpoint.faults import shorten
from errata_bench.endpoint.proxies import find_proxy
from errata_bench.endpoint.redact import Redactor
from errata_bench.errors import EndpointFault, Reach

NOT_SENT_KINDS = frozenset({"dns", "connect", "proxy", "tls", "bad_address"})
"""Kinds of fault of requests that no server got, and that thus cost nothing."""

_CONNECT_SECONDS = 30.0
"""Time for a TCP connection; without it, a host that drops packets would take the whole deadline."""

_CHUNK = 1 << 16

_TRANSIENT_TLS = ("UNEXPECTED_EOF", "EOF occurred", "APPLICATION_DATA_AFTER_CLOSE", "SHUTDOWN", "BAD_RECORD_MAC")
"""TLS errors that a broken connection causes, not a wrong certificate or address."""


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response; ``headers`` have lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class TransportOptions:
    """Limits of an exchange: the size of a response in bytes (after decompression)."""

    max_body_bytes: int
    authorization: str | None
    redactor: Redactor


class Transport:
    """Exchanges with one host over one pool of connections. Open it within a running event loop."""

    def __init__(self, base_url: str, options: TransportOptions) -> None:
        self._options = options
        self._host = urlsplit(base_url).netloc
        proxy = find_proxy(base_url)
        self._proxy = proxy
        # A proxy's own userinfo is a secret too.
        userinfo = urlsplit(proxy).netloc.rpartition("@")[0] if proxy else ""
        secrets = [userinfo, *userinfo.partition(":")[::2]] if userinfo else []
        self._redact_proxy = Redactor(secrets)
        secure = base_url.startswith("https:") or (proxy or "").startswith("https:")
        headers = {"User-Agent": f"errata-bench/{__version__}", "Accept": "application/json"}
        if options.authorization is not None:
            headers["Authorization"] = options.authorization
        self._session = aiohttp.ClientSession(
            # No limit of connections: how many requests run at a time is decided above.
            connector=aiohttp.TCPConnector(limit=0, ssl=_tls_context() if secure else True),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            trust_env=False,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    async def exchange(self, method: str, url: str, body: bytes | None, seconds: float) -> Response:
        """Send a request and read the whole response within ``seconds``, whatever trickles in meanwhile.

        Redirects are not followed. Raises `EndpointFault`.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(method, url, body)
        except EndpointFault as error:
            fault = error
        except (aiohttp.ClientError, OSError, ValueError, asyncio.TimeoutError) as error:  # noqa: UP041
            fault = self._fault(error, seconds)
        # Raised out here, without the caught error as context: that may hold URL and headers (QUIRKS Q82).
        raise fault

    async def _exchange(self, method: str, url: str, body: bytes | None) -> Response:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        async with self._session.request(
            method, url, data=body, headers=headers, allow_redirects=False, proxy=self._proxy
        ) as response:
            chunks: list[bytes] = []
            size = 0
            async for chunk in response.content.iter_chunked(_CHUNK):
                size += len(chunk)
                if size > self._options.max_body_bytes:
                    response.close()
                    limit = self._options.max_body_bytes
                    raise EndpointFault(
                        "body_too_large",
                        f"the response is larger than {limit:,} bytes",
                        reach=Reach.RUN,
                        status=response.status,
                    )
                chunks.append(chunk)
            fields: dict[str, str] = {}
            for name, value in response.headers.items():
                fields.setdefault(name.lower(), value)
            return Response(response.status, fields, b"".join(chunks))

    def _fault(self, error: Exception, seconds: float) -> EndpointFault:
        kind, reach, mend = _classify(error)
        text = f"no whole response within {seconds:g} s" if kind == "timeout" else _describe(error)
        shown = shorten(self._redact_proxy(text), self._options.redactor)
        return EndpointFault(kind, f"{self._host}: {shown}", reach=reach, mend=mend)


def _classify(error: Exception) -> tuple[str, Reach, str | None]:
    if isinstance(error, (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError)):
        denied = isinstance(error, aiohttp.ClientHttpProxyError) and error.status in (403, 407)
        mend = "check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY"
        return "proxy", Reach.ALL if denied else Reach.RETRY, mend
    if isinstance(error, (aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError, ssl.SSLError)):
        if any(mark in str(error) for mark in _TRANSIENT_TLS) and not isinstance(
            error, aiohttp.ClientConnectorCertificateError
        ):
            return "connect", Reach.RETRY, None
        return "tls", Reach.ALL, _tls_mend()
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "dns", Reach.RETRY, "check the host name in ERRATA_BENCH_API_BASE_URL and the network"
    if isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)):
        return "connect", Reach.RETRY, "check that the server runs at ERRATA_BENCH_API_BASE_URL"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "cut_body", Reach.RETRY, None
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError)):
        return "bad_address", Reach.ALL, "check ERRATA_BENCH_API_BASE_URL"
    if isinstance(error, aiohttp.ClientResponseError):
        return "bad_http", Reach.RETRY, "check that ERRATA_BENCH_API_BASE_URL begins with the right one of http, https"
    if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError):
        return "timeout", Reach.RETRY, "raise --request-timeout if the model is this slow"
    if isinstance(error, ValueError) and not isinstance(error, aiohttp.ClientError):
        return "bad_address", Reach.ALL, "check ERRATA_BENCH_API_BASE_URL and ERRATA_BENCH_API_KEY"
    return "connection_lost", Reach.RETRY, None


def _describe(error: Exception) -> str:
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the server closed the connection without a response"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "the response was cut before its end"
    if isinstance(error, aiohttp.ClientResponseError):
        return f"the response is no HTTP ({error.message})"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"the certificate is not trusted ({error.certificate_error})"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return f"no connection within {_CONNECT_SECONDS:g} s"
    return str(error) or type(error).__name__


def _tls_context() -> ssl.SSLContext:
    # Made here and not by aiohttp at import, so that SSL_CERT_FILE and SSL_CERT_DIR hold as they are now.
    return ssl.create_default_context()


def _tls_mend() -> str:
    named = os.environ.get("SSL_CERT_FILE")
    if named and not Path(named).is_file():
        return f"SSL_CERT_FILE names {named}, which is no file: name a file with the certificate authorities to trust"
    return "check the address; for an own certificate authority, set SSL_CERT_FILE to its certificate (PEM)"
