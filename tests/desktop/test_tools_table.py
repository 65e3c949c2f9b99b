"""docs/tools.md lists what the tests of tools proved: what was checked of each tool, and how.

`AMBIDEX_WRITE_TOOLS=1 pytest tests/desktop` writes the file; any other run compares it.
"""

import os
from pathlib import Path

import pytest

from tests.desktop.proofs import LEDGER, PROVING
from tests.desktop.tools_table import TOOLS, table

WHERE = Path(__file__).parents[2] / "docs" / "tools.md"

pytestmark = pytest.mark.sandbox


@pytest.fixture(autouse=True)
def whole_run(request: pytest.FixtureRequest) -> None:
    """Skip unless this run includes all tests of tools; fail if any of them failed."""
    left_out = PROVING - {item.path for item in request.session.items}
    if left_out or request.config.option.keyword:
        pytest.skip("only a run of all tests of tools says what is proved")
    if request.session.testsfailed:
        pytest.fail("tests of tools failed before: nothing is said of the others", pytrace=False)


def test_every_tool_is_proved_and_was_seen_to_refuse() -> None:
    assert set(LEDGER.proofs) == set(TOOLS)
    assert set(TOOLS) - LEDGER.refused == set()


def test_the_table_in_the_docs_matches_this_run() -> None:
    answer = table(LEDGER)
    if os.environ.get("AMBIDEX_WRITE_TOOLS"):
        WHERE.write_text(answer)
    assert WHERE.read_text() == answer
