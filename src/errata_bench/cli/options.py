"""What the command line shares: how its help is laid out, and the options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand


class _Command(TyperCommand):
    """A command whose help shows no types of arguments: ``SOURCE``, and not ``SOURCE <list[str]>``."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options."""
        for kind, title in (("argument", "Arguments"), ("option", "Options")):
            of_kind = [param for param in self.get_params(ctx) if param.param_type_name == kind]
            records = [record for param in of_kind if (record := param.get_help_record(ctx)) is not None]
            if kind == "argument":
                records = [(name.partition(" <")[0], said) for name, said in records]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class App(typer.Typer):
    """A family of commands, whose help is plain text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(no_args_is_help=True, rich_markup_mode=None, **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Add a command; see `typer.Typer.command`."""
        return super().command(name, **{"cls": _Command, **options})


GroupArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="GROUP",
        help="The group. Default: ERRATA_BENCH_DEFAULT_RESULTS_ID, else official-v1.",
        show_default=False,
    ),
]
ResultsDir = Annotated[
    Path | None,
    typer.Option(
        "--results-dir",
        metavar="FOLDER",
        help="Folder of the results files. Default: ERRATA_BENCH_RESULTS_DIR, else results.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Concurrency = Annotated[
    int, typer.Option("--concurrency", metavar="N", min=1, help="Requests in flight at a time, at most.")
]
RequestTimeout = Annotated[
    float, typer.Option("--request-timeout", metavar="SECONDS", min=1, help="Seconds for one attempt of a request.")
]
MaxRetries = Annotated[
    int,
    typer.Option(
        "--max-retries", metavar="N", min=0, max=100, help="Attempts of a request after the first failed one."
    ),
]
MaxOutage = Annotated[
    float,
    typer.Option(
        "--max-outage", metavar="SECONDS", min=0, help="Seconds to wait for an endpoint that has gone silent."
    ),
]
MaxCost = Annotated[float | None, typer.Option("--max-cost", metavar="USD", min=0, help="Never spend more than this.")]
AllowUnpriced = Annotated[
    bool, typer.Option("--allow-unpriced", help="Under --max-cost, run models too whose price nobody knows.")
]

_SEVERAL = "Several: with commas, or the option again."
JsonWithMore = Annotated[bool, typer.Option("--json", help="Write JSON, with more in it.")]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="NAMES", help=f"Only these models, or those whose name has this part. {_SEVERAL}"),
]
Providers = Annotated[
    list[str] | None,
    typer.Option("--provider", metavar="NAMES", help=f"Only models of this provider: org of org/model. {_SEVERAL}"),
]
Efforts = Annotated[
    list[str] | None, typer.Option("--effort", metavar="NAMES", help=f"Only this reasoning effort. {_SEVERAL}")
]
Cases = Annotated[
    list[str] | None,
    typer.Option("--case", metavar="NAMES", help=f"Only these cases, or those with this part. {_SEVERAL}"),
]
Categories = Annotated[
    list[str] | None,
    typer.Option("--category", metavar="NAMES", help=f"Only issues of this category or parent category. {_SEVERAL}"),
]
