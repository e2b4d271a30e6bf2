from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from errata_bench.views.chart.labels import CHARACTER, LINE, Place, Spot, place_labels

names = st.text("abcdef/:-", min_size=1, max_size=30)
spots = st.lists(
    st.builds(Spot, st.floats(0, 700), st.floats(0, 400), st.lists(names, min_size=1, max_size=3).map(tuple)),
    max_size=40,
)


def box(place: Place) -> tuple[float, float, float, float]:
    long = len(place.text) * CHARACTER
    left = place.x - long * {"left": 0.0, "center": 0.5, "right": 1.0}[place.align]
    return left, place.y - LINE / 2, left + long, place.y + LINE / 2


@given(spots)
def test_no_name_covers_another_name_or_a_point_or_leaves_the_chart(spots: list[Spot]) -> None:
    places = place_labels(spots, 700, 400)
    assert len(places) == len(spots)
    boxes = [box(place) for place in places if place is not None]
    for n, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= 0 and right <= 700 and bottom <= 400
        for other in boxes[n + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    for n, (spot, place) in enumerate(zip(spots, places, strict=True)):
        if place is not None:
            assert place.text in spot.texts
            left, top, right, bottom = box(place)
            inside = [s for m, s in enumerate(spots) if m != n and left < s.x < right and top < s.y < bottom]
            assert not inside


def test_a_name_alone_stands_right_of_its_point_and_left_of_it_at_the_edge() -> None:
    (place,) = place_labels([Spot(100, 100, ("name",))], 700, 400)
    assert place is not None
    assert (place.align, place.y) == ("left", 100)
    (place,) = place_labels([Spot(690, 100, ("name",))], 700, 400)
    assert place is not None
    assert place.align == "right"


def test_a_shorter_name_is_taken_where_there_is_no_room_for_the_long_one() -> None:
    crowd = [Spot(10 + 25 * n, 20, (f"a-very-long-name-{n}" * 3, str(n))) for n in range(8)]
    places = place_labels(crowd, 260, 40)
    assert {place.text for place in places if place is not None} >= {str(n) for n in range(1, 7)}


def test_a_name_keeps_clear_of_points() -> None:
    name, other = place_labels([Spot(100, 100, ("name",)), Spot(120, 100, ("n",))], 700, 400)
    assert name is not None
    assert name.align == "right"
    assert other is not None
    assert other.align == "left"
