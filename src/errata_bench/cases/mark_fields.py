"""The fields of a mark behind its two sides: category, further right texts, and what cannot be derived."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import cast

from errata_bench.cases.classify import VALID_WORD, SaidOfWord, Stated
from errata_bench.taxonomy import (
    DIMENSIONS,
    EDIT_SCOPES,
    OPERATION_TYPES,
    SEVERITIES,
    Dimension,
    EditScope,
    OperationType,
    Severity,
    find_category,
)

_KEYS = ("also", "note", "id", "severity", "scope", "operation", "dimension", "valid-word")


@dataclass(frozen=True, slots=True)
class FieldMistake:
    """A mistake in a field; ``offset`` counts characters from the bar before the first field."""

    offset: int
    problem: str


@dataclass(frozen=True, slots=True)
class MarkFields:
    """What the fields of one mark say."""

    category: str
    also: tuple[str, ...]
    note: str
    id: str | None
    stated: Stated


def read_fields(
    fields: Sequence[str], lengths: Sequence[int], own: Collection[str], note: Callable[[FieldMistake], None]
) -> MarkFields:
    """Read the fields; each mistake is told to ``note``.

    ``lengths`` are those of the fields as written, ``own`` the categories that the header declares.
    """
    offsets = [sum(lengths[:n]) + n for n in range(len(fields))]
    category = ""
    if not fields or not fields[0].strip():
        note(FieldMistake(0, "the mark has no category; it is written ⟦wrong⇒right¦category⟧"))
    else:
        category = fields[0].strip()
        known = find_category(category)
        if known is not None:
            category = known.label
        elif category not in own:
            note(FieldMistake(offsets[0] + 1, f"the taxonomy has no category {category!r}"))
    also: list[str] = []
    values: dict[str, str] = {}
    for offset, field in zip(offsets[1:], fields[1:], strict=True):
        key, value, problem = _read_field(field)
        if problem is None and key == "also":
            also.append(value)
        elif problem is None and key in values:
            problem = f"`{key}` is there twice"
        else:
            values[key] = value
        if problem is not None:
            note(FieldMistake(offset + 1, problem))
    return MarkFields(category, tuple(also), values.get("note", ""), values.get("id"), _stated(values))


def _read_field(field: str) -> tuple[str, str, str | None]:
    """Key, value, and what is wrong with them."""
    if field.strip() in SEVERITIES:
        return "severity", field.strip(), None
    key, colon, value = field.partition(":")
    key = key.strip()
    if not colon or key not in _KEYS:
        return key, "", f"there is no field {field.strip()!r}; fields are major, minor, {': …, '.join(_KEYS)}: …"
    if key == "also":  # literal, like the two sides, but for the one space that the eye wants behind the colon
        return key, value.removeprefix(" "), None
    value = value.strip()
    allowed = {
        "severity": SEVERITIES,
        "scope": EDIT_SCOPES,
        "operation": OPERATION_TYPES,
        "dimension": DIMENSIONS,
        "valid-word": tuple(VALID_WORD),
    }.get(key)
    if not value:
        return key, value, f"`{key}:` is empty"
    if allowed is not None and value not in allowed:
        return key, value, f"`{key}` is one of {', '.join(allowed)}, not {value!r}"
    return key, value, None


def _stated(values: dict[str, str]) -> Stated:
    return Stated(
        severity=cast("Severity | None", values.get("severity")),
        edit_scope=cast("EditScope | None", values.get("scope")),
        operation_type=cast("OperationType | None", values.get("operation")),
        dimension=cast("Dimension | None", values.get("dimension")),
        valid_word=cast("SaidOfWord | None", values.get("valid-word")),
    )
