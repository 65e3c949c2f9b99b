"""A lock tells what of a toolset has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import CatalogueTool, DesktopExecution
from ambidex.host.toolsets.locking import drifts, locked, read_lock, write_lock


def tool(name: str, description: str = "", **schema: object) -> CatalogueTool:
    return CatalogueTool(
        server="shop",
        name=name,
        description=description,
        input_schema=schema,
        execution=DesktopExecution(tool=name),
    )


def test_every_kind_of_drift_is_named(tmp_path: Path) -> None:
    before = [tool("a", "A"), tool("b", "B", type="object", title="x"), tool("c", "C"), tool("d")]
    after = [tool("a", "other"), tool("b", "B", type="array"), tool("C", "C"), tool("e", "E")]
    write_lock(tmp_path / "lock", locked(before))
    found = drifts(read_lock(tmp_path / "lock"), locked(after))
    assert list(map(str, found)) == [
        "shop: the description of a has changed",
        "shop: the schema of b has changed",
        "shop: c is now named C",
        "shop: d was removed",
        "shop: e was added",
    ]


def test_the_order_of_keys_and_of_tools_is_no_drift() -> None:
    before = [tool("a", type="object", title="x"), tool("b")]
    assert not drifts(locked(before), locked([tool("b"), tool("a", title="x", type="object")]))


def test_what_is_no_lock_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_lock(tmp_path / "none")
    (tmp_path / "lock").write_text('{"server": "x"}\n')
    with pytest.raises(UsageError, match="not a lock"):
        read_lock(tmp_path / "lock")
