"""The command line: one module a command family; each parses, calls and prints, and decides nothing.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from errata_bench import __version__
from errata_bench.cli import (
    cases,
    compare,
    endpoint,
    generate,
    inspecting,
    interchange,
    maintenance,
    models,
    pricing,
    results,
    run,
    scatterplot,
    view,
    web,
)
from errata_bench.cli.options import App
from errata_bench.errors import EndpointFault, UserError

INTERRUPTED = 130
MISTAKE = 2

app = App(
    name="errata-bench",
    help="Find out which language model proofreads best, for your money and your texts.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Without a key it runs offline proofreaders: try `errata-bench run --group-id first-run`.",
)
app.command("run", help=run.HELP)(run.run)
app.command("generate", help=generate.HELP)(generate.generate)
app.command("compare", help=compare.HELP)(compare.compare)
app.add_typer(view.app, name="view", help="Look at results.")
scatterplot.register(view.app)
web.register(view.app)
app.add_typer(results.app, name="results", help="Work on stored results without running any model on texts again.")
inspecting.register(results.app)
maintenance.register(results.app)
interchange.register(results.app)
app.add_typer(cases.app, name="cases", help="The documents: list, check and build them.")
app.add_typer(endpoint.app, name="endpoint", help="Your endpoint: does it work? Or serve one without money.")
app.add_typer(pricing.app, name="pricing", help="What tokens cost, for the models of a group.")
app.add_typer(models.app, name="models", help="The models that can be run.")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"errata-bench {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 1 something failed, 2 a user's mistake, 130 interrupted."""
    # Its matrices are small: threads to multiply them wait for each other, and take a fifth of a ranking's time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Looking for plugins reads the metadata of every package that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        app()
    except UserError as error:
        _complain(error.message, error.mend)
    except EndpointFault as fault:
        _complain(str(fault), fault.mend)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone, as in `errata-bench … | head`; nothing is left to be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(0)


def _complain(message: str, mend: str | None) -> NoReturn:
    from errata_bench.views.terminal import plain

    text = f"errata-bench: {message}" + ("" if mend is None else f"\n  {mend}")
    # Names from files and servers may be in it, so what a terminal would obey is taken out.
    print("\n".join(plain(line) for line in text.split("\n")), file=sys.stderr)
    sys.exit(MISTAKE)
