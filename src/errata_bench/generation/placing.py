"""From a proposal to a change at its place: everything that can be checked by looking at the two texts alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from errata_bench.cases.classify import changed_tokens
from errata_bench.generation.proposals import Change, Fate, Proposal, Refused
from errata_bench.generation.source import SourceParagraph
from errata_bench.taxonomy import Category, EditScope, find_category
from errata_bench.text import normalise

MOST_WORDS: dict[EditScope, int] = {
    "character": 2,
    "token": 2,
    "phrase": 6,
    "clause": 12,
    "sentence": 25,
    "discourse": 25,
}
"""How many words an error of each scope may touch, on the side that has more."""

_MOST_LETTERS = 3
_HALF_PAIR = re.compile(r"[\ud800-\udfff]")
_SAME_WORDS = frozenset({"orthographic", "punctuation"})
"""Dimensions in which the very same words may be wrong: by a capital, a space, a mark."""


def place(proposal: Proposal, paragraphs: Sequence[SourceParagraph], offered: Sequence[Category]) -> Change | Refused:
    """Find where a proposal belongs among these paragraphs, and make a change of whole words of it.

    Refused where it cannot be found for certain, changes nothing that can be seen, or changes more than its category
    is about.
    """
    category = find_category(proposal.category.strip())
    if category is None or category not in offered:
        names = ", ".join(category.child for category in offered)
        return Refused(Fate.NOT_OFFERED, f"the category {proposal.category!r} is none of those offered: {names}")
    if _HALF_PAIR.search(proposal.passage + proposal.original + proposal.corrupted + proposal.description):
        return Refused(Fate.MALFORMED, "a text holds half of a surrogate pair, which is no character")
    if not proposal.original or not proposal.passage:
        return Refused(Fate.MALFORMED, "`passage` and `original` must not be empty: take a word beside it in")
    found = _locate(proposal, paragraphs)
    if isinstance(found, Refused):
        return found
    paragraph, start, end = found
    refused = _visible(proposal)
    if refused is not None:
        return refused
    passage = normalise(proposal.passage)
    at = passage.index(normalise(proposal.original))
    context_start, context_end = _to_words(paragraph.text, start - at, start - at + len(passage))
    start, end, wrong = _whole_words(paragraph, start, end, normalise(proposal.corrupted))
    spoilt = paragraph.text[min(context_start, start) : start] + wrong + paragraph.text[end : max(context_end, end)]
    # Within the passage itself, what remains of a text that was shortened is no second one.
    elsewhere = (at for at in _starts(f" {paragraph.text} ", f" {spoilt} ") if not context_start <= at < context_end)
    if next(elsewhere, None) is not None:
        reason = f"{spoilt!r} stands in the paragraph already; take in more of the words around it, or choose another"
        return Refused(Fate.ALREADY_THERE, reason)
    if paragraph.touches_markup(start, end) or (paragraph.format == "html" and re.search("[<>&]", wrong)):
        return Refused(Fate.TOUCHES_MARKUP, "it reaches into a tag or an entity; only text can be changed")
    change = Change(
        paragraph=paragraph.index,
        start=start,
        end=end,
        wrong=wrong,
        right=paragraph.text[start:end],
        category=category.label,
        passage=passage,
        spoilt=spoilt,
        description=proposal.description,
        severity=proposal.severity,
        valid_word=proposal.valid_word,
    )
    return _fits(change, category) or change


def _locate(proposal: Proposal, paragraphs: Sequence[SourceParagraph]) -> tuple[SourceParagraph, int, int] | Refused:
    passage, original = normalise(proposal.passage), normalise(proposal.original)
    inside = _starts(passage, original)
    if not inside:
        return Refused(Fate.NOT_FOUND, f"`original` ({original!r}) does not stand in `passage`")
    if len(inside) > 1:
        reason = f"`original` ({original!r}) stands {len(inside)} times in `passage`; take more words into it"
        return Refused(Fate.AMBIGUOUS, reason)
    searched = [paragraph for paragraph in paragraphs if proposal.paragraph in (None, paragraph.index)]
    places = [(paragraph, at) for paragraph in searched for at in _starts(paragraph.text, passage)]
    if len(places) > 1:
        reason = f"`passage` ({passage!r}) stands {len(places)} times in the text; take more words into it"
        return Refused(Fate.AMBIGUOUS, reason)
    if not places:
        flat = " ".join(" ".join(paragraph.text for paragraph in paragraphs).split())
        if " ".join(passage.split()) in flat:
            return Refused(Fate.CROSSES_PARAGRAPHS, "`passage` reaches over the end of a paragraph; stay within one")
        hint = " It occurs with other capitals." if passage.casefold() in flat.casefold() else ""
        reason = f"`passage` ({passage!r}) does not occur; copy it exactly, punctuation included.{hint}"
        return Refused(Fate.NOT_FOUND, reason)
    paragraph, at = places[0]
    start, end = paragraph.whole(at + inside[0], at + inside[0] + len(original))
    if (start, end) != (at + inside[0], at + inside[0] + len(original)):
        return Refused(Fate.AMBIGUOUS, "`original` cuts an ellipsis; take in the whole of it, or none")
    return paragraph, start, end


def _starts(text: str, needle: str) -> list[int]:
    return [match.start() for match in re.finditer(f"(?={re.escape(needle)})", text)]


def _visible(proposal: Proposal) -> Refused | None:
    """Refuse what changes nothing, or nothing that a model would see."""
    original, corrupted = normalise(proposal.original), normalise(proposal.corrupted)
    if proposal.original == proposal.corrupted:
        return Refused(Fate.NO_CHANGE, "`original` and `corrupted` are the same")
    if original == corrupted:
        reason = "the two differ only in kinds of quotation mark, space or dots, which are read as the same"
        return Refused(Fate.INVISIBLE, reason)
    if original.split() == corrupted.split() and bool(original.strip()) == bool(corrupted.strip()):
        return Refused(Fate.INVISIBLE, "the two differ only in the length of white space, which is not seen")
    return None


def _whole_words(paragraph: SourceParagraph, start: int, end: int, corrupted: str) -> tuple[int, int, str]:
    """Trim what the sides share, then take in the rest of cut words, and a neighbour where a side has no word."""
    text = paragraph.text
    original = text[start:end]
    shorter = min(len(original), len(corrupted))
    head = next((n for n in range(shorter) if original[n] != corrupted[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if original[-1 - n] != corrupted[-1 - n]), rest)
    wrong = corrupted[head : len(corrupted) - tail]
    start, end = start + head, end - tail
    if start == end and wrong[-1:].isspace() and text[:start].endswith(wrong):
        # What is written twice is shown with its twin, not with the word behind.
        start, wrong = start - 1, wrong[-1] + wrong[:-1]
        end = start
    first, last = _to_words(text, start, end)
    start, end, wrong = first, last, text[first:start] + wrong + text[end:last]
    if not (wrong.strip() and text[start:end].strip()):
        # What is only put in or left out is shown with the word behind it, or with the one before where there is none.
        before, further = _before(text, start), _behind(text, end)
        if further == end:
            wrong, start = text[before:start] + wrong, before
        else:
            wrong, end = wrong + text[end:further], further
    return _inner(text, start, end, wrong)


def _before(text: str, at: int) -> int:
    """Where the word before a place begins."""
    while at > 0 and text[at - 1].isspace():
        at -= 1
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at


def _behind(text: str, at: int) -> int:
    """Where the word behind a place ends."""
    while at < len(text) and text[at].isspace():
        at += 1
    while at < len(text) and not text[at].isspace():
        at += 1
    return at


def _to_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def _inner(text: str, start: int, end: int, wrong: str) -> tuple[int, int, str]:
    """Leave out white space that both sides have at their ends."""
    while start < end and wrong and text[start].isspace() and wrong[0] == text[start]:
        start, wrong = start + 1, wrong[1:]
    while start < end and wrong and text[end - 1].isspace() and wrong[-1] == text[end - 1]:
        end, wrong = end - 1, wrong[:-1]
    return start, end, wrong


def _fits(change: Change, category: Category) -> Refused | None:
    """Refuse what is more than its category is about, or for its category nothing."""
    lost, gained = changed_tokens(change.right.split(), change.wrong.split())
    words = max(len(lost), len(gained))
    if words > MOST_WORDS[category.edit_scope]:
        reason = (
            f"{words} words are changed; {category.child} is an error of a {category.edit_scope}, "
            f"of {MOST_WORDS[category.edit_scope]} words at most"
        )
        return Refused(Fate.TOO_MUCH, reason)
    if category.edit_scope == "character" and category.parent == "orthography_and_word_form":
        letters_lost, letters_gained = changed_tokens(list(change.right), list(change.wrong))
        if max(len(letters_lost), len(letters_gained)) > _MOST_LETTERS:
            return Refused(Fate.TOO_MUCH, f"more than a slip of a letter is changed; {category.definition}")
    if category.dimension not in _SAME_WORDS and category.operation != "boundary_error":
        before, after = (_letters(text) for text in (change.right, change.wrong))
        if before == after:
            reason = (
                f"for {category.child} nothing is wrong: but for capitals, spaces and marks both sides are the same"
            )
            return Refused(Fate.UNDOES_ITSELF, reason)
    return None


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
