"""The shape of a request, as strict as the strictest servers are about it. Pure.

Unknown parameters and unknown fields of messages are refused (QUIRKS Q43, Q65), an assistant message needs text or
calls (Q39), a list of calls is not empty (Q27), arguments are JSON (Q13), and tool schemas keep to the few keywords
that every server knows (Q69).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from errata_bench.chat import ChatRequest, ToolSchema
from errata_bench.variants import EFFORTS


class Refused(Exception):
    """A request that is no good: what a server says of it."""

    def __init__(
        self, message: str, *, parameter: str | None = None, code: str | None = None, status: int = 400
    ) -> None:
        super().__init__(message)
        self.message = message
        self.parameter = parameter
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that can be answered.

    ``token_limit`` is what the reply may have; None where the request sets no limit. ``digest`` is the same for
    bodies that say the same.
    """

    model: str
    request: ChatRequest
    token_limit: int | None
    parallel: bool
    digest: str


def _content(value: Any) -> str:
    """The text of a content that is a text, or a list of parts of text."""
    if isinstance(value, list):
        if not all(isinstance(part, dict) and part.keys() == {"type", "text"} for part in value):
            raise ValueError("has parts that are not {type, text}")
        if not all(part["type"] == "text" and isinstance(part["text"], str) for part in value):
            raise ValueError("has parts that are not text")
        value = "\n".join(part["text"] for part in value)
    if not isinstance(value, str):
        raise ValueError("is neither a text nor a list of parts")
    if not value.strip():
        raise ValueError("is empty")
    return value


def _no_or_some_content(value: Any) -> str | None:
    return None if value is None or value == "" else _content(value)


_Content = Annotated[str, BeforeValidator(_content)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Function(_Strict):
    name: _Name
    arguments: str

    @field_validator("arguments")
    @classmethod
    def _are_json(cls, value: str) -> str:
        try:
            decoded = orjson.loads(value)
        except orjson.JSONDecodeError:
            raise ValueError("is no valid JSON") from None
        if not isinstance(decoded, dict):
            raise ValueError("is no JSON object")
        return value


class Call(_Strict):
    """A tool call of an assistant message."""

    id: Annotated[str, Field(min_length=1, max_length=64)]
    type: Literal["function"]
    function: _Function


class SystemMessage(_Strict):
    """What the model is told of its task."""

    role: Literal["system", "developer"]
    content: _Content
    name: str | None = None


class UserMessage(_Strict):
    """What the model is asked."""

    role: Literal["user"]
    content: _Content
    name: str | None = None


class AssistantMessage(_Strict):
    """What the model said."""

    role: Literal["assistant"]
    content: Annotated[str | None, BeforeValidator(_no_or_some_content)] = None
    tool_calls: list[Call] = Field(default_factory=list, min_length=1)
    name: str | None = None
    refusal: str | None = None

    @model_validator(mode="after")
    def _says_something(self) -> AssistantMessage:
        if not self.content and not self.tool_calls and not self.refusal:
            raise ValueError("must have either content or tool_calls")
        return self


class ToolMessage(_Strict):
    """What came of one call."""

    role: Literal["tool"]
    tool_call_id: str
    content: _Content
    name: str | None = None


Message = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


class _Schema(_Strict):
    type: Literal["object", "string", "integer", "number", "boolean", "array"]
    description: str | None = None
    properties: dict[str, _Schema] = Field(default_factory=dict)
    required: list[str] = Field(default_factory=list)
    items: _Schema | None = None
    enum: list[str | int] | None = None

    @model_validator(mode="after")
    def _requires_what_there_is(self) -> _Schema:
        unknown = [name for name in self.required if name not in self.properties]
        if unknown:
            raise ValueError(f"requires properties that it does not define: {', '.join(unknown)}")
        return self


class _Declared(_Strict):
    name: _Name
    description: str = ""
    parameters: _Schema


class _Tool(_Strict):
    type: Literal["function"]
    function: _Declared


class _Reasoning(_Strict):
    effort: str | None = None
    exclude: bool = False
    max_tokens: int | None = Field(default=None, ge=1)

    @field_validator("effort")
    @classmethod
    def _is_known(cls, value: str | None) -> str | None:
        if value is not None and value not in EFFORTS:
            raise ValueError(f"is none of {', '.join(EFFORTS)}")
        return value


class Body(_Strict):
    """The body of a chat completion."""

    model: Annotated[str, Field(min_length=1)]
    messages: list[Message] = Field(min_length=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    n: Literal[1] | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    user: str | None = None
    stream: Literal[False] | None = None
    tools: list[_Tool] = Field(default_factory=list, min_length=1)
    tool_choice: Literal["auto", "none", "required"] | None = None
    parallel_tool_calls: bool | None = None
    reasoning: _Reasoning | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Body:
        if self.max_tokens is not None and self.max_completion_tokens is not None:
            raise ValueError("sets both max_tokens and max_completion_tokens")
        for name in ("tool_choice", "parallel_tool_calls"):
            if getattr(self, name) is not None and not self.tools:
                raise ValueError(f"sets {name}, which is only allowed with tools")
        names = [tool.function.name for tool in self.tools]
        if len(set(names)) < len(names):
            raise ValueError("has two tools of the same name")
        return self


_UNKNOWN = "Unknown parameter: {}."
_MISSING = "Missing required parameter: {}."


def read_body(raw: bytes) -> tuple[Body, Asked]:
    """Read a request. Raises `Refused` with all that a server would say of it."""
    try:
        content = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Refused(f"We could not parse the JSON body of your request: {error}") from None
    if not isinstance(content, dict):
        raise Refused("The body of a request has to be a JSON object.")
    try:
        body = Body.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise _refusal(first["type"], first["loc"], first["msg"]) from None
    return body, _asked(body, content)


def _asked(body: Body, content: dict[str, Any]) -> Asked:
    request = ChatRequest(
        messages=tuple(message.model_dump(exclude_defaults=True) for message in body.messages),
        tools=tuple(
            ToolSchema(
                tool.function.name,
                tool.function.description,
                tool.function.parameters.model_dump(exclude_defaults=True),
            )
            for tool in body.tools
        ),
        tool_choice=body.tool_choice or "auto",
    )
    limit = body.max_completion_tokens if body.max_completion_tokens is not None else body.max_tokens
    digest = hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return Asked(body.model, request, limit, body.parallel_tool_calls is not False, digest)


def _refusal(kind: str, location: tuple[int | str, ...], problem: str) -> Refused:
    where = _where(location)
    if kind == "extra_forbidden":
        return Refused(_UNKNOWN.format(repr(where)), parameter=where, code="unknown_parameter")
    if kind == "missing":
        return Refused(_MISSING.format(repr(where)), parameter=where, code="missing_required_parameter")
    problem = problem.removeprefix("Value error, ")
    named = f"Invalid value for {where!r}: " if where else "Invalid request: the body "
    return Refused(f"{named}{problem}.", parameter=where or None, code="invalid_value")


def _where(location: tuple[int | str, ...]) -> str:
    """A place as servers write it: ``messages[2].tool_calls[0].id``."""
    written = ""
    for place, step in enumerate(location):
        if place == 2 and location[0] == "messages":
            continue  # the role, by which the form of the message was chosen
        if isinstance(step, int):
            written += f"[{step}]"
        else:
            written += f".{step}" if written else step
    return written
