from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from errata_bench.baselines import BASELINE_NAMES, baseline_model, unavailable_reason
from errata_bench.errors import InternalError, UserError


def test_all_baselines_are_named_floor_first_and_ceiling_last() -> None:
    assert BASELINE_NAMES == (
        "baseline/untouched",
        "baseline/spelling",
        "baseline/harper",
        "baseline/languagetool",
        "baseline/oracle",
    )


@pytest.mark.parametrize("ask", [baseline_model, unavailable_reason])
def test_an_unknown_name_gets_the_known_ones(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(UserError) as caught:
        ask("baseline/grammarian")
    assert "baseline/grammarian" in caught.value.message
    assert all(name in (caught.value.mend or "") for name in BASELINE_NAMES)


def test_a_checker_that_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "errata_bench.baselines.catalogue.find_spec", lambda name: None if name == "lt_py" else find_spec(name)
    )
    assert "pip install 'errata-bench[languagetool]'" in (unavailable_reason("baseline/languagetool") or "")
    assert unavailable_reason("baseline/spelling") is None
    with pytest.raises(UserError) as caught:
        baseline_model("baseline/languagetool")
    assert caught.value.mend == "pip install 'errata-bench[languagetool]'"


def test_the_oracle_without_corrections_is_a_bug_of_the_caller() -> None:
    with pytest.raises(InternalError):
        baseline_model("baseline/oracle")


def test_importing_and_naming_baselines_loads_no_checker_and_starts_no_process() -> None:
    script = (
        "import sys, multiprocessing\n"
        "from errata_bench.baselines import *\n"
        "models = [baseline_model(n, expected={}) for n in BASELINE_NAMES if unavailable_reason(n) is None]\n"
        "heavy = {'symspellpy', 'harper', 'lt_py', 'numpy', 'rapidfuzz', 'pydantic', 'aiohttp'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "print(multiprocessing.active_children())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
