"""Finds the proxy for a host from the environment (QUIRKS Q84)."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from errata_bench.endpoint.redact import redact_plain
from errata_bench.errors import SettingsError

_SCHEMES = ("http", "https")


def find_proxy(url: str) -> str | None:
    """Return the proxy's URL for ``url``, or None for a direct connection; loopback is always direct.

    ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` (host names, suffixes, networks such as
    10.0.0.0/8, ``*``) are honoured, in either case. Raises `SettingsError` for a proxy that is no http(s) one.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    environment: Mapping[str, str] = getproxies_environment()
    proxy = environment.get(parts.scheme) or environment.get("all")
    if not proxy or is_loopback(host) or _bypassed(parts.netloc.rpartition("@")[2], host, environment.get("no", "")):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    scheme = proxy.partition("://")[0].lower()
    if scheme not in _SCHEMES:
        raise SettingsError(
            f"the environment names the proxy {redact_plain(proxy)}, but {scheme} proxies are not supported",
            mend=f"set {parts.scheme.upper()}_PROXY to an http:// proxy, or name {host} in NO_PROXY",
        )
    return proxy


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _bypassed(netloc: str, host: str, entries: str) -> bool:
    return any(_matches(entry.strip().lower(), netloc.lower(), host.lower()) for entry in entries.split(","))


def _matches(entry: str, netloc: str, host: str) -> bool:
    if not entry:
        return False
    if entry == "*" or entry in (netloc, host):
        return True
    if "/" in entry:
        return _is_within(host, entry)
    suffix = "." + entry.lstrip("*").lstrip(".")
    return host.endswith(suffix) or netloc.endswith(suffix)


def _is_within(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
