"""What else changed in services, beyond what checks ask for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ambidex.evaluators.exports.collateral import collateral
from tests.evaluators.test_database import DEFINITIONS, export
from tests.evaluators.test_service_exports import CLOSED, FORGE, ONE, STATUS, changed

ANYWHERE = {"free": [".*"]}


def counted(
    folder: Path, service: str, before: Any, after: Any, *checks: tuple[str, dict[str, Any]]
) -> dict[str, int] | None:
    (folder / f"{service}.before.json").write_text(json.dumps(before), encoding="utf-8")
    (folder / f"{service}.json").write_text(json.dumps(after), encoding="utf-8")
    return collateral({service: f"{service}.json"}, checks, folder)


def test_changes_that_no_check_asks_for_are_counted_where_a_check_looks_at_its_own_paths_alone(
    tmp_path: Path,
) -> None:
    assigned = ((*ONE, "assignee"), "user")
    after = changed(FORGE, CLOSED, assigned)
    check = ("forge.changes", STATUS | ANYWHERE)
    assert counted(tmp_path, "forge", FORGE, after, check) == {"forge": 1}
    assert counted(tmp_path, "forge", FORGE, changed(FORGE, CLOSED), check) == {"forge": 0}
    assert counted(tmp_path, "forge", FORGE, after) == {"forge": 2}
    other = ("forge.changes", ANYWHERE | {"patterns": {"shop/issues/1/assignee": "u.*"}})
    assert counted(tmp_path, "forge", FORGE, after, check, other) == {"forge": 0}
    free = ("forge.changes", {"free": ["shop/issues/1/.*"]})
    assert counted(tmp_path, "forge", FORGE, after, free) == {"forge": 0}
    assert counted(tmp_path, "forge", FORGE, after, ("tracker.changes", ANYWHERE)) == {"forge": 2}


def test_tables_definitions_and_roles_are_counted(tmp_path: Path) -> None:
    orders = {"columns": ["id"], "rows": [["1"]]}
    after = export(
        tables={"public.orders": orders},
        definitions=DEFINITIONS[1:],
        roles=[["clerk", "login", []], ["readers", "", []]],
    )
    assert counted(tmp_path, "database", export(), after) == {"database": 3}
    rows = ("database.rows", {"table": "orders", "columns": ["id"], "rows": [[1]]})
    assert counted(tmp_path, "database", export(), after, rows) == {"database": 1}
    role = ("database.role", {"name": "clerk", "member_of": []})
    assert counted(tmp_path, "database", export(), after, rows, role) == {"database": 0}
    besides = ("database.unchanged", {"except_tables": ["orders"], "except_roles": ["clerk"]})
    assert counted(tmp_path, "database", export(), after, besides) == {"database": 0}


def test_an_export_that_cannot_be_read_has_no_number(tmp_path: Path) -> None:
    assert counted(tmp_path, "forge", FORGE, {"people": 3}) is None
    assert counted(tmp_path, "files", {}, {}) == {}
