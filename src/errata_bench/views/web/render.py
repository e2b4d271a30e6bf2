"""From a page's name and what stands on it to HTML, and the files that pages share."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from errata_bench import __version__
from errata_bench.views.terminal import count, dollars, duration, number, percent, significant
from errata_bench.views.web.formats import TEXT_FILTERS
from errata_bench.views.web.security import CONTENT_SECURITY_POLICY

_FOLDER = Path(__file__).parent
_STATIC = _FOLDER / "static"
VEGA = "vega.js"
"""The bundle of Vega, Vega-Lite and Vega-Embed; made by vl-convert, which ships them."""

_JSON_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def json_text(value: Any) -> str:
    """JSON that can stand in a data block of a page and in a script: no character of it ends either."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode().translate(_JSON_ESCAPES)


def _json(value: Any) -> Markup:
    return Markup(json_text(value))


@cache
def environment() -> Environment:
    """The templates. Every expression is escaped, whatever a template's name; an unknown name is an error."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(
        json=_json, count=count, dollars=dollars, duration=duration, number=number, percent=percent, signif=significant
    )
    made.filters.update(TEXT_FILTERS)
    made.globals.update(asset_version=asset_version, policy=CONTENT_SECURITY_POLICY, program_version=__version__)
    return made


def render(template: str, context: Mapping[str, Any]) -> bytes:
    """A page as UTF-8."""
    # Text of models may hold halves of pairs, which are in no UTF-8.
    return environment().get_template(template).render(context).encode("utf-8", "replace")


@cache
def asset(name: str) -> bytes | None:
    """A file that pages share; None for an unknown name."""
    if name == VEGA:
        import vl_convert

        return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")).encode()
    return (_STATIC / name).read_bytes() if name in asset_names() else None


@cache
def asset_names() -> tuple[str, ...]:
    """The names of the files that pages share."""
    own = (path.name for path in _STATIC.iterdir() if path.suffix in (".css", ".js", ".svg"))
    return (*sorted(own), VEGA)


@cache
def asset_version(name: str) -> str:
    """Hex digits that change with a file's content, for links that may be cached for ever."""
    if name == VEGA:  # not made before it is asked for: its version is vl-convert's
        return hashlib.sha256(version("vl-convert-python").encode()).hexdigest()[:10]
    content = asset(name)
    if content is None:
        raise KeyError(name)
    return hashlib.sha256(content).hexdigest()[:10]
