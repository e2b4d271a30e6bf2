"""What all pages need: who asks for which page in what state, and the choices of filters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from errata_bench.results.detail.selection import provider_of
from errata_bench.store.records import NOT_KNOWN, RunSettings
from errata_bench.variants import Variant
from errata_bench.views.web.data import Facts
from errata_bench.views.web.links import Links
from errata_bench.views.web.scoped import Scope


@dataclass(frozen=True, slots=True)
class Asked:
    """In which state a page is wanted.

    ``static``: it is written to a file, which has every state in it and lets scripts choose.
    """

    links: Links
    query: Mapping[str, str] = field(default_factory=dict)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Asked):
    """A page of a group that is wanted: with the group's facts, and the number in its path (None: it has none)."""

    facts: Facts
    number: int | None = None

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
    """What runs were made with, in a sentence; of runs that were made elsewhere as far as it is known."""
    chunks = f"chunks of up to {settings.max_words:,} words" if settings.max_words else "whole documents"
    turns = "turn" if settings.max_turns == 1 else "turns"
    known = (
        (settings.max_words, chunks),
        (settings.max_turns, f"at most {settings.max_turns} {turns} each"),
        (settings.max_completion_tokens, f"replies of up to {settings.max_completion_tokens:,} tokens"),
    )
    return ", ".join(
        (
            f"endpoint {settings.endpoint}",
            *(words for value, words in known if value != NOT_KNOWN),
            f"prompt {settings.prompt_version}",
            f"judge {settings.judge}" if settings.judge else "no judge",
        )
    )
