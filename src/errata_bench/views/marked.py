"""Pieces of a text with what was taken out and put in, as a line of text.

``[-old-]{+new+}`` is an edit; ``(issue-01: fixed)`` behind it says which planted error it is about and what became of
it; ``wrong(issue-01: missed)`` is an error that was left, ``^(issue-01: missed)`` a place where something is
missing. Colours repeat what the marks say, and add nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from errata_bench.results.detail.marking import Piece, PieceKind
from errata_bench.views.terminal import plain

VERDICT_WORDS = {
    "fixed": "fixed",
    "fixed_alternative": "fixed otherwise",
    "bad_fix": "bad fix",
    "unjudged": "unjudged",
    "not_addressed": "missed",
}
"""What rule v1's verdicts are called where people read them."""
VERDICT_STYLES = {
    "fixed": "green",
    "fixed_alternative": "cyan",
    "bad_fix": "red",
    "unjudged": "yellow",
    "not_addressed": "magenta",
}
MARKS_EXPLAINED = "[-taken out-]{+put in+}; (issue: verdict) follows a planted error, edits without it are others."


def verdict_word(verdict: str | None) -> str:
    """A verdict in words; a dash where there is none."""
    return "-" if verdict is None else VERDICT_WORDS.get(verdict, plain(verdict))


def verdict_style(verdict: str | None) -> str:
    """The colour of a verdict."""
    return "" if verdict is None else VERDICT_STYLES.get(verdict, "")


def marked_text(pieces: Iterable[Piece], *, name_issues: bool = True) -> Text:
    """The pieces as one text; without ``name_issues`` nothing says which edit is about which issue."""
    text = Text()
    told = ""
    for piece in pieces:
        about_issue = piece.kind is PieceKind.ISSUE
        if told and piece.after[:1].isalnum():
            text.append(" ")  # or the label would run into the next word
        told = ""
        if piece.before == piece.after or piece.kind is PieceKind.EQUAL:
            text.append(plain(piece.after) or "^", "bold" if about_issue else "")
        else:
            text.append_text(change(piece.before, piece.after))
        if about_issue and name_issues and piece.issue_id is not None:
            told = f"({plain(piece.issue_id)}: {verdict_word(piece.verdict)})"
            text.append(told, verdict_style(piece.verdict) or "bold")
    return text


def change(before: str, after: str) -> Text:
    """``[-old-]{+new+}``; what is empty is left out."""
    text = Text()
    if before:
        text.append(f"[-{plain(before)}-]", "red")
    if after:
        text.append(f"{{+{plain(after)}+}}", "green")
    return text
