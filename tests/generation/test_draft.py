from __future__ import annotations

from dataclasses import replace

import pytest

from errata_bench.generation.draft import Checked, Draft
from errata_bench.generation.proposals import Change, Fate, Refused
from errata_bench.generation.windows import Spread
from tests.generation.sketches import draft, placed, proposal, source

WERE = proposal("subject_verb_agreement", "lamp was asleep", "was", "were")
ASLEP = proposal("omission", "was asleep when", "asleep", "aslep")
BOOTS = proposal("fat_finger_typo", "their boots in", "boots", "boors")


def refused(made: Draft, change: Change) -> Fate:
    outcome = made.check(change)
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason
    return outcome.fate


def test_a_sound_change_is_taken_as_it_is() -> None:
    change = placed(WERE)
    outcome = draft().check(change)
    assert outcome == Checked(change)


def test_planted_errors_do_not_meet_or_touch() -> None:
    made = draft()
    made.add(placed(WERE))
    assert refused(made, placed(WERE)) is Fate.OVERLAPS
    assert refused(made, placed(ASLEP)) is Fate.OVERLAPS  # no sound word between the two
    made.add(placed(BOOTS))
    assert [change.wrong for change in made.planted_in(source().paragraphs)] == ["were", "boors"]


def test_a_paragraph_takes_no_more_than_its_cap() -> None:
    made = draft(caps=1)
    made.add(placed(WERE))
    assert made.room(source().paragraphs[0]) == 0
    far = placed(proposal("insertion", "thought to wake", "thought", "thoought"))
    assert refused(made, far) is Fate.CAP_REACHED


def test_no_stretch_of_text_takes_more_than_its_share() -> None:
    made = draft(most_near=2)
    made.add(placed(WERE))
    made.add(placed(BOOTS))
    near = placed(proposal("insertion", "week old and", "week", "weeek"))
    assert refused(made, near) is Fate.TOO_NEAR
    apart = Draft(source(), Spread(4, (4,), (3, 3, 3, 3), 2, window_words=20))
    apart.add(placed(WERE))
    apart.add(placed(BOOTS))
    assert isinstance(apart.check(near), Checked)


def test_the_same_words_are_planted_twice_and_not_oftener() -> None:
    text = "\n\n".join(f"On day {n} the boat came in, and they were told of it at once." for n in range(3))
    made = draft(text)
    changes = [placed(proposal("misused_word", f"day {n} the boat came", "boat", "boot"), text) for n in range(3)]
    for change in changes[:2]:
        assert isinstance(made.check(change), Checked)
        made.add(change)
    assert refused(made, changes[2]) is Fate.REPEATED


@pytest.mark.parametrize(
    ("text", "made", "fate"),
    [
        # However wide the context, "ha ha." is part of "ha ha ha.".
        ("ha ha ha", proposal("missing_word", "ha ha ha", "ha ha ha", "ha ha"), Fate.CONTAINED),
        ("They went home.", proposal("capitalization_error", "They went", "went", "wend"), Fate.CONTRADICTION),
    ],
)
def test_what_the_checker_of_cases_finds_fault_with_is_refused(text: str, made: object, fate: Fate) -> None:
    change = placed(made, text)  # type: ignore[arg-type]
    assert refused(draft(text), change) is fate


def test_what_no_case_can_be_built_with_is_refused() -> None:
    text = "He went"
    change = Change(0, 0, 7, "", "He went", "grammar_and_syntax.missing_word", "He went", "")
    assert refused(draft(text), change) is Fate.UNMARKABLE


def test_further_fixes_that_cannot_be_accepted_are_dropped_with_a_reason() -> None:
    change = placed(WERE)
    spoken = replace(change, also=("had been", "were  "))
    outcome = draft().check(spoken)
    assert isinstance(outcome, Checked)
    assert outcome.change.also == ("had been",)
    assert [text for text, _ in outcome.dropped] == ["were  "]
