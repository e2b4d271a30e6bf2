"""``errata-bench pricing``: what tokens cost, for the models of a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from errata_bench.cli.options import App, GroupArgument, Json, ResultsDir

if TYPE_CHECKING:
    from errata_bench.endpoint.pricing import PriceBook
    from errata_bench.endpoint.settings import Settings
    from errata_bench.views.pricing import PriceLine, PriceView

app = App()


@app.command("show")
def show(group: GroupArgument = None, results_dir: ResultsDir = None, as_json: Json = False) -> None:
    """Show the price of each model of a group.

    Where it is from, and how old it is; nobody is asked.
    """
    from errata_bench.endpoint.pricing import kept_price_book
    from errata_bench.endpoint.settings import load_settings

    settings = load_settings(results_dir=results_dir)
    models = _models(settings, group)
    _print(_view(settings, kept_price_book(settings), models), as_json=as_json)


@app.command("refresh")
def refresh(group: GroupArgument = None, results_dir: ResultsDir = None, as_json: Json = False) -> None:
    """Ask the endpoint for its price list now, and keep it.

    What has changed for the models of a group is said. Stored costs stay as they are: `errata-bench results refresh`
    applies prices to them.
    """
    import asyncio

    from errata_bench.endpoint.client import Endpoint
    from errata_bench.endpoint.pricing import kept_price_book, load_price_book
    from errata_bench.endpoint.settings import load_settings

    settings = load_settings(results_dir=results_dir)
    models = _models(settings, group)
    before = _lines(kept_price_book(settings), models)

    async def ask() -> PriceBook:
        async with Endpoint(settings) as endpoint:
            return await load_price_book(settings, endpoint.list_models, afresh=True)

    book = asyncio.run(ask())
    _print(_view(settings, book, models, before), as_json=as_json)
    if book.note is not None:
        raise typer.Exit(1)


def _models(settings: Settings, group: str | None) -> list[str]:
    """The models of a group and its judges, baselines excepted, by name."""
    from errata_bench.cli.viewing import opened
    from errata_bench.variants import parse_variant

    with opened(group, settings.results_dir) as stored:
        keys = {record.key for record in stored.runs()}
    judges = {parse_variant(key.settings.judge).model for key in keys if key.settings.judge}
    return sorted({key.variant.model for key in keys if not key.variant.is_baseline} | judges)


def _lines(book: PriceBook, models: Sequence[str]) -> list[PriceLine]:
    from errata_bench.views.pricing import PriceLine, per_million

    lines = []
    for model in models:
        known = book.find(model)
        if known is None:
            lines.append(PriceLine(model))
            continue
        price = known.price
        lines.append(
            PriceLine(
                model,
                per_million(price.prompt),
                per_million(price.completion),
                per_million(price.cached_prompt),
                price.request,
                str(known.source),
            )
        )
    return lines


def _view(
    settings: Settings, book: PriceBook, models: Sequence[str], before: Sequence[PriceLine] | None = None
) -> PriceView:
    import time

    from errata_bench.views.pricing import PriceView, price_changes

    lines = _lines(book, models)
    return PriceView(
        lines=lines,
        age_seconds=None if book.fetched_at is None else time.time() - book.fetched_at,
        pricing_file=None if settings.pricing_file is None else str(settings.pricing_file),
        changed=() if before is None else price_changes(before, lines),
        note=book.note,
    )


def _print(view: PriceView, *, as_json: bool) -> None:
    from errata_bench.views.pricing import prices_json, print_prices
    from errata_bench.views.terminal import make_console, plain

    if as_json:
        typer.echo(prices_json(view))
    elif not view.lines:
        typer.echo("The group holds no runs of language models, and baselines cost nothing.")
        if view.note is not None:
            typer.echo(plain(view.note))
    else:
        print_prices(make_console(), view)
