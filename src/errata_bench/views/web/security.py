"""What keeps a page from doing anything that we did not write: its Content-Security-Policy and other headers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "object-src 'none'",
    )
)
"""No inline script or style, nothing from another host, no request by a script. A page can carry it in a meta tag."""

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
)
"""Sent with every answer; what a meta tag cannot say is in here too."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})


def host_is_ours(host_header: str, bound_to: str) -> bool:
    """Whether a request names this server.

    A server on loopback answers only to loopback's names: otherwise a page of another site could read a group by
    letting its own name point here (DNS rebinding). One that was bound to another address answers to any name.
    """
    if bound_to not in LOOPBACK:
        return True
    name = host_header.rpartition(":")[0] if host_header.rpartition(":")[2].isdigit() else host_header
    return name.lower() in LOOPBACK
