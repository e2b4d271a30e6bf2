"""What would run, before it runs."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from errata_bench.runs.plan import Plan
from errata_bench.variants import Variant
from errata_bench.views.terminal import count, plain


def print_plan(console: Console, group_id: str, plan: Plan) -> None:
    """Print runs and chunks to do, by variant."""
    todo: dict[Variant, list[int]] = {record.key.variant: [0, 0, 0] for record in plan.done}
    for record in plan.done:
        todo[record.key.variant][2] += 1
    for run in plan.todo:
        row = todo.setdefault(run.variant, [0, 0, 0])
        row[0] += 1
        row[1] += len(run.chunks) - run.chunks_done
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("model")
    for head in ("runs to do", "chunks to do", "runs stored"):
        table.add_column(head, justify="right")
    for variant, row in todo.items():
        table.add_row(Text(plain(str(variant))), *(Text(f"{n:,}") for n in row))
    console.print(table)
    cases = {run.case.id for run in plan.todo} | {record.case_id for record in plan.done}
    resumed = f", {plan.resumed} of them taken up again" if plan.resumed else ""
    console.print(
        Text(
            f"Group {group_id}: {count(len(plan.todo), 'run')} to do{resumed}, {len(plan.done)} stored, "
            f"{count(len(cases), 'case')}. Nothing was run or written."
        )
    )
