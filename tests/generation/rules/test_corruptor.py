from __future__ import annotations

from errata_bench.chat import ignore_attempt
from errata_bench.generation.corruptor import Assignment
from errata_bench.generation.placing import place
from errata_bench.generation.proposals import Change, Fate, Proposal, Refused
from errata_bench.generation.rules.corruptor import PLANTED_BY_RULES, RuleCorruptor
from errata_bench.taxonomy import Category, find_category
from tests.generation.sketches import source

PARAGRAPHS = source().paragraphs


def assignment(number: int, categories: tuple[Category, ...] = PLANTED_BY_RULES) -> Assignment:
    return Assignment(0, number, PARAGRAPHS, PARAGRAPHS, PARAGRAPHS[1], categories)


async def proposals(
    seed: int, count: int, categories: tuple[Category, ...] = PLANTED_BY_RULES
) -> list[Proposal | Refused]:
    rules = RuleCorruptor(seed)
    return [await rules.propose(assignment(n, categories), ignore_attempt) for n in range(1, count + 1)]


async def test_the_seed_decides_what_is_proposed() -> None:
    assert await proposals(1, 5) == await proposals(1, 5)
    assert await proposals(1, 5) != await proposals(2, 5)


async def test_nothing_is_proposed_twice_and_in_the_end_there_is_nothing_left() -> None:
    category = find_category("duplication")
    assert category is not None
    made = await proposals(1, 60, (category,))
    kept = [one for one in made if isinstance(one, Proposal)]
    assert kept and len(set(kept)) == len(kept)
    assert isinstance(made[-1], Refused) and made[-1].fate is Fate.DECLINED


async def test_the_preferred_paragraph_and_the_first_category_go_first() -> None:
    for made in await proposals(1, 5):
        assert isinstance(made, Proposal)
        assert made.paragraph == 1
        assert made.category == PLANTED_BY_RULES[0].child


async def test_what_is_proposed_can_be_placed() -> None:
    for made in await proposals(3, 200):
        if isinstance(made, Proposal):
            assert isinstance(place(made, PARAGRAPHS, PLANTED_BY_RULES), Change), made
