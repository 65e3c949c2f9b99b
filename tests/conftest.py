"""The tests that need a desktop: where it comes from, and what happens when there is none.

A test that uses `machines`, `machine`, `guest` or `fresh_guest` gets them from the providers of its
folder (`PROVIDERS`), and is marked `sandbox` or `vm` after them; `AMBIDEX_TEST_PROVIDER` names
another one. `AMBIDEX_TEST_ENDPOINT` and `AMBIDEX_TEST_TOKEN` point them at a guest that is already
running (quick, for authors of tools; it is never reverted). Otherwise they are machines of the
image `AMBIDEX_TEST_IMAGE` (debian-12). Where no machine can be had the tests are skipped, with the
reason; with `CI=true` they fail.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Page, expect, sync_playwright

from ambidex.host.box.client import box
from ambidex.host.client.guest import Guest
from ambidex.host.errors import MachineError
from ambidex.host.runs.machines import MachineOptions, Source, open_machines
from ambidex.host.runs.providers.attached import ENDPOINT
from ambidex.vm import Machine
from ambidex.vm.provider import LibvirtProvider

# Tests start hundreds of Pythons: with PYTHONDONTWRITEBYTECODE each of them would compile what it
# imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Pages are slow on a busy computer, which is no failure.
expect.set_options(timeout=30_000)  # milliseconds

# On a busy computer an example takes as long as it takes: nothing is said by that.
# A profile counts only where a test does not set its own number of examples.
settings.register_profile("ordinary", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ordinary"))

# Chromium without the parts that draw windows takes half the processor time.
CHROMIUM = "/usr/bin/chromium-headless-shell"
PROVIDERS = {
    "attack": ("sandbox",),
    "company": ("sandbox",),
    "conformance": ("sandbox", "libvirt"),
    "desktop": ("sandbox",),
    "outside": ("sandbox",),
    "sandbox": ("sandbox",),
    "services": ("sandbox",),
    "vm": ("libvirt",),
}
MARKS = {"sandbox": pytest.mark.sandbox, "libvirt": pytest.mark.vm}
TESTS = Path(__file__).parent
MARKED = {"desktop", "sandbox", "conformance"}
"""Folders of `TESTS` whose tests run by their marks alone."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "provider" not in metafunc.fixturenames:
        return
    named = os.environ.get("AMBIDEX_TEST_PROVIDER")
    names = (named,) if named else PROVIDERS[metafunc.definition.path.parent.name]
    if os.environ.get(ENDPOINT):
        names = ("attached",)
    given = [pytest.param(name, marks=MARKS.get(name, ())) for name in names]
    metafunc.parametrize("provider", given, scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests that no layer runs, and tests that start virtual machines outside their layer,
    where each of them would take minutes beside others and could end the whole run at the bound of
    tests without a desktop."""
    loose = [
        item.nodeid
        for item in items
        if isinstance(item, pytest.Function)
        and hasattr(item.module, LibvirtProvider.__name__)
        and "provider" not in item.fixturenames
        and item.get_closest_marker("vm") is None
    ]
    if loose:
        raise pytest.UsageError(
            f"{', '.join(loose)} may start virtual machines and has no mark: use the fixture"
            " `provider`, or mark it with pytest.mark.vm"
        )
    unmarked = [
        item.nodeid
        for item in items
        if isinstance(item, pytest.Function)
        and item.path.relative_to(TESTS).parts[0] in MARKED
        and "provider" not in item.fixturenames
        and not any(map(item.get_closest_marker, ("sandbox", "vm")))
    ]
    if unmarked:
        raise pytest.UsageError(
            f"{', '.join(unmarked)} would run in no stage of `make test`: move what needs no"
            " desktop to the folder of what it tests"
        )


# Nothing that is imported for the tests becomes garbage: looking for it meanwhile takes a fifth of
# the time of their collection.
gc.disable()


def pytest_collection_finish() -> None:
    collect_and_keep()
    gc.enable()


def collect_and_keep() -> None:
    """Collect garbage. What is left, mostly imported modules, stays to the end: the next collection
    need not look through hundreds of thousands of objects again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def machines(provider: str) -> Iterator[Source]:
    """Machines to be had for the whole session; all are gone after it."""
    options = MachineOptions(
        provider=provider,
        image=os.environ.get("AMBIDEX_TEST_IMAGE", "debian-12"),
    )
    with ExitStack() as stack:
        try:
            source = stack.enter_context(open_machines(options, print))
        except (MachineError, ImportError) as error:
            without(f"no machine: {error} {getattr(error, 'hint', '')}")
        yield source


@pytest.fixture(scope="module")
def machine(machines: Source) -> Iterator[Machine]:
    """One machine for a module, fresh from the snapshot `ready`."""
    with closing(machines.make()) as machine:
        machine.revert("ready")
        yield machine


@pytest.fixture(scope="module")
def guest(machine: Machine) -> Iterator[Guest]:
    """The guest of the module's machine: what one test leaves behind, the next one sees."""
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        yield guest


@pytest.fixture
def fresh_guest(machine: Machine) -> Iterator[Guest]:
    """The guest of the module's machine after a revert, for one test. Not beside `guest`."""
    machine.revert("ready")
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        yield guest


@pytest.fixture(scope="session", autouse=True)
def closed_box() -> Iterator[None]:
    """The server of verdicts ends with the tests that used it."""
    yield
    box().close()


@pytest.fixture(scope="module", autouse=True)
def blamed_for_what_it_leaves_open() -> Iterator[None]:
    """What a module left open (a socket, a loop) is found here, and not in some later test."""
    yield
    collect_and_keep()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser without a window. For a module: it keeps an event loop running in this thread,
    and other tests need to run one of their own.
    """
    if not Path(CHROMIUM).exists():
        without(f"no browser: {CHROMIUM} is not there (make browser)")
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not start as root.
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A page for `visit`. For a module: a new context takes as long as most tests of pages."""
    with browser.new_context() as context:
        yield context.new_page()


def without(reason: str) -> NoReturn:
    """Skip a test that cannot be had here; in CI that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
