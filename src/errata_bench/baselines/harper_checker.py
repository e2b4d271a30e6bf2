"""Harper, a rule-based English checker, through harper-py.

Of what it reports, only what it calls an error is used, and only with its first suggestion. Left out are its opinions
on style, length, formatting and dialect, and those of its error rules that found fault with right prose again and
again, and hardly an error, when tried on well-edited technical, legal and literary texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from errata_bench.baselines.dialect import Dialect, detect_dialect
from errata_bench.baselines.judgement import Suggestion, clear_correction, is_worth_taking, without_neighbours
from errata_bench.baselines.plain_text import Correction
from errata_bench.baselines.words import VisibleText, Word, is_strange, names

_ERROR_KINDS = names(
    "Agreement BoundaryError Capitalization Eggcorn Grammar Malapropism Miscellaneous Nonstandard Punctuation "
    "Repetition Typo Usage WordChoice"
)
"""Not among them: Enhancement, Formatting, Readability, Redundancy, Regionalism, Style. Spelling goes its own way."""

_UNTRUSTED_RULES = names(
    # Opinions under the name of errors.
    "CompoundNouns ExpandMemoryShorthands Everyone FindOut Insofar Nonetheless OrthographicConsistency "
    "RedundantThat "
    # Guesses at parts of speech that right prose often defeats.
    "Damages InAWhile LetsConfusion MassNouns MissingTo NounVerbConfusion PhrasalVerbAsCompoundNoun PronounKnew "
    "PronounVerbAgreement QuantifierNumeralConflict SingleBe SplitWords ThatThan TheirToTheyre ThereIsAgreement "
    "ThereToTheir ToTwoToo WhomSubjectOfVerb WrongNegative"
)


class HarperChecker:
    """Harper with its dictionary loaded; takes about a second to build, then a few milliseconds for each linter.

    A linter remembers what it has checked and answers ten times as fast when it sees it again. Each check gets a new
    one, so that its time is that of checking.
    """

    def __init__(self) -> None:
        import harper

        self._new_linter = harper.Linter
        self._dialects = {Dialect.AMERICAN: harper.Dialect.AMERICAN, Dialect.BRITISH: harper.Dialect.BRITISH}
        for dialect in self._dialects.values():
            self._new_linter(dialect)

    def check(self, paragraphs: Sequence[str]) -> list[list[Correction]]:
        """The corrections of each paragraph."""
        visible = VisibleText(paragraphs)
        linter = self._new_linter(self._dialects[detect_dialect(paragraphs)])
        return [self._check(text, visible, linter) for text in paragraphs]

    def _check(self, text: str, visible: VisibleText, linter: Any) -> list[Correction]:
        found: Mapping[str, list[Any]] = linter.organized_lints(text, language="plaintext")
        spelling = _misspellings(text, found["SpellCheck"], visible)
        grammar = [
            suggestion.as_correction()
            for rule, lints in found.items()
            if rule not in _UNTRUSTED_RULES
            for lint in lints
            if lint.lint_kind in _ERROR_KINDS and (suggestion := _suggestion(lint)) is not None
            if is_worth_taking(text, suggestion)
        ]
        return spelling + without_neighbours(grammar, text)


def _misspellings(text: str, lints: Sequence[Any], visible: VisibleText) -> list[Correction]:
    unknown = [(Word(lint.problem_text, lint.span.start, lint.span.end), lint) for lint in lints]
    if is_strange((word for word, _ in unknown), text):
        return []
    corrections: list[Correction] = []
    for word, lint in unknown:
        if visible.may_be_slip(text, word):
            right = clear_correction(word, [s.replacement_text for s in lint.suggestions], visible)
            if right is not None:
                corrections.append(Correction(word.start, word.end, right))
    return corrections


def _suggestion(lint: Any) -> Suggestion | None:
    """The first suggestion of a lint, if it has one."""
    from harper import SuggestionKind

    if not lint.suggestions:
        return None
    first = lint.suggestions[0]
    if first.kind == SuggestionKind.INSERT_AFTER:
        return Suggestion(lint.span.end, lint.span.end, first.replacement_text)
    text = "" if first.kind == SuggestionKind.REMOVE else first.replacement_text
    return Suggestion(lint.span.start, lint.span.end, text)
