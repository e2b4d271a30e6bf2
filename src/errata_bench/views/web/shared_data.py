"""Files of data that pages share, as scripts: what many pages would repeat stands in one, and is loaded when wanted.

A page that was opened from disk may load a script but not read a file. Each is one call with JSON in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from errata_bench.results.detail.marking import MarkedParagraph
from errata_bench.views.web.contexts.compare import matrix
from errata_bench.views.web.contexts.rankings import scopes
from errata_bench.views.web.data import Facts
from errata_bench.views.web.formats import VERDICT_CLASSES, VERDICT_LETTERS
from errata_bench.views.web.render import json_text

_NAME = re.compile(r"(text|marked)-([1-9][0-9]{0,17})\.js")


def script(facts: Facts, name: str) -> bytes | None:
    """The file of that name; None for another."""
    if name == "matrix.js":
        return _call("matrix", 0, matrix(facts))
    if name == "scopes.js":
        return _call("scopes", 0, scopes(facts))
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    number = int(match[2])
    found = _text(facts, number) if match[1] == "text" else _marked(facts, number)
    return None if found is None else _call(match[1], number, found)


def names(facts: Facts) -> Iterator[str]:
    """The names of all files, for a static site: texts of cases, and one run of each model on each case."""
    yield "matrix.js"
    yield "scopes.js"
    yield from (f"text-{number}.js" for number in facts.case_numbers.values())
    yield from (f"marked-{run_id}.js" for run_id in facts.representatives().values())


def _call(kind: str, number: int, value: Any) -> bytes:
    return f'ErrataBench.receive("{kind}", {number}, {json_text(value)});\n'.encode("utf-8", "replace")


def _text(facts: Facts, number: int) -> list[str] | None:
    """A case's paragraphs as models got them, by place."""
    fingerprint = facts.case_by_number.get(number)
    case = facts.case(fingerprint) if fingerprint else None
    if case is None:
        return None
    marker = facts.marker(case)
    return [marker.mark(paragraph.id, None).before for paragraph in case.document]


def _marked(facts: Facts, run_id: int) -> dict[int, list[list[str]]] | None:
    """The paragraphs of a run that hold errors, in pieces, by the numbers of their issues."""
    if run_id not in facts.by_id:
        return None
    fingerprint = facts.by_id[run_id].key.fingerprint
    found = {}
    for paragraph in facts.marked_paragraphs(run_id):
        numbers = [facts.issue_numbers.get((fingerprint, one)) for one in paragraph.issue_ids]
        for number in numbers:
            if number is not None:
                found[number] = _pieces(paragraph)
    return found


def _pieces(paragraph: MarkedParagraph) -> list[list[str]]:
    pieces = []
    for piece in paragraph.pieces:
        if piece.kind == "equal":
            pieces.append([piece.after])
        elif piece.kind == "issue":
            pieces.append([piece.before, piece.after, VERDICT_CLASSES[piece.verdict], VERDICT_LETTERS[piece.verdict]])
        else:
            pieces.append([piece.before, piece.after])
    return pieces
