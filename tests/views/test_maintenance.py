from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from errata_bench.results.checking import Finding, Trouble
from errata_bench.results.disqualifying import CaseChange, Disqualified
from errata_bench.results.merge import MergedSource
from errata_bench.results.prune import Loss
from errata_bench.results.refresh import RefreshReport
from errata_bench.results.rescorer import VariantChange
from errata_bench.store.merging import Merged
from errata_bench.variants import Variant
from errata_bench.views.maintenance import (
    change_lines,
    disqualified_lines,
    finding_lines,
    findings_json,
    loss_lines,
    merge_lines,
    refresh_lines,
)
from errata_bench.views.pricing import PriceLine, PriceView, price_changes, price_notes

HOSTILE = Variant("org/\x1b[31mred\x1b[0m", "low")
ALPHA = Variant("org/alpha", "low")


def test_changes_are_told_by_variant_largest_move_first() -> None:
    moves = Counter({("unjudged", "fixed_alternative"): 3, ("fixed", "none"): 1})
    lines = list(change_lines([VariantChange(ALPHA, 4, 2, moves, 0.5, 0.75), VariantChange(ALPHA, 3)]))
    assert lines == [
        "org/alpha:low: 2 of 4 runs have other figures; quality 0.500 -> 0.750",
        "  3 issues: unjudged -> fixed alternative",
        "  1 issue: fixed -> not counted",
        "7 runs scored again, 5 unchanged.",
    ]


def test_cases_that_changed_and_those_that_could_not_are_named() -> None:
    report = Disqualified([CaseChange("letter", ("a", "b"), ("c",), 3)], ["memo"], ["memo", "blank"])
    assert list(disqualified_lines(report)) == [
        "Case letter (3 runs): disqualified: a, b; counting again: c",
        "Case memo: the dataset holds another text or other issues under this id; left as it is",
        "Case memo: not in the dataset; left as it is",
        "Case blank: not in the dataset; left as it is",
    ]


def test_a_dry_run_says_that_nothing_was_written() -> None:
    assert list(refresh_lines(RefreshReport(), dry_run=True))[-1] == "Nothing was written."
    assert "Nothing was written." not in list(refresh_lines(RefreshReport()))


def test_what_would_go_is_told_by_variant() -> None:
    assert list(loss_lines([Loss(ALPHA, 2, 1, 5, 3), Loss(ALPHA, failures=1)])) == [
        "org/alpha:low: 2 runs (1 successful, 5 chunks) and 3 recorded failures",
        "org/alpha:low: 1 recorded failure",
    ]


def test_very_many_conflicts_are_counted() -> None:
    merged = Merged(added=1, same=2, conflicts=[f"run {n}" for n in range(25)])
    lines = list(merge_lines("g", [MergedSource(Path("a.sqlite"), merged)]))
    assert lines[0] == "a.sqlite: 1 run added, 0 brought further, 2 there already, 25 conflicts"
    assert (len(lines), lines[-1]) == (22, "  and 5 more")


def test_findings_are_grouped_by_kind() -> None:
    findings = [Finding(Trouble.MIXED, "judge", "none, a"), Finding(Trouble.DAMAGE, "", "a page is lost", (1,))]
    assert list(finding_lines("g", findings)) == [
        "Damage:",
        "  a page is lost",
        "Mixed settings:",
        "  judge: none, a",
        "g: 2 findings",
    ]
    assert list(finding_lines("g", [])) == ["g: no findings"]
    assert json.loads(findings_json("g", findings))["findings"][1]["runs"] == [1]


def test_names_of_models_and_cases_cannot_command_the_terminal() -> None:
    lines = [
        *change_lines([VariantChange(HOSTILE, 1, 1)]),
        *loss_lines([Loss(HOSTILE, 1)]),
        *disqualified_lines(Disqualified([CaseChange("\x1b]0;x\x07", ("\x1b[2J",), (), 1)])),
        *finding_lines("g", [Finding(Trouble.MIXED, "\x1b[2J", "\x1b[2J")]),
        *merge_lines("g", [MergedSource(Path("a.sqlite"), Merged(conflicts=["\x1b[2J"]))]),
        *price_notes(PriceView([PriceLine(str(HOSTILE))], note="\x1b[2J", changed=["\x1b[2J"])),
    ]
    assert not any("\x1b" in line or "\x07" in line for line in lines)


def test_prices_that_changed_appeared_and_vanished_are_told() -> None:
    before = [PriceLine("a", 1.0, 2.0, source="price list"), PriceLine("b"), PriceLine("c", 1.0, 1.0, source="x")]
    after = [PriceLine("a", 1.0, 2.5, source="price list"), PriceLine("b", 3.0, 4.0, source="x"), PriceLine("c")]
    assert price_changes(before, after) == [
        "a: $1.00 in and $2.00 out before, $1.00 in and $2.50 out now",
        "b: no known price before, $3.00 in and $4.00 out now",
        "c: $1.00 in and $1.00 out before, no known price now",
    ]
    assert price_changes(after, after) == []


def test_the_age_of_the_list_and_what_is_unknown_are_said() -> None:
    assert price_notes(PriceView([PriceLine("a")], age_seconds=90.0, pricing_file="p.json")) == [
        "The price list is 1 min 30 s old.",
        "The pricing file p.json goes before it.",
        "1 model without a known price: their costs are n/a unless replies report them.",
    ]
