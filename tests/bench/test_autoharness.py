"""The list of entries of cua-auto-harness that do not pass."""

from __future__ import annotations

from bench.peers.autoharness import catalog, exceptions


def test_every_exception_is_an_entry_of_the_catalogs() -> None:
    assert exceptions().keys() <= {entry.id for entry in catalog()}
