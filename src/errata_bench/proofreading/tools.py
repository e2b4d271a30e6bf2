"""The three tools of a proofreader (contract C5): what the model is told of them, and what they do.

A call never raises. One that cannot be carried out gives a result that is not ``ok``, with a message from which the
model can correct itself, and leaves the document as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from errata_bench.chat import ToolCall, ToolSchema
from errata_bench.document import Document, Edit, EditRefused

FIND_AND_REPLACE = "find_and_replace"
REPLACE_PARAGRAPH = "replace_paragraph"
PROOFREADING_COMPLETE = "proofreading_complete"


def _schema(name: str, description: str, properties: dict[str, str], required: tuple[str, ...]) -> ToolSchema:
    # Plain types and descriptions only: some servers refuse every other schema keyword (QUIRKS Q69).
    return ToolSchema(
        name,
        description,
        {
            "type": "object",
            "properties": {key: {"type": "string", "description": text} for key, text in properties.items()},
            "required": list(required),
        },
    )


TOOLS: tuple[ToolSchema, ...] = (
    _schema(
        FIND_AND_REPLACE,
        "Replace a piece of text inside one paragraph. Every occurrence of `find` in that paragraph is replaced, "
        "so take enough of the words around it to meet only the place you mean.",
        {
            "paragraphId": "The id of the paragraph, as in its <p id> tag.",
            "find": "The text to replace, copied exactly from the paragraph, capitals and punctuation included.",
            "replace": "The text to put in its place.",
        },
        ("paragraphId", "find", "replace"),
    ),
    _schema(
        REPLACE_PARAGRAPH,
        "Replace a whole paragraph. Use it only where single replacements would not do.",
        {
            "paragraphId": "The id of the paragraph, as in its <p id> tag.",
            "newParagraphHtml": 'The new paragraph: exactly one <p id="…">…</p> with the same id.',
        },
        ("paragraphId", "newParagraphHtml"),
    ),
    _schema(
        PROOFREADING_COMPLETE,
        "Say that this part of the document needs no further correction. "
        "Other calls of the same reply are carried out first.",
        {"note": "Optional: a short remark for the editor."},
        (),
    ),
)

_PROPERTIES = {tool.name: tuple(tool.parameters["properties"]) for tool in TOOLS}
_REQUIRED = {tool.name: tuple(tool.parameters["required"]) for tool in TOOLS}
_NO_EDITS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What became of one call.

    ``name`` is the tool that was meant, or what was asked for where there is no such tool; ``arguments`` are the
    texts the tool got, empty where the call could not be read. ``replacements`` counts the places that changed.
    ``coerced`` says that an id came as a number (QUIRKS Q15).
    """

    name: str
    arguments: Mapping[str, str]
    ok: bool
    message: str
    document: Document
    replacements: int = 0
    coerced: bool = False

    @property
    def completes(self) -> bool:
        """Whether this call ends the chunk."""
        return self.ok and self.name == PROOFREADING_COMPLETE

    @property
    def content(self) -> str:
        """The text of the tool message."""
        return orjson.dumps({"ok": self.ok, "message": self.message}).decode()


def refuse(call: ToolCall, document: Document, message: str) -> ToolResult:
    """Answer a call that must not be carried out."""
    return ToolResult(tool_name(call.name) or _whole(call.name), _NO_EDITS, False, _whole(message), document)


def execute(call: ToolCall, document: Document) -> ToolResult:
    """Carry out one call on a chunk."""
    name = tool_name(call.name)
    if name is None:
        return refuse(call, document, f"There is no tool {call.name!r}. The tools are: {', '.join(_PROPERTIES)}.")
    if call.arguments is None:
        problem = call.problem or "The arguments are no JSON object."
        return refuse(call, document, f"{problem} {_expects(name)}")
    arguments, fault, coerced = _read_arguments(name, call.arguments)
    if fault is not None:
        return refuse(call, document, fault)
    if name == PROOFREADING_COMPLETE:
        return ToolResult(name, arguments, True, "This part is complete.", document, coerced=coerced)
    try:
        edit = _edit(name, arguments, document)
    except EditRefused as refusal:
        return ToolResult(name, arguments, False, str(refusal), document, coerced=coerced)
    return ToolResult(name, arguments, True, _told(edit), edit.document, edit.replacements, coerced)


def tool_name(name: str) -> str | None:
    """The tool that a name means: itself, after ``functions.`` (QUIRKS Q17), or in other capitals (QUIRKS Q19)."""
    bare = name.removeprefix("functions.")
    return next((known for known in _PROPERTIES if known.casefold() == bare.casefold()), None)


def _edit(name: str, arguments: Mapping[str, str], document: Document) -> Edit:
    if name == FIND_AND_REPLACE:
        return document.find_and_replace(arguments["paragraphId"], arguments["find"], arguments["replace"])
    return document.replace_paragraph(arguments["paragraphId"], arguments["newParagraphHtml"])


def _told(edit: Edit) -> str:
    match edit.replacements:
        case 0:
            return "Nothing changed: the new text is the same as the old one."
        case 1:
            return "Done."
        case many:
            return f"Done: {many} occurrences were replaced."


def _expects(name: str) -> str:
    required = ", ".join(_REQUIRED[name]) or "none"
    return f"{name} takes one JSON object; required keys: {required}."


def _read_arguments(name: str, received: Mapping[str, Any]) -> tuple[Mapping[str, str], str | None, bool]:
    """The texts of a call, or what is wrong with them, and whether an id had to be made a text."""
    read: dict[str, str] = {}
    wrong: list[str] = []
    coerced = False
    for key in _PROPERTIES[name]:
        value = received.get(key)
        if isinstance(value, str):
            read[key] = value
            if _whole(value) != value:
                wrong.append(f"`{key}` holds half of a surrogate pair, which is no character")
        elif key == "paragraphId" and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            read[key] = str(value)
            coerced = True
        elif key not in received or (value is None and key not in _REQUIRED[name]):
            if key in _REQUIRED[name]:
                wrong.append(f"`{key}` is missing")
        else:
            wrong.append(f"`{key}` has to be a string")
    if not wrong:
        return read, None, coerced
    got = ", ".join(str(key)[:40] for key in list(received)[:12]) or "no keys at all"
    return _NO_EDITS, f"{'; '.join(wrong)}. {_expects(name)} The call had: {got}.", coerced


def _whole(text: str) -> str:
    """The text without lone surrogates, which no UTF-8 text can hold: neither a message nor a stored record."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
