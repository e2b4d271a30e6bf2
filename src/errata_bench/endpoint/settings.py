"""The settings of the program: flags, then the environment, then ``.env``.

Whatever is wrong with them ends in one `SettingsError` that names each variable and what to write instead.
"""

from __future__ import annotations

import difflib
import io
import os
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from errata_bench.endpoint.address import Address, parse_address
from errata_bench.endpoint.redact import Redactor, redact_plain
from errata_bench.errors import SettingsError, UserError
from errata_bench.variants import parse_variant

PREFIX = "ERRATA_BENCH_"
OPENROUTER_URL = "https://openrouter.ai/api/v1"
OPENROUTER_LABEL = "openrouter"


class Provider(StrEnum):
    """What kind of endpoint it is."""

    OPENROUTER = "openrouter"
    """OpenRouter or what speaks like it: has a price list and takes a ``reasoning`` object."""
    OPENAI_COMPATIBLE = "openai-compatible"
    """Any other server with the chat-completions API; may need no key."""


class ReasoningMode(StrEnum):
    """Whether requests say how much to think."""

    PASSTHROUGH = "passthrough"
    """Send ``reasoning: {effort, exclude?, max_tokens?}``."""
    OMIT = "omit"
    """Send no ``reasoning`` object."""


class Settings(BaseSettings):
    """All settings, checked. Build them with `load_settings`; the environment is read as they are built.

    The key and the URL as given (which may hold a password) are secret strings; everything that may be shown is a
    property.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file_encoding="utf-8-sig",
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        validate_default=False,
    )

    api_provider: Provider = Provider.OPENROUTER
    api_base_url: SecretStr | None = None
    api_key: SecretStr | None = None
    api_endpoint_label: str | None = None
    api_reasoning_mode: ReasoningMode = ReasoningMode.PASSTHROUGH
    default_model: str | None = None
    default_judge_model: str | None = None
    default_corruption_model: str | None = None
    default_corruption_review_model: str | None = None
    default_results_id: str = "official-v1"
    pricing_file: Path | None = None
    results_dir: Path = Path("results")

    @model_validator(mode="before")
    @classmethod
    def _blank_is_unset(cls, data: Any) -> Any:
        # An empty variable in the environment switches off the one in .env, as users of shells expect.
        if not isinstance(data, Mapping):
            return data
        stripped = {name: value.strip() if isinstance(value, str) else value for name, value in data.items()}
        return {name: value for name, value in stripped.items() if value not in ("", None)}

    @field_validator("api_provider", "api_reasoning_mode", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    @field_validator("api_key")
    @classmethod
    def _key_fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        key = value.get_secret_value() if value is not None else ""
        if not all("!" <= character <= "~" for character in key):
            raise ValueError("it holds characters that no key has (spaces, line breaks, quotation marks or accents)")
        return value

    @field_validator("api_base_url")
    @classmethod
    def _url_is_usable(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            parse_address(value.get_secret_value())
        return value

    @field_validator(
        "default_model", "default_judge_model", "default_corruption_model", "default_corruption_review_model"
    )
    @classmethod
    def _is_a_variant(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                parse_variant(value)
            except UserError as error:
                raise ValueError(error.message) from None
        return value

    @field_validator("pricing_file", "results_dir")
    @classmethod
    def _expand_home(cls, value: Path | None) -> Path | None:
        return value.expanduser() if value is not None else None

    @model_validator(mode="after")
    def _other_endpoints_have_a_url(self) -> Settings:
        if self.api_provider is Provider.OPENAI_COMPATIBLE and self.api_base_url is None:
            raise ValueError("missing base URL")
        return self

    @cached_property
    def address(self) -> Address:
        """The endpoint's URLs; `Address.secrets` and `Address.authorization` are not to be shown."""
        return parse_address(self.api_base_url.get_secret_value() if self.api_base_url is not None else OPENROUTER_URL)

    @property
    def has_key(self) -> bool:
        """Whether there is a key."""
        return self.api_key is not None

    @property
    def can_call(self) -> bool:
        """Whether requests may be tried: there is a key, or the endpoint is one that may need none."""
        return self.has_key or self.api_provider is Provider.OPENAI_COMPATIBLE

    @property
    def base_url(self) -> str:
        """The endpoint's URL without ``/chat/completions``, userinfo and query."""
        return self.address.base_url

    @property
    def chat_url(self) -> str:
        """Where requests go, query string included, userinfo not. The query may hold a secret: see `shown_url`."""
        return self.address.chat_url

    @property
    def models_url(self) -> str:
        """Where the endpoint lists its models, query string included, userinfo not."""
        return self.address.models_url

    @property
    def shown_url(self) -> str:
        """`chat_url` as a person may see it."""
        return self.address.shown

    @property
    def endpoint_label(self) -> str:
        """What results are filed under (contract C8): never holds credentials or a query.

        Unless set: ``openrouter`` for OpenRouter's own address, else host, port and path of the URL, so that results
        of different backends never mix.
        """
        if self.api_endpoint_label is not None:
            return self.api_endpoint_label
        if self.api_provider is Provider.OPENROUTER and self.base_url == OPENROUTER_URL:
            return OPENROUTER_LABEL
        return self.address.place

    @property
    def authorization(self) -> str | None:
        """The Authorization header: Basic if the URL has userinfo (QUIRKS Q81), else Bearer with the key."""
        if self.address.authorization is not None:
            return self.address.authorization
        return f"Bearer {self.api_key.get_secret_value()}" if self.api_key is not None else None

    @cached_property
    def redactor(self) -> Redactor:
        """Takes the secrets of these settings out of texts."""
        key = (self.api_key.get_secret_value(),) if self.api_key is not None else ()
        return Redactor((*key, *self.address.secrets))


def load_settings(env_file: Path | None = Path(".env"), **overrides: Any) -> Settings:
    """Read the settings: overrides that are not None, then the environment, then ``env_file`` if there is one.

    Overrides are named like the fields of `Settings`. Raises `SettingsError` for values that cannot be used, for
    misspelt ``ERRATA_BENCH_…`` variables and for a ``.env`` that cannot be read; no error holds the key.
    """
    unknown = overrides.keys() - Settings.model_fields.keys()
    if unknown:
        raise TypeError(f"no such settings: {', '.join(sorted(unknown))}")
    in_file = _names_in(env_file) if env_file is not None else ()
    _check_names([*os.environ, *in_file])
    given = {name: value for name, value in overrides.items() if value is not None}
    faults: tuple[str, ...] = ()
    try:
        return Settings(_env_file=env_file, **given)
    except ValidationError as error:
        faults = tuple(_describe(fault) for fault in error.errors(include_url=False, include_context=False))
    # Raised here, not above: the caught error holds the values, a key among them.
    raise SettingsError("\n".join(faults), mend="change these settings; .env.example explains each of them")


def _names_in(env_file: Path) -> tuple[str, ...]:
    from dotenv.parser import parse_stream

    problem: str | None = None
    text = ""
    try:
        if env_file.exists() and not env_file.is_file():
            problem = "is no file"
        elif env_file.exists():
            text = env_file.read_text(encoding="utf-8-sig")
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    except UnicodeDecodeError:
        problem = "is no UTF-8 text"
    if problem is None and "\x00" in text:
        problem = "is no text file (it holds NUL characters)"
    bindings = list(parse_stream(io.StringIO(text))) if problem is None else []
    lines = [str(binding.original.line) for binding in bindings if binding.error]
    if lines:
        problem = f"has lines that are no NAME=value: {', '.join(lines[:5])}{' and more' if len(lines) > 5 else ''}"
    if problem is not None:
        raise SettingsError(f"{env_file} {problem}", mend=f"mend or remove {env_file}; .env.example shows its form")
    return tuple(binding.key for binding in bindings if binding.key is not None)


def _check_names(names: Iterable[str]) -> None:
    """Refuse misspelt names: with ERRATA_BENCH_API_BASEURL, texts and key would go to another server.

    Every name that begins like ours counts, so that ERRATA_BENCH_DEFAULT_MODL does not run a list of models instead.
    """
    known = {f"{PREFIX}{field.upper()}" for field in Settings.model_fields}
    wrong = sorted({name for name in names if name.upper().startswith(PREFIX)} - known)
    wrong = [name for name in wrong if name.upper() not in known]
    if not wrong:
        return
    hints = [_hint(name, known) for name in wrong]
    raise SettingsError("\n".join(hints), mend="rename or remove it; .env.example lists all settings")


def _hint(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name.upper(), list(known), n=1)
    return f"there is no setting {name}" + (f"; do you mean {close[0]}?" if close else "")


def _describe(fault: Mapping[str, Any]) -> str:
    field = str(fault["loc"][0]) if fault["loc"] else "api_base_url"
    variable = f"{PREFIX}{field.upper()}"
    if not fault["loc"]:
        return f"{variable} is missing: {PREFIX}API_PROVIDER={Provider.OPENAI_COMPATIBLE} needs the URL of a server"
    reason = str(fault["msg"]).removeprefix("Value error, ")
    value = fault["input"]
    if field == "api_key":
        return f"{variable} cannot be used: {reason}"
    if field == "api_base_url":
        given = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        # An unusable URL may have its @ anywhere: hide all that could be userinfo.
        shown = redact_plain(re.sub(r"^([^@]*?://)?.*@", r"\1", given, flags=re.DOTALL))
        return f"{variable}={shown} cannot be used: {reason}; write it like https://host/v1"
    allowed: type[StrEnum] | None = {"api_provider": Provider, "api_reasoning_mode": ReasoningMode}.get(field)
    if allowed is not None:
        return f"{variable}={redact_plain(str(value))} is none of {', '.join(allowed)}"
    return f"{variable}={redact_plain(str(value))} cannot be used: {reason}"
