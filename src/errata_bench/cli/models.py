"""``errata-bench models``: the models that can be run."""

from __future__ import annotations

import typer

from errata_bench.cli.options import App, Json

app = App()


@app.command("list")
def list_models(
    as_json: Json = False,
) -> None:
    """List the offline baselines and the starter list of language models."""
    import orjson

    from errata_bench.baselines import BASELINE_NAMES, unavailable_reason
    from errata_bench.endpoint.model_list import starter_models

    baselines = {name: unavailable_reason(name) for name in BASELINE_NAMES}
    starter = [str(variant) for variant in starter_models()]
    if as_json:
        rows = [{"model": name, "kind": "baseline", "unavailable": reason} for name, reason in baselines.items()]
        rows += [{"model": name, "kind": "starter", "unavailable": None} for name in starter]
        typer.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    typer.echo("Offline baselines (no key needed):")
    for name, reason in baselines.items():
        typer.echo(f"  {name}" + (f"  (not available: {reason})" if reason else ""))
    typer.echo("Starter list of language models (run when there is a key and no --models):")
    for name in starter:
        typer.echo(f"  {name}")
    typer.echo("Any other model of your endpoint: --models org/model:effort")
