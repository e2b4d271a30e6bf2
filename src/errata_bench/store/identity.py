"""The identity of a run (contract C8) as columns of the table ``runs`` and as their values; one place for both."""

from __future__ import annotations

from errata_bench.store.records import RunKey

KEY_COLUMNS = (
    "endpoint",
    "model",
    "effort",
    "fingerprint",
    "max_words",
    "max_turns",
    "prompt_version",
    "judge",
    "max_completion_tokens",
    "reasoning",
)
"""The columns that say which work a run is; with the sample they are unique."""


def key_values(key: RunKey) -> tuple[str | int, ...]:
    """The values of `KEY_COLUMNS`, in their order."""
    settings, variant = key.settings, key.variant
    return (
        settings.endpoint,
        variant.model,
        variant.effort or "",
        key.fingerprint,
        settings.max_words,
        settings.max_turns,
        settings.prompt_version,
        settings.judge,
        settings.max_completion_tokens,
        settings.reasoning,
    )
