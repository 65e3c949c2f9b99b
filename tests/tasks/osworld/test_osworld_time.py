"""Dates relative to today."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ambidex.tasks.osworld.relative_dates import (
    PHRASES,
    RelativeRules,
    day_of,
    fill_dates,
    format_day,
)

DAYS = st.dates(date(2000, 1, 1), date(2100, 1, 1))
WEDNESDAY = date(2026, 11, 25)


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("tomorrow", "2026-11-26"),
        ("this month", "2026-11-25"),
        ("5th next month", "2026-12-05"),
        ("10th next month", "2026-12-10"),
        ("this Saturday", "2026-11-28"),
        ("this Sunday", "2026-11-29"),
        ("next Monday", "2026-11-30"),
        ("next Friday", "2026-11-27"),
        ("next Saturday", "2026-11-28"),
        ("next Sunday", "2026-11-29"),
        ("next week Friday", "2026-12-04"),
        ("next week Saturday", "2026-12-05"),
        ("next week Sunday", "2026-12-06"),
        ("first monday four months later", "2027-03-01"),
        ("first monday eight months later", "2027-07-05"),
    ],
)
def test_a_phrase_on_a_wednesday(phrase: str, day: str) -> None:
    assert day_of(phrase, WEDNESDAY).isoformat() == day


@given(DAYS)
def test_a_coming_day_is_within_a_week_and_never_today(today: date) -> None:
    for phrase, weekday in (("next Monday", 0), ("next Friday", 4), ("next Sunday", 6)):
        day = day_of(phrase, today)
        assert day.weekday() == weekday
        assert timedelta(0) < day - today <= timedelta(7)


@given(DAYS)
def test_next_week_is_the_week_after_this_one(today: date) -> None:
    monday = today - timedelta(today.weekday())
    for phrase in ("next week Friday", "next week Saturday", "next week Sunday"):
        assert timedelta(7) <= day_of(phrase, today) - monday < timedelta(14)


@given(DAYS, st.sampled_from((4, 8)))
def test_a_first_monday_is_in_the_first_week_of_its_month(today: date, months: int) -> None:
    name = {4: "four", 8: "eight"}[months]
    day = day_of(f"first monday {name} months later", today)
    assert (day.weekday(), day.day <= 7) == (0, True)
    assert (day.year * 12 + day.month) - (today.year * 12 + today.month) == months


@given(DAYS)
def test_a_period_does_not_end_before_it_begins(today: date) -> None:
    for first, last in (
        ("next Monday", "next Friday"),
        ("next Monday split", "next Friday split"),
        ("next Friday", "next Sunday"),
        ("next Saturday", "next Sunday"),
        ("next week Friday", "next week Sunday"),
        ("10th next month", "11th next month"),
        ("this Saturday", "this Sunday"),
    ):
        begins, ends = day_of(first, today), day_of(last, today, first)
        assert timedelta(0) < ends - begins <= timedelta(4)


@given(DAYS, st.sampled_from(sorted(PHRASES)))
def test_every_phrase_is_a_day_within_about_a_year(today: date, phrase: str) -> None:
    assert timedelta(-7) < day_of(phrase, today) - today < timedelta(300)


def test_every_placeholder_of_a_day_is_replaced() -> None:
    text = "{DoW} {Month} {DayD} {Day0D} {MonthD} {Month0D} {MonthFull} {month} {Year} {else}"
    assert format_day(text, date(2026, 3, 5)) == "Thu Mar 5 05 3 03 March march 2026 {else}"


@given(st.text(), DAYS)
def test_a_text_without_placeholders_is_unchanged(text: str, day: date) -> None:
    plain = text.replace("{", "").replace("}", "")
    assert format_day(plain, day) == plain


def test_a_placeholder_is_replaced_once() -> None:
    assert format_day("{Year} {Year}", WEDNESDAY) == "2026 {Year}"


def rules(**said: object) -> RelativeRules:
    return RelativeRules.model_validate(said)


def test_one_day_is_filled_into_time_and_into_whole_lists() -> None:
    found = fill_dates(
        rules(relativeTime={"from": "tomorrow"}, expected={"time": ["{DayD}", "{Day0D}"], "a": 1}),
        date(2026, 1, 1),
    )
    assert found["expected"] == {"time": ["2", "02"], "a": 1}


def test_a_period_is_filled_into_from_and_to_and_other_rules_stay() -> None:
    found = fill_dates(
        rules(
            relativeTime={"from": "next week Friday", "to": "next week Sunday"},
            timezone="America/New_York",
            expected={"from": "{DayD}", "to": "{DayD}"},
            expect_in_result=True,
        ),
        WEDNESDAY,
    )
    assert found["expected"] == {"from": "4", "to": "6"}
    assert found["expect_in_result"] is True


def test_a_split_period_has_each_day_in_three_parts() -> None:
    expected = {f"{where}{part}": f"{{{name}}}" for where in ("pu", "do") for part, name in PARTS}
    found = fill_dates(
        rules(
            relativeTime={"from": "next Monday split", "to": "next Friday split"},
            expected=expected,
        ),
        WEDNESDAY,
    )
    assert found["expected"] == {
        "puDay": "30", "puMonth": "11", "puYear": "2026",
        "doDay": "4", "doMonth": "12", "doYear": "2026",
    }  # fmt: skip


PARTS = (("Day", "DayD"), ("Month", "MonthD"), ("Year", "Year"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relativeTime": {"from": "someday"}}, "unknown day 'someday'"),
        ({"timezone": "Europe/Nowhere"}, "unknown time zone"),
    ],
)
def test_unknown_days_and_zones_are_refused_at_load(
    change: dict[str, object], message: str
) -> None:
    good: dict[str, object] = {"relativeTime": {"from": "tomorrow"}, "expected": {"time": ""}}
    with pytest.raises(ValidationError, match=message):
        rules(**(good | change))
