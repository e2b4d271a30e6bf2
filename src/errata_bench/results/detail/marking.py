"""A paragraph in pieces: what stayed, what became of each planted error, and what else was edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.errors import DatasetError
from errata_bench.results.one_paragraph import paragraph_case
from errata_bench.scoring.aligned.markup import HunkKind
from errata_bench.scoring.aligned.plain_text import plain_text
from errata_bench.scoring.aligned.tokens import tokenise

_CONTEXT = 90
"""Characters of a sentence's surroundings that are kept on either side of an error at most."""
_ENDS = (". ", "! ", "? ", ".' ", '." ', "!' ", '!" ', "?' ", '?" ')


class PieceKind(StrEnum):
    """What a piece of a paragraph is."""

    EQUAL = "equal"
    ISSUE = "issue"
    EDIT = "edit"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a paragraph: plain text before and after, in which quotes and spaces may be folded.

    ``issue_id`` names the issue of an issue's piece, or an issue whose place an edit touches. ``verdict`` is what rule
    v1 has of the issue (None where the run is not finished, or the issue is disqualified), ``aligned`` what the
    alignment says. ``kind_of_edit`` is insertion, deletion, substitution or case; an issue's piece has one where it is
    mended in other capitals.
    """

    kind: PieceKind
    before: str
    after: str
    issue_id: str | None = None
    verdict: str | None = None
    aligned: str | None = None
    kind_of_edit: str | None = None


@dataclass(frozen=True, slots=True)
class MarkedParagraph:
    """A paragraph as a run left it, in pieces.

    All ``before`` joined are the text that the model got, all ``after`` joined what it left. ``changed`` says that
    they differ by more than white space. ``located`` is false where the case cannot be aligned: then no issue has a
    piece of its own.
    """

    id: str
    pieces: tuple[Piece, ...]
    changed: bool
    issue_ids: tuple[str, ...]
    located: bool = True

    @property
    def edits(self) -> int:
        """Edits besides the planted errors."""
        return sum(piece.kind_of_edit is not None for piece in self.pieces)

    @property
    def before(self) -> str:
        """The text that the model got."""
        return "".join(piece.before for piece in self.pieces)

    @property
    def after(self) -> str:
        """The text that it left."""
        return "".join(piece.after for piece in self.pieces)

    def around(self, issue_id: str) -> tuple[Piece, ...]:
        """The pieces of the sentence that an issue stands in, cut where it is long; all pieces where it has none."""
        at = next((n for n, one in enumerate(self.pieces) if one.issue_id == issue_id and one.kind == "issue"), None)
        if at is None:
            return self.pieces
        before = _take(self.pieces[:at], forwards=False)
        after = _take(self.pieces[at + 1 :], forwards=True)
        return (*before, self.pieces[at], *after)


@dataclass(slots=True)
class Marker:
    """Marks paragraphs of one case, each version of each paragraph once.

    A paragraph is aligned by itself, so that one paragraph of many runs costs no more than it has to.
    """

    case: Case
    _parts: dict[str, Case] = field(default_factory=dict)
    _known: dict[tuple[str, str], MarkedParagraph] = field(default_factory=dict)

    def mark(
        self, paragraph_id: str, inner_html: str | None, verdicts: Mapping[str, str] | None = None
    ) -> MarkedParagraph:
        """Mark a paragraph that was left like this (None: as it was), with rule v1's verdicts by issue id."""
        original = self.case.document.get(paragraph_id)
        assert original is not None
        final = original.inner_html if inner_html is None else inner_html
        key = (paragraph_id, final)
        if key not in self._known:
            self._known[key] = self._align(original, final)
        marked = self._known[key]
        if not verdicts or not marked.issue_ids:
            return marked
        pieces = tuple(
            piece if piece.issue_id is None else replace(piece, verdict=verdicts.get(piece.issue_id))
            for piece in marked.pieces
        )
        return replace(marked, pieces=pieces)

    def _align(self, original: Paragraph, final: str) -> MarkedParagraph:
        from errata_bench.scoring.aligned.run import align_document

        part = self._part(original)
        try:
            run = align_document(part, Document((Paragraph(original.id, final),)))
        except DatasetError:
            return _unlocated(original, final, tuple(issue.id for issue in part.issues))
        (paragraph,) = run.paragraphs
        pieces = []
        for segment in paragraph.segments:
            if segment.hunk is not None:
                hunk = paragraph.hunks[segment.hunk]
                piece = Piece(PieceKind.EDIT, segment.before, segment.after, kind_of_edit=hunk.kind.value)
                pieces.append(replace(piece, issue_id=hunk.beside[0] if hunk.beside else None))
            elif segment.issue_id is not None:
                issue_id = segment.issue_id
                aligned = run.issues[issue_id].verdict.value
                recased = HunkKind.CASE.value if any(hunk.at_issue == issue_id for hunk in paragraph.hunks) else None
                pieces.append(Piece(PieceKind.ISSUE, segment.before, segment.after, issue_id, None, aligned, recased))
            else:
                pieces.append(Piece(PieceKind.EQUAL, segment.before, segment.after))
        return MarkedParagraph(original.id, tuple(pieces), paragraph.changed, paragraph.issue_ids)

    def _part(self, original: Paragraph) -> Case:
        if original.id not in self._parts:
            self._parts[original.id] = paragraph_case(self.case, original)
        return self._parts[original.id]


def _unlocated(original: Paragraph, final: str, issue_ids: tuple[str, ...]) -> MarkedParagraph:
    """The plain differences of a paragraph in which nobody can say where the errors are."""
    from rapidfuzz.distance import Levenshtein

    before, after = tokenise(plain_text(original.inner_html)), tokenise(plain_text(final))
    pieces = []
    for one in Levenshtein.opcodes(before, after):
        old, new = "".join(before[one.src_start : one.src_end]), "".join(after[one.dest_start : one.dest_end])
        if one.tag == "equal":
            pieces.append(Piece(PieceKind.EQUAL, old, new))
        else:
            kind = {"insert": "insertion", "delete": "deletion"}.get(one.tag, "substitution")
            pieces.append(Piece(PieceKind.EDIT, old, new, kind_of_edit=kind))
    changed = "".join(before).split() != "".join(after).split()
    return MarkedParagraph(original.id, tuple(pieces), changed, issue_ids, located=False)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence that an error stands in, plain: what stands before it, the wrong text, and what follows."""

    left: str
    wrong: str
    right: str


def sentence_of(case: Case, issue: Issue) -> Sentence:
    """An issue's sentence as the models got it, cut where it is long."""
    paragraph = case.document.get(issue.paragraph_id)
    inner_html = "" if paragraph is None else paragraph.inner_html
    left, right = plain_text(inner_html[: issue.start]), plain_text(inner_html[issue.end :])
    return Sentence(_tail(left), plain_text(issue.find), _head(right))


def _take(pieces: Sequence[Piece], *, forwards: bool) -> list[Piece]:
    """The pieces next to a place up to the end of its sentence."""
    taken: list[Piece] = []
    room = _CONTEXT
    for piece in pieces if forwards else reversed(pieces):
        if piece.kind is PieceKind.EQUAL:
            text = _head(piece.after, room) if forwards else _tail(piece.after, room)
            taken.append(replace(piece, before=text, after=text))
            if text != piece.after:
                break
            room -= len(text)
        else:
            taken.append(piece)
            room -= max(len(piece.before), len(piece.after))
        if room <= 0:
            break
    return taken if forwards else taken[::-1]


def _head(text: str, room: int = _CONTEXT) -> str:
    """The beginning of a text up to the end of its first sentence; ``…`` where it is cut earlier."""
    ends = [at + len(end.rstrip()) for end in _ENDS if (at := text.find(end)) >= 0]
    sentence = text[: min(ends)] if ends else text
    if len(sentence) <= room:
        return sentence
    return sentence[:room].rpartition(" ")[0] + " …"


def _tail(text: str, room: int = _CONTEXT) -> str:
    """The end of a text from the beginning of its last sentence; ``…`` where it is cut later."""
    begins = [at + len(end) for end in _ENDS if (at := text.rfind(end)) >= 0]
    sentence = text[max(begins) :] if begins else text
    if len(sentence) <= room:
        return sentence
    return "… " + sentence[-room:].partition(" ")[2]
