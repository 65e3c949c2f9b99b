"""Pluggable parts: built-in ones by their module, custom ones as module:attribute."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.host import dialects
from ambidex.host.agents import agent_maker, check_agent, roles_of
from ambidex.host.dialects import check_dialect
from ambidex.host.errors import UsageError
from ambidex.host.named import part_names
from ambidex.host.runs import providers
from ambidex.host.runs.machines import MachineOptions, open_machines, provider_named
from ambidex.tasks import Suite
from tests.support.suites import config_of
from tests.support.suites import suite as suite


class Nowhere:
    """A provider that has no machines."""

    def forks(self, image: str) -> bool:
        return True

    def open(self, options: MachineOptions, say: object, code: object) -> object:
        return f"{options.machines} machines"


NOWHERE = Nowhere()
IMAGES = ("debian-12", "debian-13-services")  # with a desktop and without


def test_built_in_parts_are_found_by_their_modules() -> None:
    assert part_names(providers, "PROVIDER") == ("attached", "libvirt", "sandbox")
    assert set(part_names(dialects, "DIALECT")) >= {"functions", "paper", "anthropic", "openai"}
    provided = [(provider, image) for provider in ("libvirt", "sandbox") for image in IMAGES]
    assert [provider_named(p).forks(image) for p, image in provided] == [True, True, False, True]
    assert (roles_of("planner"), roles_of("oracle:gui")) == (("model", "grounder"), ())


def test_a_custom_provider_is_named_by_its_module() -> None:
    options = MachineOptions(provider=f"{__name__}:NOWHERE", machines=3)
    opened: object = open_machines(options, print)
    assert opened == "3 machines"
    with pytest.raises(UsageError, match="needs `forks` and `open`"):
        provider_named(f"{__name__}:Suite")


def test_a_screen_is_given_by_its_size() -> None:
    assert MachineOptions().screen_size is None
    assert MachineOptions(screen="1920x1080").screen_size == (1920, 1080)
    for wrong in ("1920", "1921x1080", "1920x100", "8000x1080", "1920 x 1080"):
        with pytest.raises(UsageError, match="--screen must be WIDTHxHEIGHT"):
            MachineOptions(screen=wrong)


def test_a_custom_dialect_is_named_by_its_module(suite: Suite) -> None:
    check_dialect("ambidex.host.dialects.paper:Paper")
    with pytest.raises(UsageError, match="cannot be called"):
        check_dialect(f"{__name__}:NOWHERE")


def test_an_unknown_name_is_refused_with_the_known_ones(suite: Suite) -> None:
    with pytest.raises(UsageError, match="unknown provider: 'cloud'") as provider:
        provider_named("cloud")
    assert "attached, libvirt, sandbox" in provider.value.hint
    with pytest.raises(UsageError, match="unknown dialect: 'latin'") as dialect:
        check_dialect("latin")
    assert "functions, openai" in dialect.value.hint
    with pytest.raises(UsageError, match="unknown agent: 'genius'") as agent:
        check_agent("genius", config_of(suite), suite.tasks)
    assert "oracle, planner" in agent.value.hint
    with pytest.raises(UsageError, match="unknown agent: 'kind'"):
        agent_maker(config_of(suite), lambda _: pytest.fail("no model"))("kind", *NO_TASK)


NO_TASK: tuple[Any, Any] = (None, None)
