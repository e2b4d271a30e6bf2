"""What all pages need: who asks for which page in what state, and the choices of filters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from errata_bench.results.detail.selection import provider_of
from errata_bench.store.records import RunSettings
from errata_bench.variants import Variant
from errata_bench.views.web.data import Facts, Scope
from errata_bench.views.web.links import Links


@dataclass(frozen=True, slots=True)
class Request:
    """A page that is wanted: the group's facts, the query, and the number in its path (None: it has none).

    ``static``: it is written to a file, which has every state in it and lets scripts choose.
    """

    facts: Facts
    links: Links
    query: Mapping[str, str] = field(default_factory=dict)
    number: int | None = None
    static: bool = False

    def one_of(self, name: str, choices: Collection[str]) -> str:
        """A value of the query if it is one of these, else empty."""
        value = self.query.get(name, "")
        return value if value in choices else ""

    def flag(self, name: str) -> bool:
        """Whether a box is ticked."""
        return self.query.get(name) == "1"

    def text(self, name: str) -> str:
        """Any text, of a length that a page can bear."""
        return self.query.get(name, "")[:200]

    @property
    def scope(self) -> Scope:
        """The case or the category that is asked for; a case where both are."""
        case = self.one_of("case", self.facts.case_ids)
        return Scope(case, "" if case else self.one_of("category", self.facts.categories))


class PageMissing(Exception):
    """There is no such page in this group; ``reason`` says why where that is known."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


def model_fits(variant: Variant, *, search: str, provider: str, effort: str) -> bool:
    """Whether a model is shown under these filters."""
    return (
        (not search or search.casefold() in str(variant).casefold())
        and (not provider or provider_of(variant) == provider)
        and (not effort or variant.effort == effort)
    )


def settings_words(settings: RunSettings) -> str:
    """What runs were made with, in a sentence."""
    chunks = f"chunks of up to {settings.max_words:,} words" if settings.max_words else "whole documents"
    judge = f"judge {settings.judge}" if settings.judge else "no judge"
    turns = "turn" if settings.max_turns == 1 else "turns"
    return (
        f"endpoint {settings.endpoint}, {chunks}, at most {settings.max_turns} {turns} each, replies of up to "
        f"{settings.max_completion_tokens:,} tokens, prompt {settings.prompt_version}, {judge}"
    )
