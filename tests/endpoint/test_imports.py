"""What loads when: ``--help`` must stay fast."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("errata_bench.endpoint", ("aiohttp", "pydantic", "pydantic_settings", "orjson", "asyncio")),
        ("errata_bench.endpoint.client", ("aiohttp", "pydantic", "pydantic_settings")),
        ("errata_bench.endpoint.model_list", ("aiohttp", "pydantic", "pydantic_settings")),
        ("errata_bench.endpoint.settings", ("aiohttp",)),
        ("errata_bench.endpoint.pricing", ("aiohttp",)),
    ],
)
def test_heavy_libraries_load_late(module: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
