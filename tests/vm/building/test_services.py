"""Declarations of services: what is refused, and what becomes of those that images have."""

from configparser import ConfigParser
from pathlib import Path

import pytest

from ambidex.vm import MachineError
from ambidex.vm.building.recipe import load_recipe, recipe_names
from ambidex.vm.building.services import SERVICES, load_services, unit

DECLARED = sorted(path.parent.name for path in SERVICES.glob("*/service.toml"))


def test_every_declaration_is_valid_and_yields_a_unit() -> None:
    services = load_services(DECLARED)
    assert sorted(services) == DECLARED
    for service in services.values():
        parser = ConfigParser(strict=False, interpolation=None, delimiters=["="])
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(unit(service))
        assert parser["Service"]["User"] == service.account
        assert parser["Service"]["ExecStart"].startswith("/")


def test_every_service_has_a_page_or_a_port_of_its_own() -> None:
    pages = [service.page for service in load_services(DECLARED).values() if service.page]
    assert len(pages) == len(set(pages))


def test_programs_that_export_are_part_of_the_service_s_files() -> None:
    for service in load_services(DECLARED).values():
        for path in service.export[-1:]:
            assert (SERVICES / service.name / "files" / path.lstrip("/")).is_file(), path


def test_a_service_starts_after_those_that_it_waits_for() -> None:
    for name in recipe_names():
        started: list[str] = []
        for service in load_services(load_recipe(name)[0].services).values():
            assert set(service.after) <= set(started)
            started.append(service.name)


def declare(folder: Path, name: str, *lines: str) -> None:
    path = folder / name / "service.toml"
    path.parent.mkdir()
    text = ['title = "A"', 'account = "nobody"', 'argv = ["/bin/true"]', *lines, "[ready]"]
    path.write_text("\n".join([*text, "tcp = 80"]))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['state = ["var/lib"]'], "must be an absolute path"),
        (['prot = "x"'], "prot"),
        (['after = ["absent"]'], "waits for 'absent'"),
        (['after = ["shop"]'], "wait for each other"),
    ],
)
def test_a_wrong_declaration_is_named(tmp_path: Path, lines: list[str], said: str) -> None:
    declare(tmp_path, "shop", *lines)
    with pytest.raises(MachineError, match=said) as caught:
        load_services(["shop"], tmp_path)
    assert "shop" in str(caught.value)
