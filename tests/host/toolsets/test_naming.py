"""Names of tools are valid, unique, and functions of server and operation alone."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.toolsets.naming import tool_name
from tests.support.tables import every_case

OPERATIONS = st.one_of(st.text("ab-_./ {}é", max_size=6), st.text(min_size=60, max_size=80))


@every_case(
    "operation, name",
    [
        ("CreateBucket", "s3_CreateBucket"),
        ("read_item__id__get", "s3_read_item__id__get"),
        ("actions/add-label", "s3_actions--add-label"),
        ("admin.apps.approve", "s3_admin---apps---approve"),
        ("GET /pets/{id}", "s3_GET_pets_id_895c8d92"),
    ],
)
def test_names_are_readable(operation: str, name: str) -> None:
    assert tool_name("s3", operation) == name


@given(st.sets(OPERATIONS))
def test_different_operations_have_different_valid_names(operations: set[str]) -> None:
    names = {tool_name("my server", operation) for operation in operations}
    assert len(names) == len(operations)
    assert all(re.fullmatch(r"my_server_[A-Za-z0-9_-]{1,54}", name) for name in names)
