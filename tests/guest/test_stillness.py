"""The rules by which a screen counts as still."""

from __future__ import annotations

from ambidex.guest.desktop.stillness import (
    Change,
    Rect,
    Stillness,
    first_difference,
    union,
    wait_until_still,
)
from tests.support.tables import every_case

CARET, CLOCK, BUTTON = Rect(46, 262, 2, 18), Rect(560, 0, 150, 24), Rect(795, 697, 250, 22)


def make_watch(settle: float = 5.0) -> Stillness:
    return Stillness(now=100.0, still=0.3, settle=settle, work=3 * settle, small=4608)


def test_a_screen_without_changes_is_still_after_the_requested_time() -> None:
    watch = make_watch()
    assert not watch.still(100.2)
    assert watch.left(100.2) > 0
    assert watch.still(100.31)
    assert watch.left(100.31) <= 0


def test_a_caret_and_a_clock_are_not_motion() -> None:
    watch = make_watch()
    watch.changed(Change(CARET, 1, 2), 100.25)
    watch.changed(Change(CLOCK, 3, 4), 100.29)
    assert watch.still(100.31)


def test_a_blinking_button_is_motion_only_once() -> None:
    watch = make_watch()
    for number in range(10):
        change = Change(BUTTON, number % 2, (number + 1) % 2)
        watch.changed(change, 100.2 + number * 0.2)
    assert not watch.still(100.45)
    assert watch.still(100.55)


def test_a_counter_with_a_new_value_each_time_is_motion() -> None:
    watch = make_watch()
    for number in range(10):
        watch.changed(Change(BUTTON, number, number + 1), 100.2 + number * 0.2)
    assert not watch.still(102.2)


def test_a_dialog_that_opens_is_motion_and_is_waited_for() -> None:
    watch = make_watch()
    watch.moved(100.25)
    assert not watch.still(100.31)
    assert watch.left(100.31) > 0
    assert watch.still(100.56)


def test_a_film_is_waited_for_up_to_the_bound() -> None:
    watch = make_watch(settle=1.0)
    for tick in range(40):
        watch.moved(100 + tick / 30)
    assert watch.left(101.0) <= 0
    assert not watch.still(101.0)


def test_without_time_to_settle_there_is_no_wait() -> None:
    assert make_watch(settle=0).left(100.0) <= 0


def test_the_union_of_rectangles_is_the_rectangle_around_them() -> None:
    assert union(None, None) is None
    assert union(Rect(1, 2, 3, 4), None) == Rect(1, 2, 3, 4)
    assert union(Rect(10, 10, 5, 5), Rect(0, 12, 2, 20)) == Rect(0, 10, 15, 22)


def test_a_rectangle_is_clipped_to_the_screen() -> None:
    assert Rect(-5, 700, 20, 40).within(1280, 720) == Rect(0, 700, 15, 20)
    assert Rect(1280, 0, 5, 5).within(1280, 720) is None


@every_case("at", [0, 1, 7, 500, 998, 999])
def test_the_first_difference_is_found_wherever_it_is(at: int) -> None:
    one = bytes(1000)
    other = one[:at] + bytes([1] * (1000 - at))
    assert first_difference(one, other) == at


def test_a_busy_program_is_waited_for_up_to_a_bound_of_its_own() -> None:
    watch = make_watch(settle=1.0)
    for tick in range(20):
        watch.at_work(100 + tick / 10)
    assert watch.left(101.95) > 0
    watch.moved(102.15)
    assert watch.left(102.3) > 0  # the result is still being drawn
    assert watch.still(102.5)
    for tick in range(40):
        watch.at_work(100 + tick / 10)
    assert watch.left(103.0) <= 0
    assert not watch.still(103.0)


class ScriptedPrograms:
    """Programs with a scripted result for each check, and a clock; a number is a check that takes
    that many seconds.
    """

    def __init__(self, *checks: bool | float) -> None:
        self.now = 100.0
        self._checks = [False, *checks]  # the first check only starts the measurement
        self.left = len(checks)
        self.given_up = False

    def at_work(self) -> bool:
        result = self._checks.pop(0) if self._checks else False
        self.left = len(self._checks)
        if isinstance(result, bool):
            return result
        self.now += result
        return False

    def give_up(self) -> None:
        self.given_up = True

    def wait(self, settle: float) -> None:
        """Wait until the screen is still."""
        watch = Stillness(self.now, still=0.25, settle=settle, work=3 * settle, small=4608)
        wait_until_still(watch, self, self._listen, lambda: self.now)

    def _listen(self, seconds: float) -> None:
        self.now += seconds


def test_stillness_needs_as_many_idle_checks_as_fit_into_its_time() -> None:
    programs = ScriptedPrograms(False, True, False, False, True, False, False, False)
    programs.wait(settle=5.0)
    assert (programs.left, programs.given_up) == (0, False)


def test_a_delayed_check_is_not_conclusive() -> None:
    programs = ScriptedPrograms(True, 0.5, True, False, False, False)
    programs.wait(settle=5.0)
    assert (programs.left, programs.given_up) == (0, False)


def test_programs_that_are_busy_to_the_end_are_given_up() -> None:
    programs = ScriptedPrograms(*[True] * 50)
    programs.wait(settle=0.2)
    assert programs.given_up
