"""The chart as a file: SVG, PNG, a page that needs no network, or the specification itself."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from errata_bench.errors import UserError
from errata_bench.views.chart.sight import Sight
from errata_bench.views.chart.spec import make_chart

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<body>
<div id="chart"></div>
<script>{bundle}</script>
<script>{start}</script>
</body>
</html>
"""
_START = 'vegaEmbed("#chart", {spec}, {{actions: {{source: false, editor: false, compiled: false}}}});'
# Vega compiles its expressions; nothing may be fetched from anywhere.
_POLICY = "default-src 'none'; script-src 'unsafe-eval' {hashes}; style-src 'unsafe-inline'; img-src data: blob:"
_PNG_SCALE = 2.0


def write_chart(sight: Sight, path: Path) -> None:
    """Write the chart in the format that the file's name ends with.

    Raises `UserError` for any other ending, for a chart without a point, and when the file cannot be written.
    """
    make = _FORMATS.get(path.suffix.lower())
    if make is None:
        raise UserError(f"{path}: a chart cannot be written as {path.suffix or 'that'}", mend="name it " + _NAMES)
    if not sight.chart().points:
        raise UserError("no variant has both figures, so there is nothing to draw", mend="choose another --x or --y")
    content = make(make_chart(sight).to_json(indent=2), sight)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error


def _svg(spec: str, _: Sight) -> bytes:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec)).encode()


def _png(spec: str, _: Sight) -> bytes:
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(spec, scale=_PNG_SCALE))


def _html(spec: str, sight: Sight) -> bytes:
    import vl_convert

    # Nothing in a name may end the script that it stands in.
    safe = json.dumps(json.loads(spec)).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script")
    start = _START.format(spec=safe)
    policy = _POLICY.format(hashes=" ".join(_hash(script) for script in (bundle, start)))
    title = html.escape(f"ErrataBench: {sight.group_id}")
    return _PAGE.format(policy=policy, title=title, bundle=bundle, start=start).encode()


def _hash(script: str) -> str:
    """The source of a script as a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _json(spec: str, _: Sight) -> bytes:
    return f"{spec}\n".encode()


_FORMATS: Mapping[str, Callable[[str, Sight], bytes]] = {".svg": _svg, ".png": _png, ".html": _html, ".json": _json}
_NAMES = "FILE.svg, FILE.png, FILE.html or FILE.json"
