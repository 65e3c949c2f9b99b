"""Keeps what the tests of tools prove: see `proofs`."""

from collections.abc import Iterator

import pytest

from tests.desktop.proofs import LEDGER


@pytest.fixture(autouse=True)
def proof(request: pytest.FixtureRequest) -> Iterator[None]:
    """Notes what a test proves once its body has passed."""
    before, LEDGER.done = LEDGER.done, set()
    yield
    called, LEDGER.done = LEDGER.done, before | LEDGER.done
    if request.node.stash.get(PASSED, False):
        for mark in request.node.iter_markers("proves"):
            LEDGER.proved(called=called, **mark.kwargs)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The table of proofs comes after everything that proves."""
    last = "test_tools_table.py"
    items.sort(key=lambda item: item.path.name == last)


PASSED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if call.when == "call":
        item.stash[PASSED] = report.passed
    return report
