"""What is taken out of texts (QUIRKS Q82)."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.endpoint.redact import REDACTED, Redactor, redact_plain

KEY = "planted/key+0123456789=abcdef"


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect key {KEY}.",
        f"https://h/v1?api_key={quote(KEY, safe='')}&x=1",
        f"header 'Authorization: Bearer {KEY}'",
        f"shortened: {KEY[:14]}…",
        f"{KEY}{KEY}",
    ],
)
def test_a_key_goes_in_every_spelling(text: str) -> None:
    assert "planted" not in Redactor([KEY])(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://user:pw@host/v1", "http://host/v1"),
        ("http://u:p@ss@host/v1", "http://host/v1"),
        ("see https://h/v1?api_key=abc&x=1", f"see https://h/v1?api_key={REDACTED}&x=1"),
        ("https://h/v1?x=1&access_token=abc", f"https://h/v1?x=1&access_token={REDACTED}"),
        ("https://h/v1?api-version=2024", "https://h/v1?api-version=2024"),
        ("Bearer abc123def456", f"Bearer {REDACTED}"),
        ("provided: sk-abc***************wxyz.", f"provided: {REDACTED}"),
        ("Bearer authentication is required", "Bearer authentication is required"),
        ("write to a@b.test", "write to a@b.test"),
    ],
)
def test_what_looks_like_a_secret_goes_without_being_known(text: str, expected: str) -> None:
    assert redact_plain(text) == expected


def test_a_short_secret_goes_only_as_a_word() -> None:
    assert Redactor(["none"])("none of nonesuch: none") == f"{REDACTED} of nonesuch: {REDACTED}"


def test_a_redactor_shows_no_secret() -> None:
    assert "planted" not in repr(Redactor([KEY]))


def test_no_secrets_change_nothing() -> None:
    assert Redactor()("plain") == "plain"
    assert Redactor(["", " "])("plain text") == "plain text"


@given(st.text(alphabet="abcXYZ0123456789-_./+=%", min_size=8, max_size=40), st.text(), st.text())
def test_a_long_secret_never_stays(secret: str, before: str, after: str) -> None:
    if secret not in REDACTED and secret not in before + REDACTED + after:
        assert secret not in Redactor([secret])(f"{before} {secret} {after}")


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r", "\x0b", "\x0c", "\u00a0", "\u2009", "\u3000"], ids=ascii)
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BASIC", "ba\u017fic"])
def test_an_authorization_is_taken_out_whatever_white_space_stands_in_it(scheme: str, space: str) -> None:
    assert "abc1234567890" not in redact_plain(f"Authorization: {scheme}{space}abc1234567890")
