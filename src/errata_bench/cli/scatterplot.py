"""``errata-bench view scatterplot``: two figures of every model against each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from errata_bench.cli.options import Cases, Categories, Efforts, GroupArgument, Models, Providers, ResultsDir
from errata_bench.cli.options import JsonWithMore as Json
from errata_bench.cli.viewing import opened, published_named, selection_of


def register(app: typer.Typer) -> None:
    """Add this command to ``errata-bench view``."""
    app.command("scatterplot")(scatterplot)


def scatterplot(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    x: Annotated[
        str | None, typer.Option("--x", metavar="FIGURE", help="What goes to the right; a wrong name lists them all.")
    ] = None,
    y: Annotated[str, typer.Option("--y", metavar="FIGURE", help="What goes up.")] = "quality",
    plain: Annotated[bool, typer.Option("--plain", help="Print the plot, even on a terminal.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write the chart: FILE.svg, .png, .html, or .json (Vega-Lite)."),
    ] = None,
    as_json: Json = False,
    best_variant_only: Annotated[
        bool, typer.Option("--best-variant-only", help="Of each model only the effort that ranks first.")
    ] = False,
    dominant: Annotated[
        bool, typer.Option("--dominant", help="Highlight the models that no other beats in both figures.")
    ] = False,
    model: Models = None,
    provider: Providers = None,
    effort: Efforts = None,
    case: Cases = None,
    category: Categories = None,
) -> None:
    """Plot two figures of every model against each other.

    On a terminal the arrow keys change them.
    """
    from errata_bench.results.published import narrow_published
    from errata_bench.results.ranking import make_ranking
    from errata_bench.views.chart.axes import find_axis, usual_x
    from errata_bench.views.chart.sight import Sight
    from errata_bench.views.terminal import make_console

    selection = selection_of(model, provider, effort, case, category)
    remark = None
    if (published := published_named(group, results_dir)) is not None:
        summaries, group_id = narrow_published(published, selection).summaries, published.id
        remark = published.remarks[0]
    else:
        with opened(group, results_dir) as stored:
            summaries, group_id = make_ranking(stored, selection).summaries, stored.id
    sight = Sight(
        group_id,
        summaries,
        find_axis(x) if x else usual_x(summaries),
        find_axis(y),
        best_only=best_variant_only,
        dominant=dominant,
        remark=remark,
    )
    if as_json:
        from errata_bench.views.chart.plain import scatter_json

        typer.echo(scatter_json(sight))
        return
    if output is not None:
        from errata_bench.views.chart.files import write_chart

        write_chart(sight, output)
        typer.echo(f"Wrote {output}.", err=True)
        return
    console = make_console()
    if plain or not summaries or not (sys.stdin.isatty() and console.is_terminal) or console.is_dumb_terminal:
        from errata_bench.views.chart.plain import print_scatter

        print_scatter(console, sight)
    else:
        from errata_bench.views.chart.app import ScatterApp

        ScatterApp(sight).run()
