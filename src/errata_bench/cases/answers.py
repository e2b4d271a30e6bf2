"""What the right answers are, for whoever is allowed to know them: the oracle, and the server that serves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errata_bench.cases.model import Case


def expected_paragraphs(cases: Sequence[Case]) -> Mapping[tuple[str, str], str]:
    """What the oracle knows: the expected inner HTML by paragraph id and corrupted inner HTML."""
    return {
        (paragraph.id, paragraph.inner_html): expected.inner_html
        for case in cases
        for paragraph, expected in zip(case.document, case.expected, strict=True)
        if paragraph != expected
    }
