"""What a judge said of edits away from all issues."""

from __future__ import annotations

from collections.abc import Iterator

from errata_bench.errors import ErrataBenchError
from errata_bench.results.edits import EditReport, GroupEdits
from errata_bench.scoring.judge.edits import EditClass
from errata_bench.views.terminal import count, percent, plain

_HEADS = {
    EditClass.REAL_FLAW_FIXED: "real flaws fixed",
    EditClass.HARMLESS: "harmless",
    EditClass.PREFERENTIAL: "preferential",
    EditClass.HARMFUL: "harmful",
}


def edit_lines(found: GroupEdits, report: EditReport, fault: ErrataBenchError | None = None) -> Iterator[str]:
    """The edits of each variant by class, how far the judge is to be trusted, and the flaws for the maintainers."""
    yield f"Edits away from all issues, as {plain(report.judge)} sees them:"
    for variant, classes in report.classes.items():
        told = [f"{head} {classes.get(one, 0)}" for one, head in _HEADS.items()]
        if report.unjudged.get(variant):
            told.append(f"unjudged {report.unjudged[variant]}")
        yield f"  {plain(str(variant))}: {', '.join(told)}"
    yield (
        f"The judge contradicted itself on {percent(report.disagreement_rate)} of "
        f"{count(report.compared, 'distinct edit')} when the order was swapped (counted as preferential), and classed "
        f"{report.gold_right} of {count(report.gold_judged, 'planted error')} right."
    )
    for case_id in found.left_out:
        yield f"The case {plain(case_id)} cannot be aligned; its edits are left out."
    if found.without_texts:
        yield f"{count(found.without_texts, 'run')} without stored texts left out."
    if fault is not None:
        yield f"The judge was not asked any more: {plain(str(fault))}"
    if report.real_flaws:
        yield "Real flaws of the texts that runs have mended; they are not counted against the models:"
    for flaw in report.real_flaws:
        where = f"{plain(flaw.case_id)}, paragraph {plain(flaw.paragraph_id)} ({count(flaw.runs, 'run')})"
        yield f"  {where}: {plain(flaw.before) or '(nothing)'} → {plain(flaw.after) or '(nothing)'}"
        yield f"    {plain(flaw.reason)}"
