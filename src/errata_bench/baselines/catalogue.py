"""The baselines by name."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.util import find_spec

from errata_bench.baselines.engines import Engine, close_hosts, engine_host
from errata_bench.baselines.model import BaselineModel
from errata_bench.baselines.proposers import CheckerProposer, Oracle, Untouched
from errata_bench.chat import ChatModel
from errata_bench.errors import InternalError, UserError

_UNTOUCHED = "baseline/untouched"
_ORACLE = "baseline/oracle"
_ENGINES = {f"baseline/{engine}": engine for engine in Engine}

BASELINE_NAMES: tuple[str, ...] = (_UNTOUCHED, *_ENGINES, _ORACLE)
"""All baselines, whether or not what they need is installed; the floor first, the ceiling last."""

_MODULES = {
    Engine.SPELLING: ("symspellpy",),
    Engine.HARPER: ("harper",),
    Engine.LANGUAGETOOL: ("lt_py", "lingotweaker_data_en"),
}
_INSTALL = {
    Engine.SPELLING: "pip install symspellpy",
    Engine.HARPER: "pip install harper-py",
    Engine.LANGUAGETOOL: "pip install 'errata-bench[languagetool]'",
}


def unavailable_reason(name: str) -> str | None:
    """Why a baseline cannot be used here and what to do about it, or None if it can.

    Nothing is loaded. Raises `UserError` for an unknown name.
    """
    reason = _lack(name)
    return None if reason is None else ": ".join(reason)


def baseline_model(name: str, *, expected: Mapping[tuple[str, str], str] | None = None) -> ChatModel:
    """The baseline of that name, such as ``baseline/spelling``.

    ``expected`` is for the oracle: for each paragraph's id and corrupted inner HTML, the corrected inner HTML. A
    checker is shared by all models of its name in this process, and only built when first asked. Raises `UserError`
    for an unknown name and for a baseline that needs something not installed.
    """
    lack = _lack(name)
    if lack is not None:
        problem, mend = lack
        raise UserError(f"{name} cannot be used: {problem}", mend=mend)
    if name == _UNTOUCHED:
        return BaselineModel(Untouched())
    if name == _ORACLE:
        if expected is None:
            raise InternalError(f"{_ORACLE} has to be given the expected corrections")
        return BaselineModel(Oracle(expected))
    return BaselineModel(CheckerProposer(engine_host(_ENGINES[name])))


async def close_engines() -> None:
    """Stop the workers of all checkers, after the checks under way. They start again when asked again."""
    await asyncio.to_thread(close_hosts)


def _lack(name: str) -> tuple[str, str] | None:
    """What is not installed, and how to install it."""
    if name not in BASELINE_NAMES:
        raise UserError(f"there is no baseline {name!r}", mend=f"the baselines are {', '.join(BASELINE_NAMES)}")
    engine = _ENGINES.get(name)
    if engine is None or all(find_spec(module) is not None for module in _MODULES[engine]):
        return None
    return "its checker is not installed", _INSTALL[engine]
