"""Addresses of pages: relative, so that a site works under any prefix and from disk."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Links:
    """Makes the links of one page; ``depth`` is how many folders it lies below the site's root."""

    depth: int = 0

    @property
    def root(self) -> str:
        """The way from the page to the site's root: empty, or ending in a slash."""
        return "../" * self.depth

    def __call__(self, path: str, fragment: str = "", **query: str | int | None) -> str:
        """The link to a page with this state; what is None or empty is left out of the query."""
        asked = urlencode([(name, value) for name, value in query.items() if value not in (None, "")])
        return self.root + path + (f"?{asked}" if asked else "") + (f"#{fragment}" if fragment else "")
