"""From where on the checker finds fault."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what is a matter of degree; None where there is no bound.

    Densities are issues per 1,000 words of the corrupted text; controls have none, nor have texts of
    less than ``density_words``, where one issue makes all the difference. ``most_in_window`` issues
    may lie within ``window_words`` consecutive words, and ``largest_third`` is the greatest share of a case's issues
    in any third of its words (asked of cases with nine or more). Paragraphs are alike when they share
    ``alike_share`` of the shorter one's runs of ``shingle_words`` words (asked of paragraphs of ``alike_words`` or
    more). ``most_equal_errors`` issues may change the same words to the same words before a note says so. The last
    two hold for the whole set.
    """

    least_per_1000: float | None = None
    most_per_1000: float | None = 12.0
    density_words: int = 200
    most_in_paragraph: int = 3
    window_words: int = 100
    most_in_window: int = 4
    largest_third: float = 0.7
    least_words_between: int = 1
    shingle_words: int = 6
    alike_words: int = 20
    alike_share: float = 0.5
    most_equal_errors: int = 2
    largest_category_share: float | None = None
    least_of_each_category: int | None = None
