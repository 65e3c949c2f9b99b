"""What a test proves of which tools, and the table a run of them makes of it: docs/tools.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

__all__ = ["LEDGER", "PROVING", "TABLE", "Ledger", "proves"]

TABLE = "test_tools_table.py"
"""Where the table is made."""
PROVING = frozenset(
    path
    for kind in ("test_tools_*.py", "test_computer*.py")
    for path in Path(__file__).parent.glob(kind)
)
"""The files of tests that prove something of tools."""


def proves(how: str, **checked: str) -> pytest.MarkDecorator:
    """Says of a test by which other way than the tool's own it looks at the effect, and what it
    checks of each tool it calls::

        @proves("python-pptx reads the saved file", impress_set_style="the run is bold")
    """
    return pytest.mark.proves(how=how, checked=checked)


@dataclass
class Ledger:
    """What the tests of this run called, and what they proved."""

    done: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    proofs: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    """By tool: what was checked, and how."""

    def proved(self, how: str, checked: Mapping[str, str], called: set[str]) -> None:
        """A test passed that says so; a tool it did not call is not proved by it."""
        missed = sorted(set(checked) - called)
        assert not missed, f"the test says it proves {', '.join(missed)} and did not call it"
        for tool, what in checked.items():
            self.proofs[tool].append((what, how))


LEDGER = Ledger()
"""Of this test run: filled by `tool_calls` and tests/desktop/conftest.py."""
