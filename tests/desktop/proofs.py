"""Records which tools a test proves and how, for the table in docs/tools.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

__all__ = ["LEDGER", "PROVING", "TABLE", "Ledger", "proves"]

TABLE = "test_tools_table.py"
"""The test that writes or checks the table."""
PROVING = frozenset(
    path
    for kind in ("test_tools_*.py", "test_computer*.py")
    for path in Path(__file__).parent.glob(kind)
)
"""The test files that prove something of tools."""


def proves(how: str, **checked: str) -> pytest.MarkDecorator:
    """Mark a test with the independent way `how` it checks an effect, and with what it checks of
    each tool that it calls::

        @proves("python-pptx reads the saved file", impress_set_style="the run is bold")
    """
    return pytest.mark.proves(how=how, checked=checked)


@dataclass
class Ledger:
    """The tools that the tests of this run called, and what was proved of them."""

    done: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    proofs: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    """What was checked and how, by tool."""

    def proved(self, how: str, checked: Mapping[str, str], called: set[str]) -> None:
        """Record a passed test. It must have called every tool that it claims to prove."""
        missed = sorted(set(checked) - called)
        assert not missed, f"the test says it proves {', '.join(missed)} and did not call it"
        for tool, what in checked.items():
            self.proofs[tool].append((what, how))


LEDGER = Ledger()
"""The ledger of this test run, filled by `tool_calls` and tests/desktop/conftest.py."""
