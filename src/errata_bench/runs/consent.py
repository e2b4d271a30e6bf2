"""Whether an invocation may spend what it is estimated to. Pure."""

from __future__ import annotations

from errata_bench.errors import UserError
from errata_bench.runs.estimate import Estimate
from errata_bench.runs.options import RunOptions

CONSENT_USD = 5.0
"""An estimate over this many USD needs somebody's word for it."""


def must_ask(estimate: Estimate, options: RunOptions, *, yes: bool, on_terminal: bool) -> bool:
    """Say whether the user has to be asked; raises `UserError` where that is needed and nobody is there.

    ``yes`` is consent given beforehand, and so is a cap.
    """
    if yes or options.max_cost is not None or estimate.cost_usd <= CONSENT_USD:
        return False
    if not on_terminal:
        raise UserError(
            f"the estimate of ${estimate.cost_usd:,.2f} is over ${CONSENT_USD:g}, and there is no terminal to ask on",
            mend="add --yes, or --max-cost USD for a hard cap; --dry-run shows the estimate",
        )
    return True


def check_prices(estimate: Estimate, options: RunOptions) -> None:
    """Raise `UserError` where a cap is set and the price of a model is not known."""
    if options.max_cost is None or options.allow_unpriced or not estimate.unpriced:
        return
    names = ", ".join(dict.fromkeys(variant.model for variant in estimate.unpriced))
    raise UserError(
        f"--max-cost cannot be kept to: nobody knows the price of {names}",
        mend="give it in ERRATA_BENCH_PRICING_FILE, or add --allow-unpriced: then only what its replies report counts",
    )
