"""Evaluators of a database's export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ambidex.evaluators.registry import bind
from tests.support.tables import every_case

ORDERS = {"columns": ["id", "total", "note"], "rows": [["1", "9.50", "paid"], ["2", "3", None]]}
DEFINITIONS = [
    ["column", "public.orders.id", "integer not null"],
    ["constraint", "public.orders_pkey", "PRIMARY KEY (id)"],
    ["extension", "vector", "0.8.0"],
]


def export(**changed: Any) -> dict[str, Any]:
    database = {"tables": {"public.orders": ORDERS}, "definitions": DEFINITIONS} | changed
    roles = changed.pop("roles", [["clerk", "login", ["readers"]], ["readers", "", []]])
    return {"databases": {"work": database}, "roles": roles}


def judged(folder: Path, use: str, after: Any, before: Any = None, **arguments: Any) -> float:
    (folder / "database.json").write_text(json.dumps(after), encoding="utf-8")
    (folder / "database.before.json").write_text(json.dumps(before or export()), encoding="utf-8")
    return bind(f"database.{use}", arguments, folder)(folder).value


ROWS = {"table": "orders", "columns": ["total", "id"]}
OTHER = {"columns": ["id"], "rows": [["1"]]}


CASES = [
    ("rows", ROWS | {"rows": [[3, 2], [9.5, 1]]}, export(), 1),
    ("rows", ROWS | {"rows": [["9.500", "1"], ["3.0", "2"]]}, export(), 1),
    ("rows", ROWS | {"rows": [[3, 2], [9.5, 1]], "ordered": True}, export(), 0),
    ("rows", ROWS | {"rows": [[3, 2]]}, export(), 0),
    ("rows", ROWS | {"rows": [[3, 2], [3, 2], [9.5, 1]]}, export(), 0),
    ("rows", {"table": "orders", "columns": ["note"], "rows": [["paid"], ["None"]]}, export(), 0),
    ("rows", {"table": "orders", "columns": ["gone"], "rows": []}, export(), 0),
    ("rows", {"table": "bills", "columns": ["id"], "rows": []}, export(), 0),
    ("rows", {"table": "bills", "columns": ["id"], "rows": [], "database": "x"}, export(), 0),
    ("rows", ROWS | {"rows": []}, {"databases": 3}, 0),
    ("defines", {"kind": "constraint", "name": ".*orders_pkey", "pattern": r"\(id\)"}, export(), 1),
    ("defines", {"kind": "constraint", "name": ".*orders_pkey", "pattern": "unique"}, export(), 0),
    ("defines", {"kind": "index", "name": ".*"}, export(), 0),
    ("defines", {"kind": "index", "name": ".*", "absent": True}, export(), 1),
    ("role", {"name": "clerk", "attributes": ["login"], "member_of": ["readers"]}, export(), 1),
    ("role", {"name": "clerk", "attributes": []}, export(), 0),
    ("role", {"name": "clerk", "member_of": []}, export(), 0),
    ("role", {"name": "boss"}, export(), 0),
    ("role", {"name": "boss", "absent": True}, export(), 1),
    ("unchanged", {}, export(), 1),
    ("unchanged", {}, export(definitions=DEFINITIONS[1:]), 0),
    ("unchanged", {"except_tables": ["orders"]}, export(definitions=DEFINITIONS[1:]), 1),
    ("unchanged", {"except_tables": ["orders"]}, export(definitions=DEFINITIONS[:1]), 0),
    ("unchanged", {}, export(tables={"public.orders": OTHER}), 0),
    ("unchanged", {"except_tables": ["orders"]}, export(tables={"public.orders": OTHER}), 1),
    ("unchanged", {}, export(tables={"public.orders": ORDERS, "a.b": OTHER}), 0),
    ("unchanged", {}, {**export(), "roles": [["readers", "", []]]}, 0),
    ("unchanged", {"except_roles": ["clerk"]}, {**export(), "roles": [["readers", "", []]]}, 1),
    ("unchanged", {}, {**export(), "databases": {**export()["databases"], "more": {}}}, 0),
]


@every_case("use, arguments, after, score", CASES)
def test_a_state_is_judged(
    use: str, arguments: dict[str, Any], after: Any, score: float, tmp_path: Path
) -> None:
    assert judged(tmp_path, use, after, **arguments) == score


def test_expected_rows_with_nulls_are_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text('[["paid"], [null]]', encoding="utf-8")
    assert judged(tmp_path, "rows", export(), table="orders", columns=["note"], rows_in="rows.json")


def test_a_table_that_is_not_rectangular_is_unreadable(tmp_path: Path) -> None:
    bent = export(tables={"public.orders": {"columns": ["id", "x"], "rows": [["1"]]}})
    assert judged(tmp_path, "rows", bent, table="orders", columns=["id"], rows=[["1"]]) == 0
