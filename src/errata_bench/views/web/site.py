"""The pages and files of one group, by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata_bench.results.published import Published
from errata_bench.views.web import shared_data
from errata_bench.views.web.contexts.common import Asked, PageMissing, Request
from errata_bench.views.web.contexts.published import published_page
from errata_bench.views.web.data import Facts
from errata_bench.views.web.links import Links
from errata_bench.views.web.pages import MENU, find_page
from errata_bench.views.web.render import asset, render

HTML = "text/html; charset=utf-8"
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is at a path: its bytes and their type. ``lasting``: it changes only with the program."""

    body: bytes
    content_type: str = HTML
    status: int = 200
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """One group as a site. ``static``: for files, whose scripts choose what a server would be asked for."""

    group_id: str
    static: bool = False
    other_groups: bool = False

    def get(self, facts: Facts, path: str, query: Mapping[str, str] | None = None) -> Answer:
        """What is at a path: a page, a shared file, or a page that says that there is nothing."""
        folder, _, name = path.partition("/")
        if folder == "static":
            return static_file(name) or self._missing(facts, path)
        if folder == "data":
            script = shared_data.script(facts, name)
            return self._missing(facts, path) if script is None else Answer(script, _TYPES["js"])
        found = find_page(path)
        if found is None:
            return self._missing(facts, path)
        page, number = found
        links = Links(page.depth)
        try:
            context = page.context(Request(links, query or {}, self.static, facts=facts, number=number))
        except PageMissing as missing:
            return self._missing(facts, path, missing.reason)
        return Answer(render(page.template, self._common(facts, links, page.section) | context))

    def _missing(self, facts: Facts, path: str, reason: str = "") -> Answer:
        links = Links(path.count("/"))
        return Answer(render("missing.html", self._common(facts, links, "") | {"reason": reason}), status=404)

    def _common(self, facts: Facts, links: Links, section: str) -> dict[str, Any]:
        return {
            "facts": facts,
            "overview": facts.overview,
            "group_id": self.group_id,
            "links": links,
            "menu": MENU,
            "section": section,
            "static": self.static,
            "other_groups": self.other_groups,
            "alone": False,
        }


@dataclass(frozen=True, slots=True)
class PublishedSite:
    """Figures that were published elsewhere as a site of one page, which belongs to no group."""

    published: Published
    static: bool = False
    other_groups: bool = False

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        """What is at a path: the page, a shared file, or a page that says that there is nothing."""
        folder, _, name = path.partition("/")
        if folder == "static" and (found := static_file(name)) is not None:
            return found
        links = Links(path.count("/"))
        common = {
            "overview": None,
            "group_id": self.published.id,
            "links": links,
            "menu": (),
            "section": "index.html",
            "static": self.static,
            "other_groups": self.other_groups,
            "alone": True,
        }
        if path != "index.html":
            return Answer(render("missing.html", common | {"reason": ""}), status=404)
        context = published_page(self.published, Asked(links, query or {}, self.static))
        return Answer(render("published.html", common | context))


def static_file(name: str) -> Answer | None:
    """A file that all sites share; None for an unknown name."""
    content = asset(name)
    return None if content is None else Answer(content, _TYPES[name.rpartition(".")[2]], lasting=True)


def message_page(heading: str, message: str = "", mend: str | None = None, *, status: int = 200, **more: Any) -> Answer:
    """A page that belongs to no group: the list of ``groups`` and of what is ``published``, or what is wrong."""
    context = {"heading": heading, "message": message, "mend": mend, "groups": [], "published": (), **more}
    return Answer(render("groups.html", context), status=status)
