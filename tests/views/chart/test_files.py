from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from pathlib import Path

import pytest

from errata_bench.errors import UserError
from errata_bench.variants import EFFORTS
from errata_bench.views.chart.axes import find_axis
from errata_bench.views.chart.files import write_chart
from errata_bench.views.chart.sight import Sight
from errata_bench.views.chart.spec import SHAPES
from tests.support.summaries import make_summary, unknown_summary

HOSTILE = "org/</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m"


def spec_of(sight: Sight, folder: Path) -> dict[str, object]:
    write_chart(sight, folder / "chart.json")
    found: dict[str, object] = json.loads((folder / "chart.json").read_text("utf-8"))
    return found


def scripts(page: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def without_scripts(page: str) -> str:
    return re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


def test_the_scripts_of_the_page_are_the_only_ones_that_may_run(sight: Sight, tmp_path: Path) -> None:
    write_chart(sight, tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text("utf-8")
    found = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts(page)]
    assert len(found) == 2
    assert re.findall(r"'sha256-([^']+)'", page) == found
    assert "script-src 'unsafe-eval' 'sha256-" in page


def test_the_specification_holds_every_point_and_its_interval(sight: Sight, tmp_path: Path) -> None:
    text = json.dumps(spec_of(sight, tmp_path))
    for point in sight.chart().points:
        assert point.label in text
    assert '"y_low"' in text
    assert "95% intervals" in text


def test_the_axis_of_cost_is_logarithmic(sight: Sight, tmp_path: Path) -> None:
    assert '"type": "log"' in json.dumps(spec_of(sight, tmp_path))
    linear = dataclasses.replace(sight, x=find_axis("missed_rate"))
    assert '"type": "log"' not in json.dumps(spec_of(linear, tmp_path))


def test_pictures_are_what_their_names_say(sight: Sight, tmp_path: Path) -> None:
    write_chart(sight, tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text("utf-8")
    assert svg.startswith("<svg")
    assert "two/good:low" in svg
    write_chart(sight, tmp_path / "chart.PNG")
    assert (tmp_path / "chart.PNG").read_bytes().startswith(b"\x89PNG")


def test_the_page_needs_no_other_host(sight: Sight, tmp_path: Path) -> None:
    write_chart(sight, tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text("utf-8")
    assert "two/good:low" in page
    assert len(page) > 100_000  # the bundle is in it
    assert "default-src 'none'" in page
    assert not re.search(r"""<(?:script|link|img|iframe)[^>]*\b(?:src|href)=""", without_scripts(page))


def test_a_name_that_is_a_script_stays_a_name(tmp_path: Path) -> None:
    hostile = Sight("<b>", (make_summary(HOSTILE, 5),), find_axis("cost_per_run_usd"), find_axis("quality"))
    write_chart(hostile, tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text("utf-8")
    assert page.lower().count("</script") == 2
    *_, start = scripts(page)
    assert "<" not in start
    assert "alert" in start
    assert "alert" not in without_scripts(page)
    assert "&lt;b&gt;" in page
    write_chart(hostile, tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text("utf-8")
    assert "<script" not in svg
    assert "<img" not in svg
    assert "\x1b" not in svg


def test_the_front_is_brought_out_on_demand(sight: Sight, tmp_path: Path) -> None:
    plainly = json.dumps(spec_of(sight, tmp_path))
    highlighted = json.dumps(spec_of(dataclasses.replace(sight, dominant=True), tmp_path))
    assert "datum.front" not in plainly
    assert "datum.front" in highlighted


def test_every_effort_has_a_shape_of_its_own() -> None:
    assert set(EFFORTS) <= set(SHAPES)
    assert len(set(SHAPES.values())) == len(SHAPES)


def test_what_cannot_be_written_is_a_mistake(sight: Sight, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot be written as \.bmp"):
        write_chart(sight, tmp_path / "chart.bmp")
    with pytest.raises(UserError, match="cannot be written"):
        write_chart(sight, tmp_path / "missing" / "chart.svg")
    empty = dataclasses.replace(sight, summaries=(unknown_summary(),))
    with pytest.raises(UserError, match="nothing to draw"):
        write_chart(empty, tmp_path / "chart.svg")
    assert not list(tmp_path.iterdir())
