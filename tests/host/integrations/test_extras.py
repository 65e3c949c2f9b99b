"""Bridges whose packages are not installed."""

from __future__ import annotations

import importlib

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.integrations.extras import extra


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    with (
        pytest.raises(UsageError, match="the package no_such_format, which is not") as told,
        extra("harbor"),
    ):
        importlib.import_module("no_such_format.models")
    assert told.value.hint == "pip install 'ambidex[harbor]'"


def test_a_missing_module_of_ours_is_a_bug() -> None:
    with pytest.raises(ModuleNotFoundError), extra("harbor"):
        importlib.import_module("ambidex.host.no_such_room")
