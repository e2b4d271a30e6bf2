"""What a plan will take, before it is begun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from errata_bench.runs.estimate import ASSUMPTIONS, Estimate, Work
from errata_bench.views.terminal import count, dollars, plain, significant

_HEADS = ("requests", "tokens in", "tokens out", "cost", "at most")


def print_estimate(console: Console, estimate: Estimate) -> None:
    """Print requests, tokens and cost by variant and in all, and what they rest on."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("model")
    for head in ("runs", *_HEADS):
        table.add_column(head, justify="right")
    for line in estimate.lines:
        name = plain(str(line.variant)) + (" (judge)" if line.is_judge else "")
        table.add_row(Text(name), Text(f"{line.runs:,}"), *_cells(line.expected, line.most))
    if len(estimate.lines) > 1:
        expected = _sum([line.expected for line in estimate.lines])
        most = _sum([line.most for line in estimate.lines])
        runs = sum(line.runs for line in estimate.lines if not line.is_judge)
        table.add_row(Text("all"), Text(f"{runs:,}"), *_cells(expected, most), style="bold")
    console.print(table)
    for remark in unpriced_lines(estimate):
        console.print(Text(remark), soft_wrap=True)
    console.print(Text("Assumed:"))
    for assumption in ASSUMPTIONS:
        console.print(Text(f"  {assumption}"))


def estimate_lines(estimate: Estimate) -> Iterator[str]:
    """The estimate in a line or two."""
    if not estimate.requests:
        yield "Estimate: nothing is left to be asked, so nothing will be spent."
        return
    expected = _sum([line.expected for line in estimate.lines])
    if _nothing_is_priced(estimate):
        cost = "cost unknown."
    else:
        cost = f"about {dollars(estimate.cost_usd)}, at most {dollars(estimate.most_usd)} without retries."
    yield (
        f"Estimate: {count(round(estimate.requests), 'request')}, {significant(expected.prompt_tokens)} tokens in, "
        f"{significant(expected.completion_tokens)} out: {cost}"
    )
    yield from unpriced_lines(estimate)


def unpriced_lines(estimate: Estimate) -> Iterator[str]:
    """Say whose price is not known, if anybody's is not."""
    if estimate.unpriced:
        names = ", ".join(dict.fromkeys(plain(variant.model) for variant in estimate.unpriced))
        if _nothing_is_priced(estimate):
            yield f"Nobody knows the price of {names} (ERRATA_BENCH_PRICING_FILE gives it)."
        else:
            yield f"Not in it, because nobody knows the price (ERRATA_BENCH_PRICING_FILE gives it): {names}"


def _nothing_is_priced(estimate: Estimate) -> bool:
    """Whether all that is to be asked goes to models whose price nobody knows."""
    asked = [line for line in estimate.lines if line.expected.requests]
    return bool(asked) and all(line.expected.cost_usd is None for line in asked)


def _sum(works: Sequence[Work]) -> Work:
    return sum(works, Work())


def _cells(expected: Work, most: Work) -> list[Text]:
    amounts = (expected.requests, expected.prompt_tokens, expected.completion_tokens)
    costs = (expected.cost_usd, most.cost_usd)
    return [*(Text(f"{round(amount):,}") for amount in amounts), *(Text(dollars(cost)) for cost in costs)]
