"""What a person can ask of an invocation of ``generate``, and what of it makes it other work."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from errata_bench import __version__
from errata_bench.cases.header import Header
from errata_bench.generation import corruptor, reviewer
from errata_bench.generation.balance import CategoryOptions
from errata_bench.generation.reviewer import Confidence
from errata_bench.generation.session import SessionOptions
from errata_bench.generation.source import SourceText
from errata_bench.proofreading.prompts import PROMPT_VERSION
from errata_bench.runs.options import RunOptions
from errata_bench.variants import Variant

RULE_ATTEMPTS = 40
"""Attempts for each error, and refusals in a row before a window is left, where rules plant: they cost nothing."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Which model plants, which ones review, and which tries to find what was planted; all None: rules plant."""

    corruptor: Variant | None = None
    reviewer: Variant | None = None
    second_reviewer: Variant | None = None
    solver: Variant | None = None

    @property
    def offline(self) -> bool:
        """Whether no model takes part."""
        return self.corruptor is None

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The models that take part, each once."""
        named = (self.corruptor, self.reviewer, self.second_reviewer, self.solver)
        return tuple(dict.fromkeys(variant for variant in named if variant is not None))


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """What is to be made of which text.

    ``max_words`` is the words of a window (0: the whole text). ``per_1000`` errors are wanted in 1,000 words, or
    ``count`` in all. ``balance`` names cases to balance categories with. ``run`` says how the endpoint is used.
    """

    source: Path
    output_dir: Path | None = None
    case_id: str | None = None
    header: Header = field(default_factory=Header)
    roles: Roles = field(default_factory=Roles)
    max_words: int = 300
    per_1000: float = 5.0
    count: int | None = None
    seed: int = 0
    categories: CategoryOptions = field(default_factory=CategoryOptions)
    balance: tuple[str, ...] = ()
    least_confidence: Confidence = Confidence.MEDIUM
    attempts_per_issue: int = 6
    run: RunOptions = field(default_factory=RunOptions)
    overwrite: bool = False

    @property
    def session(self) -> SessionOptions:
        """How the session goes on."""
        return SessionOptions(
            seed=self.seed,
            attempts_per_issue=RULE_ATTEMPTS if self.roles.offline else self.attempts_per_issue,
            give_up_after=RULE_ATTEMPTS if self.roles.offline else SessionOptions().give_up_after,
            concurrency=self.run.concurrency,
            least_confidence=self.least_confidence,
        )


def identity(options: GenerateOptions, source: SourceText, existing: Mapping[str, int]) -> dict[str, Any]:
    """What has to agree for work to be taken up again: everything that could change what is asked or taken.

    How many attempts there may be, and how many at a time, is not among it. ``existing`` are the counts of the cases
    to balance with.
    """
    roles = options.roles
    return {
        "program": __version__,
        "prompts": _prompt_version(),
        "text": source.digest,
        "corruptor": "rules" if roles.corruptor is None else str(roles.corruptor),
        "reviewers": [str(variant) for variant in (roles.reviewer, roles.second_reviewer) if variant is not None],
        "solver": None if roles.solver is None else str(roles.solver),
        "review_min_confidence": options.least_confidence,
        "max_words_per_chunk": options.max_words,
        "issues_per_1000_words": options.per_1000,
        "issue_count": options.count,
        "seed": options.seed,
        "categories": {**asdict(options.categories), "targets": list(options.categories.targets)},
        "balance": {label: count for label, count in sorted(existing.items()) if count},
    }


def _prompt_version() -> str:
    content = "\0".join((*corruptor.PROMPTS, *reviewer.PROMPTS, PROMPT_VERSION))
    return hashlib.sha256(content.encode()).hexdigest()[:12]
