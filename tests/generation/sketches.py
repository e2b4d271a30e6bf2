"""A short text, and what corruptor and reviewer answer about it, of which a test names only what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from errata_bench.chat import Attempt, ChatReply, ChatRequest
from errata_bench.generation.attempts import Settled
from errata_bench.generation.corruptor import Assignment
from errata_bench.generation.draft import Draft
from errata_bench.generation.placing import place
from errata_bench.generation.proposals import Change, Proposal, Refused
from errata_bench.generation.source import SourceText, make_source
from errata_bench.generation.windows import Spread
from errata_bench.taxonomy import CATEGORIES
from tests.support.doubles import calling, tool_call

PARAGRAPHS = (
    "The keeper of the lamp was asleep when the boat came in, and nobody on the quay had thought to wake him.",
    "Two of the men climbed the stairs with their boots in their hands, because the door at the top was open.",
    "They found the log on the table, and in it the last entry, which was a week old and did not mention the fog.",
    "On the way down one of them said that he had never seen a lamp so clean in a tower that was so badly kept.",
)
TEXT = "\n\n".join(PARAGRAPHS)


def source(text: str = TEXT) -> SourceText:
    return make_source(text, "text")


def draft(text: str = TEXT, *, caps: int = 3, most_near: int = 20) -> Draft:
    made = source(text)
    return Draft(made, Spread(4, (4,), tuple(caps for _ in made.paragraphs), most_near))


def proposal(category: str, passage: str, original: str, corrupted: str, **fields: Any) -> Proposal:
    return Proposal(category, passage, original, corrupted, **fields)


def placed(made: Proposal, text: str = TEXT) -> Change:
    change = place(made, source(text).paragraphs, CATEGORIES)
    assert not isinstance(change, Refused), change
    return change


def corrupted_by(category: str, passage: str, original: str, corrupted: str, **fields: Any) -> ChatReply:
    """A corruptor's answer."""
    arguments = {
        "category": category,
        "passage": passage,
        "original": original,
        "corrupted": corrupted,
        "description": "A slip.",
        **fields,
    }
    return calling(tool_call("plant_error", arguments), cost_usd=0.01)


def reviewed(accepted: bool = True, confidence: str = "high", **fields: Any) -> ChatReply:
    """A reviewer's answer."""
    arguments = {"reason": "As it is.", "accepted": accepted, "confidence": confidence, **fields}
    return calling(tool_call("review", arguments), cost_usd=0.002)


def asked_for(request: ChatRequest) -> str:
    """The tool that a request is about."""
    return request.tool_choice


def user_text(request: ChatRequest) -> str:
    return str(request.messages[1]["content"])


def offered_in(prompt: str) -> list[str]:
    """The categories that a corruptor's prompt offers."""
    return re.findall(r"^- (\w+): ", prompt, re.MULTILINE)


def text_in(prompt: str) -> str:
    found = re.search(r"=== text ===\n(.*?)\n=== end of text ===", prompt, re.DOTALL)
    assert found is not None
    return found[1]


def any_error(prompt: str, taken: Sequence[str] = ()) -> dict[str, str]:
    """What a corruptor could answer: the first category on offer, and a word of the paragraph that is preferred.

    The category is right for no more than its name; code that looks at shapes is content with a changed word. Words
    within two of those ``taken`` are left alone.
    """
    category = offered_in(prompt)[0]
    preferred = re.search(r"Plant the error in paragraph (\d+)", prompt)
    assert preferred is not None
    for number, text in re.findall(r"\[(\d+)\] (.*)", text_in(prompt)):
        if number != preferred[1]:
            continue
        words = text.split()
        for n in range(2, len(words) - 2):
            passage = " ".join(words[n - 2 : n + 3])
            near = not set(words[n - 2 : n + 3]).isdisjoint(taken)
            if words[n].isalpha() and len(words[n]) > 3 and not near:
                return {
                    "category": category,
                    "passage": passage,
                    "original": words[n],
                    "corrupted": f"{words[n]}xq",
                    "description": "A slip.",
                }
    raise AssertionError("no word is left")


class Seen:
    """An `Observer` that keeps what it was told."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.assignments: list[Assignment] = []
        self.settlements: list[Settled] = []

    def attempted(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)

    def began(self, assignment: Assignment) -> None:
        self.assignments.append(assignment)

    def settled(self, settled: Settled) -> None:
        self.settlements.append(settled)
