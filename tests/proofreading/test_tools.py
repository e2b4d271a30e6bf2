"""The three tools (contract C5): a bad call is answered so that it can be mended, and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.chat import ToolCall
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.tools import TOOLS, ToolResult, execute, refuse, tool_name
from tests.support.doubles import complete, find_and_replace, replace_paragraph, tool_call, unreadable_call

DOCUMENT = Document((Paragraph("para01", "Teh cat, teh dog &amp; I."), Paragraph("para02", "The end.")))
NAMES = ["find_and_replace", "replace_paragraph", "proofreading_complete"]


def refused(call: ToolCall) -> str:
    """The message of a call that is not carried out."""
    result = execute(call, DOCUMENT)
    assert not result.ok
    assert result.document is DOCUMENT
    assert result.replacements == 0
    assert not result.completes
    assert json.loads(result.content) == {"ok": False, "message": result.message}
    return result.message


def done(call: ToolCall) -> ToolResult:
    result = execute(call, DOCUMENT)
    assert result.ok, result.message
    assert json.loads(result.content) == {"ok": True, "message": result.message}
    return result


# What the model is told of them


def test_schemas_are_plain() -> None:
    assert [tool.name for tool in TOOLS] == NAMES
    for tool in TOOLS:
        assert set(tool.parameters) == {"type", "properties", "required"}
        assert tool.parameters["type"] == "object"
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])
        for field in tool.parameters["properties"].values():
            assert set(field) == {"type", "description"}
            assert field["type"] == "string"


def test_required_keys_are_those_of_the_contract() -> None:
    assert {tool.name: (list(tool.parameters["properties"]), tool.parameters["required"]) for tool in TOOLS} == {
        "find_and_replace": (["paragraphId", "find", "replace"], ["paragraphId", "find", "replace"]),
        "replace_paragraph": (["paragraphId", "newParagraphHtml"], ["paragraphId", "newParagraphHtml"]),
        "proofreading_complete": (["note"], []),
    }


# Calls that are carried out


def test_every_occurrence_is_replaced_and_the_model_is_told_how_many() -> None:
    result = done(find_and_replace("para01", "eh", "he"))
    assert result.replacements == 2
    assert "2 occurrences" in result.message
    assert result.document.paragraphs == (Paragraph("para01", "The cat, the dog &amp; I."), DOCUMENT.paragraphs[1])
    assert result.arguments == {"paragraphId": "para01", "find": "eh", "replace": "he"}


def test_single_replacement_is_done() -> None:
    result = done(find_and_replace("para01", "Teh", "The"))
    assert (result.replacements, result.message) == (1, "Done.")


def test_paragraph_is_replaced() -> None:
    result = done(replace_paragraph("para02", '<p id="para02">The “end”.</p>'))
    assert result.document.paragraphs == (DOCUMENT.paragraphs[0], Paragraph("para02", 'The "end".'))
    assert result.replacements == 1


@pytest.mark.parametrize(
    "call",
    [
        find_and_replace("para01", "Teh", "Teh"),
        find_and_replace("para02", "The end.", "The end."),
        replace_paragraph("para02", '<p id="para02">The end.</p>'),
    ],
)
def test_edit_without_effect_is_ok_and_says_that_nothing_changed(call: ToolCall) -> None:
    result = done(call)
    assert "Nothing changed" in result.message
    assert (result.document, result.replacements) == (DOCUMENT, 0)


@pytest.mark.parametrize("arguments", [{}, {"note": "Done."}, {"note": None}, {"note": "", "more": 1}])
def test_completion_needs_no_note(arguments: dict[str, Any]) -> None:
    result = done(tool_call("proofreading_complete", arguments))
    assert result.completes
    assert result.document is DOCUMENT


def test_edit_does_not_complete() -> None:
    assert not done(find_and_replace("para01", "Teh", "The")).completes


@pytest.mark.parametrize("name", ["functions.find_and_replace", "Find_And_Replace", "FIND_AND_REPLACE"])
def test_name_in_other_dress_is_understood(name: str) -> None:
    call = tool_call(name, {"paragraphId": "para01", "find": "Teh", "replace": "The"})
    assert done(call).name == "find_and_replace"


def test_number_as_id_is_taken_for_a_text() -> None:
    document = Document((Paragraph("123456", "Teh."),))
    result = execute(tool_call("find_and_replace", {"paragraphId": 123456, "find": "Teh", "replace": "The"}), document)
    assert result.ok and result.coerced
    assert result.arguments["paragraphId"] == "123456"
    assert not execute(find_and_replace("123456", "Teh", "The"), document).coerced


def test_number_that_is_no_id_is_refused_as_an_id() -> None:
    message = refused(tool_call("find_and_replace", {"paragraphId": 7, "find": "Teh", "replace": "The"}))
    assert "no paragraph '7'" in message and "para01, para02" in message


@pytest.mark.parametrize("text", [r"\1", "$&", "$1", r"\g<0>", "{find}", "%(x)s", "\\"])
def test_texts_are_taken_literally(text: str) -> None:
    assert done(find_and_replace("para02", "end", text)).document.paragraphs[1].inner_html == f"The {text}."
    assert "does not occur" in refused(find_and_replace("para02", text, "x"))


def test_extra_keys_do_no_harm() -> None:
    call = tool_call("find_and_replace", {"paragraphId": "para01", "find": "Teh", "replace": "The", "why": "typo"})
    assert done(call).arguments == {"paragraphId": "para01", "find": "Teh", "replace": "The"}


# Calls that are refused


@pytest.mark.parametrize(
    "name", ["", "edit", "multi_tool_use.parallel", "functions.", "functions.edit", "find_replace"]
)
def test_unknown_tool_is_refused_with_those_there_are(name: str) -> None:
    message = refused(tool_call(name, {"paragraphId": "para01"}))
    assert f"no tool {name!r}" in message
    assert all(known in message for known in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_unreadable_arguments_are_refused_with_the_keys_that_are_wanted(name: str) -> None:
    message = refused(unreadable_call(name, "{", "The arguments are cut off."))
    assert message.startswith("The arguments are cut off. ")
    required = next(tool.parameters["required"] for tool in TOOLS if tool.name == name)
    assert f"required keys: {', '.join(required) or 'none'}" in message


def test_unreadable_arguments_without_a_reason_are_refused_all_the_same() -> None:
    assert refused(unreadable_call("find_and_replace", "[]")).startswith("The arguments are no JSON object. ")


def test_keys_of_other_editors_are_named_beside_the_right_ones() -> None:
    message = refused(tool_call("find_and_replace", {"paragraph_id": "para01", "old_string": "a", "new_string": "b"}))
    assert "`paragraphId` is missing; `find` is missing; `replace` is missing" in message
    assert "required keys: paragraphId, find, replace" in message
    assert "The call had: paragraph_id, old_string, new_string." in message


def test_call_without_keys_says_so() -> None:
    assert "The call had: no keys at all." in refused(tool_call("replace_paragraph", {}))


@pytest.mark.parametrize("value", [None, True, False, 1.5, [], ["a"], {"id": "para01"}])
def test_id_that_is_no_text_and_no_whole_number_is_refused(value: object) -> None:
    message = refused(tool_call("find_and_replace", {"paragraphId": value, "find": "Teh", "replace": "The"}))
    assert message.startswith("`paragraphId` has to be a string.")


@pytest.mark.parametrize("value", [None, True, 3, 1.5, [], {"a": "b"}])
@pytest.mark.parametrize("key", ["find", "replace"])
def test_text_that_is_no_string_is_refused(key: str, value: object) -> None:
    message = refused(
        tool_call("find_and_replace", {"paragraphId": "para01", "find": "Teh", "replace": "The", key: value})
    )
    assert message.startswith(f"`{key}` has to be a string.")


def test_note_that_is_no_text_is_refused() -> None:
    assert "`note` has to be a string" in refused(tool_call("proofreading_complete", {"note": ["a"]}))


def test_number_too_long_to_be_an_id_is_refused() -> None:
    # A whole number of more than 4,300 digits cannot even be written out.
    message = refused(
        ToolCall("call0", "find_and_replace", {"paragraphId": 10**5000, "find": "a", "replace": "b"}, "…")
    )
    assert message.startswith("`paragraphId` has to be a string.")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (find_and_replace("para09", "Teh", "The"), "no paragraph 'para09'"),
        (find_and_replace("para01", "", "The"), "`find` is empty"),
        (find_and_replace("para01", "dog & I", "dog and I"), "write & as &amp;"),
        (find_and_replace("para01", "THE CAT", "The cat"), "as it stands now: Teh cat, teh dog &amp; I."),
        (find_and_replace("para01", ", ", "</p><p>"), "cannot be split or merged"),
        (replace_paragraph("para01", "The cat."), '<p id="para01">…</p>'),
        (replace_paragraph("para01", '<p id="para02">The cat.</p>'), "The id has to stay."),
        (replace_paragraph("para01", '<p id="para01">a</p><p id="para02">b</p>'), "cannot be split or merged"),
    ],
)
def test_edit_that_cannot_be_made_is_refused_with_what_to_do(call: ToolCall, told: str) -> None:
    assert told in refused(call)
    assert execute(call, DOCUMENT).arguments == call.arguments  # kept for the record


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"paragraphId": "para01", "find": "Teh", "replace": "The \ud83d"}, "replace"),
        ({"paragraphId": "para01", "find": "\ude00Teh", "replace": "The"}, "find"),
        ({"paragraphId": "\ud800", "find": "Teh", "replace": "The"}, "paragraphId"),
    ],
)
def test_half_a_character_is_refused(arguments: dict[str, str], key: str) -> None:
    message = refused(ToolCall("call0", "find_and_replace", arguments, "{}"))
    assert message.startswith(f"`{key}` holds half of a surrogate pair")


def test_half_a_character_in_names_and_keys_can_be_answered() -> None:
    assert "\\ud800" in refused(ToolCall("call0", "find_and_replace", {"fi\ud800nd": "x"}, "{}"))
    result = execute(ToolCall("call0", "x\ud800", {}, "{}"), DOCUMENT)
    assert result.name.encode() and result.content.encode()
    assert refused(unreadable_call("find_and_replace", "{", "Not JSON: \udfff.")).encode()


def test_call_that_must_not_run_is_answered_under_the_tool_it_means() -> None:
    result = refuse(tool_call("functions.Find_and_replace", {"paragraphId": "para01"}), DOCUMENT, "Cut off.")
    assert (result.name, result.ok, result.message, result.arguments) == ("find_and_replace", False, "Cut off.", {})
    assert result.document is DOCUMENT


def test_refused_completion_does_not_complete() -> None:
    assert not refuse(complete(), DOCUMENT, "Cut off.").completes


def test_names_are_not_guessed() -> None:
    assert tool_name("find_and_replace") == "find_and_replace"
    assert tool_name("findandreplace") is None
    assert tool_name("functions.functions.find_and_replace") is None


# Properties

values = st.one_of(
    st.text(st.characters()),  # lone surrogates included
    st.sampled_from(["para01", "para02", "Teh", "eh", " ", '<p id="para01">x</p>']),
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(), st.integers(), max_size=2),
)
keys = st.one_of(
    st.sampled_from(["paragraphId", "find", "replace", "newParagraphHtml", "note"]), st.text(st.characters())
)
arguments_sent = st.one_of(
    st.none(),
    st.dictionaries(keys, values, max_size=5),
    st.fixed_dictionaries({"paragraphId": values, "find": values, "replace": values}),
    st.fixed_dictionaries({"paragraphId": values, "newParagraphHtml": values}),
)


@given(st.one_of(st.sampled_from(NAMES), st.text(st.characters())), arguments_sent)
def test_no_call_raises_and_every_answer_can_be_sent(name: str, arguments: dict[str, Any] | None) -> None:
    result = execute(ToolCall("call0", name, arguments, "…"), DOCUMENT)
    assert result.message
    result.content.encode()
    result.document.html.encode()
    result.name.encode()
    assert [p.id for p in result.document] == [p.id for p in DOCUMENT]
    if not result.ok:
        assert result.document is DOCUMENT
    if result.replacements == 0:
        assert result.document == DOCUMENT


@given(st.sampled_from(["para01", "para02"]), st.text(st.sampled_from("Teh cat.&"), max_size=4), st.text(max_size=4))
def test_find_and_replace_never_changes_other_paragraphs(target: str, find: str, replace: str) -> None:
    result = execute(find_and_replace(target, find, replace), DOCUMENT)
    assert [p for p in result.document if p.id != target] == [p for p in DOCUMENT if p.id != target]
