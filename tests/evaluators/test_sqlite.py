"""Evaluators of SQLite databases."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ambidex.evaluators import Score

Judge = Callable[..., Score]

BEFORE = """
CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT, seats INTEGER);
CREATE TABLE bookings (id INTEGER PRIMARY KEY, room INTEGER, day TEXT, title TEXT);
CREATE TABLE activity (id INTEGER PRIMARY KEY, at TEXT, person INTEGER, action TEXT);
INSERT INTO rooms VALUES (1, 'Alm', 6), (2, 'Lind', 14);
INSERT INTO bookings VALUES (1, 1, '2026-12-01', 'Budget'), (2, 2, '2026-12-02', 'Visit');
"""
RIGHT = """
INSERT INTO bookings (room, day, title) VALUES (2, '2026-12-08', 'Fair');
DELETE FROM bookings WHERE id = 1;
UPDATE rooms SET seats = 16 WHERE id = 2;
INSERT INTO activity (at, person, action) VALUES ('10:00', 2, 'book');
"""
EXPECTED: dict[str, object] = {
    "file": "a.db",
    "before": "before.sql",
    "added": {"bookings": [{"room": 2, "day": "2026-12-08", "title": ["Fair", "The fair"]}]},
    "removed": ["bookings/1"],
    "changed": {"rooms/2": {"seats": 16}},
    "free": ["activity"],
}


@pytest.fixture
def after(tmp_path: Path) -> Callable[[str], None]:
    """Makes the database as it was before, and runs a script on it."""
    (tmp_path / "before.sql").write_text(BEFORE)

    def make(script: str) -> None:
        with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
            connection.executescript(BEFORE + script)

    return make


def test_exactly_the_expected_rows_may_have_changed(
    judge: Judge, after: Callable[[str], None]
) -> None:
    after(RIGHT)
    assert judge("sqlite.changes", **EXPECTED) == Score(
        1.0, "a.db: exactly the expected rows have changed"
    )


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("", "no new row of bookings with room 2"),
        (RIGHT + "UPDATE rooms SET seats = 17 WHERE id = 2", "seats is 17, not 16"),
        (RIGHT + "UPDATE rooms SET seats = 'many' WHERE id = 2", "seats is 'many', not 16"),
        (RIGHT + "UPDATE rooms SET name = 'L' WHERE id = 2", "rooms/2: name has changed to 'L'"),
        (RIGHT + "UPDATE rooms SET seats = 7 WHERE id = 1", "rooms/1: seats has changed to 7"),
        (RIGHT + "DELETE FROM rooms WHERE id = 1", "rooms/1 is gone"),
        (RIGHT + "INSERT INTO rooms VALUES (9, 'X', 1)", "an unexpected row of rooms: id 9"),
        (
            RIGHT + "INSERT INTO bookings (room, day, title) VALUES (2, '2026-12-08', 'Fair')",
            "an unexpected row of bookings",
        ),
        (RIGHT.replace("DELETE", "-- DELETE"), "bookings/1 is still there"),
        (RIGHT.replace("'Fair'", "NULL"), "no new row of bookings"),
        (RIGHT + "CREATE TABLE more (a)", "has other tables than before"),
        (RIGHT + "DROP TABLE rooms", "has other tables than before"),
        (RIGHT + "CREATE TRIGGER t AFTER INSERT ON rooms BEGIN SELECT 1; END", "has other tables"),
    ],
)
def test_anything_else_is_found(
    judge: Judge, after: Callable[[str], None], script: str, reason: str
) -> None:
    after(script)
    score = judge("sqlite.changes", **EXPECTED)
    assert score.value == 0
    assert reason in score.reason


def test_an_expectation_about_a_row_that_never_was_is_an_error_of_the_task(
    judge: Judge, after: Callable[[str], None]
) -> None:
    after(RIGHT)
    score = judge("sqlite.changes", **{**EXPECTED, "removed": ["bookings/1", "bookings/77"]})
    assert "the task expects something of bookings/77" in score.reason


def test_a_table_contains_rows_besides_others(judge: Judge, after: Callable[[str], None]) -> None:
    after(RIGHT)
    rows = [{"person": 2, "action": ["book", "reserve"]}]
    assert judge("sqlite.contains", file="a.db", table="activity", rows=rows).value == 1
    wrong = judge("sqlite.contains", file="a.db", table="activity", rows=[{"person": "2"}])
    assert wrong == Score(0.0, "activity has no row with person '2'")
    assert judge("sqlite.contains", file="a.db", table="none", rows=rows).value == 0


def test_a_database_that_takes_for_ever_to_read_is_given_up(judge: Judge, tmp_path: Path) -> None:
    endless = """
        CREATE TABLE activity (a, b AS (a));
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET type = 'table', sql = 'CREATE VIEW activity AS
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT count(*) AS person FROM n';
    """
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(endless)
    score = judge("sqlite.contains", file="a.db", table="activity", rows=[{"person": 1}])
    assert score.value == 0
    assert "cannot be read as a database" in score.reason
