"""When a screen counts as still."""

from __future__ import annotations

from guest.stillness import Rect, Stillness, union

CARET, CLOCK, DIALOG = 2 * 18, 150 * 24, 400 * 300


def watched(settle: float = 5.0) -> Stillness:
    return Stillness(now=100.0, still=0.3, settle=settle, small=4608)


def test_a_screen_on_which_nothing_happens_is_still_after_the_time_asked_for() -> None:
    watch = watched()
    assert not watch.still(100.2)
    assert watch.left(100.2) > 0
    assert watch.still(100.31)
    assert watch.left(100.31) <= 0


def test_a_caret_and_a_clock_are_no_motion() -> None:
    watch = watched()
    watch.saw(CARET, 100.25)
    watch.saw(CLOCK, 100.29)
    assert watch.still(100.31)


def test_a_dialog_that_opens_is_motion_and_is_waited_for() -> None:
    watch = watched()
    watch.saw(DIALOG, 100.25)
    assert not watch.still(100.31)
    assert watch.left(100.31) > 0
    assert watch.still(100.56)


def test_a_film_is_waited_for_no_longer_than_the_bound() -> None:
    watch = watched(settle=1.0)
    for tick in range(40):
        watch.saw(DIALOG, 100 + tick / 30)
    assert watch.left(101.0) <= 0
    assert not watch.still(101.0)


def test_no_time_to_settle_means_now() -> None:
    assert watched(settle=0).left(100.0) <= 0


def test_changes_add_up_to_the_rectangle_around_them() -> None:
    assert union(None, None) is None
    assert union(Rect(1, 2, 3, 4), None) == Rect(1, 2, 3, 4)
    assert union(Rect(10, 10, 5, 5), Rect(0, 12, 2, 20)) == Rect(0, 10, 15, 22)


def test_what_lies_off_the_screen_is_cut_away() -> None:
    assert Rect(-5, 700, 20, 40).within(1280, 720) == Rect(0, 700, 15, 20)
    assert Rect(1280, 0, 5, 5).within(1280, 720) is None
