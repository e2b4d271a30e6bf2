"""An issue in its context, for the author who reviews it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from errata_bench.cases.review import InContext
from errata_bench.views.terminal import plain

CHOICES = "[k]eep, [r]eword, [a]ccept another fix, [d]isqualify, [u]ndo disqualification, [b]ack, [q]uit"


def print_issue(console: Console, shown: InContext) -> None:
    """Print an issue: where it is, what is wrong, what belongs there, and what is said of it."""
    issue = shown.issue
    state = "  (disqualified)" if issue.disqualified else ""
    console.print()
    console.print(
        Text(f"{shown.number}/{shown.total}  {plain(issue.id)}  {plain(issue.category)}{state}", style="bold")
    )
    # Without colours the two sides still have to be told apart.
    text = Text(plain(shown.before))
    text.append(f"[-{plain(shown.wrong)}-]", style="red")
    text.append(f"{{+{plain(shown.right)}+}}", style="green")
    text.append(plain(shown.after))
    console.print(text)
    for other in issue.accepted:
        console.print(Text(f"also accepted: {plain(other)}"))
    if issue.description:
        console.print(Text(plain(issue.description), style="dim"))
