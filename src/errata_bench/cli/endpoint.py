"""``errata-bench endpoint``: find out whether an endpoint works, and serve one without money."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from errata_bench.cli.options import App, Json
from errata_bench.serving.faults import FaultKind

NOT_WORKING = 1

app = App()


@app.command("check")
def check(
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "--models",
            "-m",
            metavar="VARIANTS",
            help="Variants org/model:effort, comma-separated; may be repeated. Default: ERRATA_BENCH_DEFAULT_MODEL, "
            "else for OpenRouter the first of the starter list.",
        ),
    ] = None,
    request_timeout: Annotated[
        float, typer.Option("--request-timeout", metavar="SECONDS", min=1, help="Seconds for one request.")
    ] = 120.0,
    as_json: Json = False,
) -> None:
    """Ask the configured endpoint whether a run would work.

    Exit 1 if not. It costs a few tiny requests a model.
    """
    import asyncio

    from errata_bench.endpoint.check import checked_models, run_check
    from errata_bench.endpoint.model_list import read_models, starter_models
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.proofreading.tools import TOOLS
    from errata_bench.views.endpoint_check import CheckLines, report_json
    from errata_bench.views.terminal import make_console

    settings = load_settings()
    variants = checked_models(read_models(models or ()), settings, starter_models)
    lines = None if as_json else CheckLines(make_console())
    report = asyncio.run(
        run_check(
            settings, variants, TOOLS, request_timeout=request_timeout, on_step=None if lines is None else lines.show
        )
    )
    if lines is None:
        typer.echo(report_json(report))
    else:
        lines.end(report)
    if not report.works:
        raise typer.Exit(NOT_WORKING)


@app.command("serve")
def serve(
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0: a free one.")] = 0,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address; loopback only.")] = "127.0.0.1",
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            metavar="PATHS",
            help="Case files or folders that served/oracle knows the answers to, comma-separated; may be repeated. "
            "Default: the bundled cases.",
        ),
    ] = None,
    latency: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, max=3600, help="Seconds before each answer.")
    ] = 0.0,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the faults.")] = 0,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            "--fault",
            metavar="KIND:PROBABILITY",
            help=f"A fault, such as 503:0.1; may be repeated. Kinds: {', '.join(FaultKind)}.",
        ),
    ] = None,
    slow_seconds: Annotated[
        float, typer.Option("--slow-seconds", metavar="SECONDS", min=0, max=86400, help="How late the fault `slow` is.")
    ] = 30.0,
    cost: Annotated[
        str | None,
        typer.Option(metavar="IN:OUT", help="Report costs: USD per million tokens in and out, such as 0.5:3."),
    ] = None,
) -> None:
    """Serve the offline proofreaders as an endpoint.

    It is OpenAI-compatible, and has faults on request. Models: served/untouched, served/oracle, served/spelling,
    served/harper, served/languagetool. GET /ledger shows what was asked and billed. Ctrl-C ends it.
    """
    import asyncio

    from errata_bench.bundled import bundled_dataset
    from errata_bench.cases.load import load_cases
    from errata_bench.serving.faults import FaultPlan, parse_faults
    from errata_bench.serving.ledger import parse_price
    from errata_bench.serving.lifetime import ListenAddress, loopback, serve_until_interrupted
    from errata_bench.serving.proofreaders import proofreaders
    from errata_bench.serving.server import Server, ServingOptions
    from errata_bench.views.endpoint_check import serving_lines

    options = ServingOptions(
        faults=FaultPlan(parse_faults(fault or ()), seed),
        latency=latency,
        slow_seconds=slow_seconds,
        price=parse_price(cost) if cost is not None else None,
    )
    address = ListenAddress(loopback(host), port)
    server = Server(proofreaders(load_cases(dataset or [str(bundled_dataset())])), options)

    def announce(url: str) -> None:
        print(f"serving on {url}", flush=True)

    asyncio.run(serve_until_interrupted(server, address, announce))
    for line in serving_lines(server.ledger.summary()):
        print(line, file=sys.stderr)
