"""Records what the tests of tools prove; see `proofs`."""

from collections.abc import Generator, Iterator

import pytest

from tests.desktop.proofs import LEDGER, PROVING, TABLE


@pytest.fixture(autouse=True)
def proof(request: pytest.FixtureRequest) -> Iterator[None]:
    """Record what a test proves after its body has passed."""
    before, LEDGER.done = LEDGER.done, set()
    yield
    called, LEDGER.done = LEDGER.done, before | LEDGER.done
    if request.node.stash.get(PASSED, False):
        for mark in request.node.iter_markers("proves"):
            LEDGER.proved(called=called, **mark.kwargs)


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that prove something of tools, and run the table of proofs after them."""
    for item in items:
        if item.path in PROVING:
            item.add_marker(pytest.mark.tools)
    items.sort(key=lambda item: item.path.name == TABLE)


PASSED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "call":
        item.stash[PASSED] = report.passed
    return report
