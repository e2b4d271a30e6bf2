"""The variants that ``--models``, ``--models-file`` and the starter list name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

from errata_bench.errors import UserError
from errata_bench.variants import EFFORTS, Variant, parse_variant

_FIELDS = frozenset({"model", "label", "reasoningEffort"})
_FORM = 'a JSON array of "org/model:effort" or {"model": …, "label": …, "reasoningEffort": …}'


def parse_models(values: Iterable[str]) -> tuple[Variant, ...]:
    """Read comma-separated variants, as ``--models`` takes them; each once, in the order given.

    Raises one `UserError` that names all that cannot be read.
    """
    names = [name.strip() for value in values for name in value.split(",")]
    return _collect("--models", [(name, name) for name in names if name])


def read_models(values: Iterable[str], path: Path | None = None) -> tuple[Variant, ...]:
    """Read ``--models`` and ``--models-file`` together, each variant once; empty where neither is given."""
    flags = list(values)
    named = parse_models(flags) if flags else ()
    return tuple(dict.fromkeys([*named, *(load_models_file(path) if path is not None else ())]))


def load_models_file(path: Path) -> tuple[Variant, ...]:
    """Read a file of variants, each once, in its order.

    It is a JSON array of texts or of objects ``{model, label?, reasoningEffort?}``; labels are for people only. Raises
    one `UserError` that names the file and all its faults.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", mend=f"name a file with {_FORM}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is no UTF-8 text", mend=f"name a file with {_FORM}") from error
    return _read(str(path), text)


def starter_models() -> tuple[Variant, ...]:
    """Return the variants that run when none are named: about ten, of several providers."""
    name = "starter-models.json"
    return _read(name, (files("errata_bench") / "data" / name).read_text(encoding="utf-8"))


def _read(name: str, text: str) -> tuple[Variant, ...]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name} is no JSON: {error}", mend=f"write {_FORM}") from error
    if not isinstance(value, list):
        raise UserError(f"{name} is no JSON array", mend=f"write {_FORM}")
    return _collect(name, [(f"entry {place}", entry) for place, entry in enumerate(value, start=1)])


def _collect(source: str, entries: Sequence[tuple[str, object]]) -> tuple[Variant, ...]:
    variants: dict[Variant, None] = {}
    faults: list[str] = []
    for place, entry in entries:
        try:
            variants[_variant(entry)] = None
        except UserError as error:
            faults.append(f"  {place}: {error.message}")
    if faults:
        mend = f"write org/model or org/model:effort; efforts are {', '.join(EFFORTS)}"
        raise UserError(f"{source} names variants that cannot be used:\n" + "\n".join(faults), mend=mend)
    if not variants:
        raise UserError(f"{source} names no model", mend=f"write {_FORM}" if source != "--models" else None)
    return tuple(variants)


def _variant(entry: object) -> Variant:
    if isinstance(entry, str):
        return parse_variant(entry)
    if not isinstance(entry, dict):
        raise UserError("neither a text nor an object")
    unknown = sorted(entry.keys() - _FIELDS)
    if unknown:
        raise UserError(f"unknown field {', '.join(unknown)}; fields are {', '.join(sorted(_FIELDS))}")
    model, effort, label = entry.get("model"), entry.get("reasoningEffort"), entry.get("label")
    if not isinstance(model, str):
        raise UserError("model is missing or no text")
    if label is not None and not isinstance(label, str):
        raise UserError("label is no text")
    variant = parse_variant(model)
    if effort is None:
        return variant
    if effort not in EFFORTS:
        raise UserError(f"reasoningEffort {effort!r} is none of {', '.join(EFFORTS)}")
    if variant.is_baseline:
        raise UserError("a baseline has no reasoningEffort")
    if variant.model != model.strip() and variant.effort != effort:
        raise UserError(f"{model} names another effort than reasoningEffort {effort}")
    return Variant(variant.model, effort)
