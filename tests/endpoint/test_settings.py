"""Settings, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from errata_bench.endpoint.settings import Provider, ReasoningMode, Settings, load_settings
from errata_bench.errors import SettingsError

ROOT = Path(__file__).parents[2]


def test_defaults_are_openrouter_without_a_key() -> None:
    settings = load_settings(None)
    assert settings.api_provider is Provider.OPENROUTER
    assert settings.base_url == "https://openrouter.ai/api/v1"
    assert settings.chat_url == "https://openrouter.ai/api/v1/chat/completions"
    assert settings.models_url == "https://openrouter.ai/api/v1/models"
    assert settings.endpoint_label == "openrouter"
    assert settings.default_results_id == "official-v1"
    assert settings.results_dir == Path("results")
    assert settings.api_reasoning_mode is ReasoningMode.PASSTHROUGH
    assert not settings.has_key
    assert not settings.can_call
    assert settings.authorization is None


def test_flags_go_before_the_environment_and_that_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    names = ("DEFAULT_MODEL", "DEFAULT_JUDGE_MODEL", "DEFAULT_CORRUPTION_MODEL")
    file.write_text("".join(f"ERRATA_BENCH_{name}=from/file\n" for name in names))
    monkeypatch.setenv("ERRATA_BENCH_DEFAULT_MODEL", "from/environment")
    monkeypatch.setenv("ERRATA_BENCH_DEFAULT_JUDGE_MODEL", "from/environment")
    settings = load_settings(file, default_model="from/flag", default_judge_model=None)
    assert settings.default_model == "from/flag"
    assert settings.default_judge_model == "from/environment"
    assert settings.default_corruption_model == "from/file"


def test_an_empty_variable_switches_off_the_one_in_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("ERRATA_BENCH_API_KEY=abc\n")
    assert load_settings(file).has_key
    monkeypatch.setenv("ERRATA_BENCH_API_KEY", " ")
    assert not load_settings(file).has_key


def test_a_missing_file_is_no_fault(tmp_path: Path) -> None:
    assert not load_settings(tmp_path / ".env").has_key


def test_a_byte_order_mark_and_foreign_variables_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes("\ufeffERRATA_BENCH_API_KEY='abc'\nOTHER=1\nexport PATH_X=2\n# comment\n".encode())
    assert load_settings(file).authorization == "Bearer abc"


@pytest.mark.parametrize(
    ("url", "chat", "models", "label"),
    [
        ("http://h:8080/v1", "http://h:8080/v1/chat/completions", "http://h:8080/v1/models", "h:8080/v1"),
        ("http://h/v1/", "http://h/v1/chat/completions", "http://h/v1/models", "h/v1"),
        ("http://h//v1//", "http://h/v1/chat/completions", "http://h/v1/models", "h/v1"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions", "http://h/v1/models", "h/v1"),
        ("http://h/v1/chat/completions/", "http://h/v1/chat/completions", "http://h/v1/models", "h/v1"),
        ("http://h", "http://h/chat/completions", "http://h/models", "h"),
        (
            "http://h/v1?api-version=2",
            "http://h/v1/chat/completions?api-version=2",
            "http://h/v1/models?api-version=2",
            "h/v1",
        ),
        ("http://u:p@h/v1?key=k", "http://h/v1/chat/completions?key=k", "http://h/v1/models?key=k", "h/v1"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1/chat/completions", "http://[::1]:80/v1/models", "[::1]:80/v1"),
    ],
)
def test_urls_are_completed_not_guessed(url: str, chat: str, models: str, label: str) -> None:
    """Q78, Q79."""
    settings = load_settings(None, api_provider="openai-compatible", api_base_url=url)
    assert (settings.chat_url, settings.models_url, settings.endpoint_label) == (chat, models, label)


def test_another_address_under_the_same_provider_has_another_label() -> None:
    assert load_settings(None, api_base_url="http://127.0.0.1:1/v1").endpoint_label == "127.0.0.1:1/v1"
    assert load_settings(None, api_base_url="https://openrouter.ai/api/v1/").endpoint_label == "openrouter"
    assert load_settings(None, api_endpoint_label="mine").endpoint_label == "mine"


def test_userinfo_becomes_basic_and_is_shown_nowhere() -> None:
    """Q81."""
    settings = load_settings(None, api_base_url="https://planted-user:p%40ss-planted@h.test/v1?token=planted-token")
    assert settings.authorization == "Basic cGxhbnRlZC11c2VyOnBAc3MtcGxhbnRlZA=="
    shown = (settings.base_url, settings.shown_url, settings.endpoint_label, repr(settings), settings.model_dump_json())
    assert "planted" not in "\n".join(shown)


def test_a_local_server_needs_no_key() -> None:
    settings = load_settings(None, api_provider="openai-compatible", api_base_url="http://localhost:1/v1")
    assert settings.can_call
    assert not settings.has_key


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("API_PROVIDER", "azure", ["ERRATA_BENCH_API_PROVIDER=azure", "openrouter", "openai-compatible"]),
        ("API_REASONING_MODE", "on", ["ERRATA_BENCH_API_REASONING_MODE=on", "passthrough", "omit"]),
        ("API_BASE_URL", "localhost:8080/v1", ["ERRATA_BENCH_API_BASE_URL=localhost:8080/v1", "http://"]),
        ("API_BASE_URL", "http://", ["names no host"]),
        ("API_BASE_URL", "http://h:port/v1", ["host or port"]),
        ("API_BASE_URL", "http://h/v1#x", ["fragment"]),
        ("API_BASE_URL", "http://h /v1", ["white space"]),
        ("API_BASE_URL", "ftp://h/v1", ["ERRATA_BENCH_API_BASE_URL=ftp://h/v1"]),
        ("DEFAULT_MODEL", "a b", ["ERRATA_BENCH_DEFAULT_MODEL=a b"]),
        ("API_BASEURL", "http://h", ["ERRATA_BENCH_API_BASEURL", "ERRATA_BENCH_API_BASE_URL?"]),
    ],
)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_wrong_setting_is_named_with_its_value_and_the_mend(
    name: str, value: str, says: list[str], place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    if place == "file":
        file.write_text(f"ERRATA_BENCH_{name}='{value}'\n")
    else:
        monkeypatch.setenv(f"ERRATA_BENCH_{name}", value)
    with pytest.raises(SettingsError) as caught:
        load_settings(file)
    for text in says:
        assert text in caught.value.message
    assert caught.value.mend


def test_all_wrong_settings_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_BENCH_API_PROVIDER", "azure")
    monkeypatch.setenv("ERRATA_BENCH_DEFAULT_MODEL", "a b")
    with pytest.raises(SettingsError) as caught:
        load_settings(None, api_reasoning_mode="on")
    assert caught.value.message.count("ERRATA_BENCH_") == 3


def test_another_endpoint_without_a_url_is_refused() -> None:
    with pytest.raises(SettingsError, match="ERRATA_BENCH_API_BASE_URL is missing"):
        load_settings(None, api_provider="openai-compatible")


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": "planted\nkey"},
        {"api_key": "planted key"},
        {"api_key": "plänted"},
        {"api_base_url": "http://planted:planted@h:port/v1"},
        {"api_base_url": "http://planted:pl/anted@h/v1#x"},
        {"api_base_url": "ftp://h/v1?api_key=planted"},
        {"api_base_url": "planted:planted@h/v1"},
    ],
)
def test_no_error_holds_a_key_or_password(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(None, api_provider="openai-compatible", **settings)
    error: BaseException | None = caught.value
    while error is not None:
        assert "pl" + "anted" not in f"{error!r} {error}"
        error = error.__cause__ or error.__context__


def test_a_misspelt_key_variable_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_BENCH_API_KEYS", "planted")
    with pytest.raises(SettingsError) as caught:
        load_settings(None)
    assert "planted" not in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", b"A=1\x00\n", b"hello world\nERRATA_BENCH_API_KEY=x\n"])
def test_garbage_in_the_file_is_refused_with_its_name(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        load_settings(file)
    assert str(file) in caught.value.message
    assert "hello" not in caught.value.message


def test_a_folder_as_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no file"):
        load_settings(tmp_path)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        setattr(load_settings(None), "default_model", "x/y")  # noqa: B010


def test_an_override_that_does_not_exist_is_a_bug() -> None:
    with pytest.raises(TypeError, match="api_keys"):
        load_settings(None, api_keys="x")


def test_the_example_file_names_every_setting_and_is_valid(tmp_path: Path) -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    for field in Settings.model_fields:
        assert f"ERRATA_BENCH_{field.upper()}=" in text
    file = tmp_path / ".env"
    file.write_text(text.replace("# ERRATA_BENCH_", "ERRATA_BENCH_"), encoding="utf-8")
    load_settings(file)
