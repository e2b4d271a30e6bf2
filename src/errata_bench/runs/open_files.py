"""The limit of open files: every request in flight needs a connection, and every connection is a file."""

from __future__ import annotations

import sys

_BESIDE_CONNECTIONS = 64
"""Files that a process has open beside its connections."""


def connections_allowed(wanted: int) -> int:
    """Raise the soft limit of open files as far as ``wanted`` connections need; return how many may be opened.

    The hard limit is left as it is. Where there are no such limits, all that is wanted may be opened.
    """
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _BESIDE_CONNECTIONS
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    reachable = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
    except (OSError, ValueError):
        reachable = soft  # some systems have a lower limit than they say
    return max(1, min(wanted, reachable - _BESIDE_CONNECTIONS))
