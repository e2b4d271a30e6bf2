"""What models send as a call's arguments (QUIRKS A)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.endpoint.arguments import decode_arguments
from errata_bench.endpoint.oddities import Oddity

NESTED = '{"a":' * 600 + "1" + "}" * 600


@pytest.mark.parametrize(
    ("sent", "expected", "oddities"),
    [
        pytest.param('{"find":"a","replace":"b"}', {"find": "a", "replace": "b"}, [], id="plain"),
        pytest.param({"find": "a"}, {"find": "a"}, [Oddity.ARGUMENTS_AS_OBJECT], id="Q01 object"),
        pytest.param({}, {}, [Oddity.ARGUMENTS_AS_OBJECT], id="Q01 empty object"),
        pytest.param('"{\\"find\\": \\"a\\"}"', {"find": "a"}, [Oddity.DOUBLE_ENCODED_ARGUMENTS], id="Q02 twice"),
        pytest.param(
            json.dumps(json.dumps(json.dumps({"find": "a"}))),
            {"find": "a"},
            [Oddity.DOUBLE_ENCODED_ARGUMENTS],
            id="Q02 three times",
        ),
        pytest.param('{"find":"{\\"x\\":1}"}', {"find": '{"x":1}'}, [], id="Q02 a field is never unwrapped"),
        pytest.param('{"find":"a"}\n\nI\'ll now…', {"find": "a"}, [Oddity.TRAILING_TEXT], id="Q03 prose behind"),
        pytest.param('{"find":"a"}{"find":"b"}', {"find": "a"}, [Oddity.TRAILING_TEXT], id="Q03 second object"),
        pytest.param('{"find":"a"}}', {"find": "a"}, [Oddity.TRAILING_TEXT], id="Q03 brace too many"),
        pytest.param('{"find":"a\n\tb"}', {"find": "a\n\tb"}, [Oddity.RAW_CONTROL_CHARACTERS], id="Q04"),
        pytest.param('{"replace":"a\\\\nb"}', {"replace": "a\\nb"}, [], id="Q06 over-escaped stays literal"),
        pytest.param(
            "{'find':'what\\'s','replace':None}",
            {"find": "what's", "replace": None},
            [Oddity.PYTHON_LITERAL],
            id="Q07 Python dict",
        ),
        pytest.param("{'find': \"it's\"}", {"find": "it's"}, [Oddity.PYTHON_LITERAL], id="Q07 mixed quotes"),
        pytest.param("{'find': '\\d'}", {"find": "\\d"}, [Oddity.PYTHON_LITERAL], id="Q07 odd escape warns nobody"),
        pytest.param("", {}, [Oddity.EMPTY_ARGUMENTS], id="Q10 empty"),
        pytest.param(" \n", {}, [Oddity.EMPTY_ARGUMENTS], id="Q10 white space"),
        pytest.param(None, {}, [Oddity.EMPTY_ARGUMENTS], id="Q11 null"),
        pytest.param("null", {}, [Oddity.EMPTY_ARGUMENTS], id="Q11 null as text"),
        pytest.param('```json\n{"find":"a"}\n```', {"find": "a"}, [Oddity.FENCED_ARGUMENTS], id="fence"),
        pytest.param('{"find":"\\ud83d"}', {"find": "\ufffd"}, [Oddity.LONE_SURROGATE], id="half a pair"),
        pytest.param('{"find":"\\ud83d\\ude00"}', {"find": "😀"}, [], id="a whole pair"),
        pytest.param('\ufeff{"find":"a"}', {"find": "a"}, [], id="byte order mark"),
    ],
)
def test_arguments_are_understood(sent: Any, expected: dict[str, Any], oddities: list[Oddity]) -> None:
    decoded = decode_arguments(sent)
    assert decoded.value == expected
    assert decoded.problem is None
    assert list(decoded.oddities) == oddities
    assert json.loads(decoded.replay) == expected


@pytest.mark.parametrize(
    ("sent", "oddity"),
    [
        pytest.param('{"newParagraphHtml":"<p>The', Oddity.MALFORMED_ARGUMENTS, id="Q08 cut"),
        pytest.param('{"find":"a","replace":', Oddity.MALFORMED_ARGUMENTS, id="Q08 cut between fields"),
        pytest.param("{'find': 'a', 'repl", Oddity.MALFORMED_ARGUMENTS, id="Q08 cut Python dict"),
        pytest.param('"{\\"find\\": \\"a', Oddity.MALFORMED_ARGUMENTS, id="Q08 cut in the inner string"),
        pytest.param('"{\\"find\\": \\"a"', Oddity.ARGUMENTS_NOT_AN_OBJECT, id="Q08 inner string cut"),
        pytest.param('["p1"]', Oddity.ARGUMENTS_NOT_AN_OBJECT, id="Q12 list"),
        pytest.param('"\\"p1\\""', Oddity.ARGUMENTS_NOT_AN_OBJECT, id="Q12 string"),
        pytest.param("17", Oddity.ARGUMENTS_NOT_AN_OBJECT, id="Q12 number"),
        pytest.param(["p1"], Oddity.ARGUMENTS_NOT_AN_OBJECT, id="Q12 bare list"),
        pytest.param(False, Oddity.ARGUMENTS_NOT_AN_OBJECT, id="Q12 bare truth value"),
        pytest.param("{find: a}", Oddity.MALFORMED_ARGUMENTS, id="no quotes"),
        pytest.param("{'a', 'b'}", Oddity.MALFORMED_ARGUMENTS, id="Q07 a set is no dict"),
        pytest.param("{1: 2}", Oddity.MALFORMED_ARGUMENTS, id="Q07 keys that JSON has not"),
        pytest.param("{'a': b'x'}", Oddity.MALFORMED_ARGUMENTS, id="Q07 values that JSON has not"),
        pytest.param("{'a': __import__('os')}", Oddity.MALFORMED_ARGUMENTS, id="Q07 code is never run"),
        pytest.param('{"a": NaN}', Oddity.MALFORMED_ARGUMENTS, id="not a number"),
        pytest.param(NESTED, Oddity.MALFORMED_ARGUMENTS, id="nested too deeply to send"),
        pytest.param("[" * 100_000, Oddity.MALFORMED_ARGUMENTS, id="nested too deeply to read"),
        pytest.param("{" + "'a':(" * 5_000 + "}", Oddity.MALFORMED_ARGUMENTS, id="a literal nested too deeply"),
        pytest.param('{"a": ' + "9" * 5_000 + "}", Oddity.MALFORMED_ARGUMENTS, id="number too large"),
    ],
)
def test_arguments_that_are_no_object_are_never_executed(sent: Any, oddity: Oddity) -> None:
    decoded = decode_arguments(sent)
    assert decoded.value is None
    assert decoded.problem
    assert oddity in decoded.oddities
    assert decoded.replay == "{}"  # Q13: only valid JSON goes back


def test_clean_arguments_are_replayed_byte_for_byte() -> None:
    sent = '{ "find" : "\\u00e9",  "replace":"b" }'
    assert decode_arguments(sent).replay == sent
    assert decode_arguments(sent).raw == sent


def test_what_was_sent_is_kept_for_the_record() -> None:
    assert decode_arguments('{"find": "a').raw == '{"find": "a'


@given(st.dictionaries(st.text(), st.text() | st.integers(-(2**63), 2**63) | st.none() | st.booleans(), max_size=5))
def test_any_object_survives_each_wrapping(value: dict[str, Any]) -> None:
    plain = json.dumps(value)
    for sent in (plain, json.dumps(plain), json.dumps(json.dumps(plain)), repr(value), f"{plain} and more"):
        assert decode_arguments(sent).value == value


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), min_size=1), st.data())
def test_a_cut_object_never_becomes_arguments(value: dict[str, str], data: st.DataObject) -> None:
    plain = json.dumps(value)
    cut = plain[: data.draw(st.integers(1, len(plain) - 1))]
    assert decode_arguments(cut).value is None


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_no_text_makes_decoding_raise(text: str) -> None:
    decoded = decode_arguments(text)
    assert isinstance(json.loads(decoded.replay), dict)
