"""When a screen counts as still."""

from __future__ import annotations

import pytest

from ambidex.guest.desktop.stillness import (
    Change,
    Rect,
    Stillness,
    first_difference,
    union,
    wait_until_still,
)

CARET, CLOCK, BUTTON = Rect(46, 262, 2, 18), Rect(560, 0, 150, 24), Rect(795, 697, 250, 22)


def watched(settle: float = 5.0) -> Stillness:
    return Stillness(now=100.0, still=0.3, settle=settle, work=3 * settle, small=4608)


def test_a_screen_on_which_nothing_happens_is_still_after_the_time_asked_for() -> None:
    watch = watched()
    assert not watch.still(100.2)
    assert watch.left(100.2) > 0
    assert watch.still(100.31)
    assert watch.left(100.31) <= 0


def test_a_caret_and_a_clock_are_no_motion() -> None:
    watch = watched()
    watch.changed(Change(CARET, 1, 2), 100.25)
    watch.changed(Change(CLOCK, 3, 4), 100.29)
    assert watch.still(100.31)


def test_a_button_that_blinks_is_motion_once() -> None:
    watch = watched()
    for number in range(10):
        change = Change(BUTTON, number % 2, (number + 1) % 2)
        watch.changed(change, 100.2 + number * 0.2)
    assert not watch.still(100.45)
    assert watch.still(100.55)


def test_a_counter_that_shows_something_new_each_time_is_motion() -> None:
    watch = watched()
    for number in range(10):
        watch.changed(Change(BUTTON, number, number + 1), 100.2 + number * 0.2)
    assert not watch.still(102.2)


def test_a_dialog_that_opens_is_motion_and_is_waited_for() -> None:
    watch = watched()
    watch.moved(100.25)
    assert not watch.still(100.31)
    assert watch.left(100.31) > 0
    assert watch.still(100.56)


def test_a_film_is_waited_for_no_longer_than_the_bound() -> None:
    watch = watched(settle=1.0)
    for tick in range(40):
        watch.moved(100 + tick / 30)
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


@pytest.mark.parametrize("at", [0, 1, 7, 500, 998, 999])
def test_the_first_difference_is_found_wherever_it_is(at: int) -> None:
    one = bytes(1000)
    other = one[:at] + bytes([1] * (1000 - at))
    assert first_difference(one, other) == at


def test_a_program_at_work_is_waited_for_up_to_a_bound_of_its_own() -> None:
    watch = watched(settle=1.0)
    for tick in range(20):
        watch.at_work(100 + tick / 10)
    assert watch.left(101.95) > 0
    watch.moved(102.15)
    assert watch.left(102.3) > 0  # what came of the work is still being drawn
    assert watch.still(102.5)
    for tick in range(40):
        watch.at_work(100 + tick / 10)
    assert watch.left(103.0) <= 0
    assert not watch.still(103.0)


class Looks:
    """Programs that are at work as told, look by look, and the time that passes meanwhile: a number
    is a look that takes so long.
    """

    def __init__(self, *looks: bool | float) -> None:
        self.now = 100.0
        self._looks = [False, *looks]  # the first look only begins
        self.left = len(looks)
        self.given_up = False

    def at_work(self) -> bool:
        now = self._looks.pop(0) if self._looks else False
        self.left = len(self._looks)
        if isinstance(now, bool):
            return now
        self.now += now
        return False

    def give_up(self) -> None:
        self.given_up = True

    def wait(self, settle: float) -> None:
        """Until it is still."""
        watch = Stillness(self.now, still=0.25, settle=settle, work=3 * settle, small=4608)
        wait_until_still(watch, self, self._listen, lambda: self.now)

    def _listen(self, seconds: float) -> None:
        self.now += seconds


def test_stillness_takes_as_many_quiet_looks_as_fit_into_it() -> None:
    looks = Looks(False, True, False, False, True, False, False, False)
    looks.wait(settle=5.0)
    assert (looks.left, looks.given_up) == (0, False)


def test_a_look_that_was_held_up_tells_nothing() -> None:
    looks = Looks(True, 0.5, True, False, False, False)
    looks.wait(settle=5.0)
    assert (looks.left, looks.given_up) == (0, False)


def test_what_is_at_work_to_the_end_is_given_up() -> None:
    looks = Looks(*[True] * 50)
    looks.wait(settle=0.2)
    assert looks.given_up
