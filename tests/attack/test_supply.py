"""Supply chain: packages are pinned by the hash of every file, assets by the hash of their first
download, and each row names its environment."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ambidex.host.cli import assets as assets_verb
from ambidex.host.records import environment, rows
from ambidex.host.records.environment import Environment, keep, this_environment
from ambidex.tasks import Suite
from ambidex.tasks.assets import AssetStore, ChangedAssetError
from ambidex.vm.building.layer import LOCK, PROJECT, SOURCE_ONLY
from ambidex.vm.locked import Locked, LockError, read_lock
from tests.host.cli.test_osworld_cli import download, served
from tests.support.commands import ambidex
from tests.support.osworld import task, write
from tests.support.peer import CATALOGUE
from tests.support.suites import config_of, run_in
from tests.support.suites import suite as suite
from tests.support.tables import every_case

HOST = PROJECT / "host" / "requirements.lock"
BUILD = PROJECT / "vm" / "build.lock"
PYPROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
HASH = "sha256:" + "0" * 64


def by_name(path: Path, python: str) -> dict[str, Locked]:
    return {each.name: each for each in read_lock(path, python)}


def unmet(asked: list[str], locked: dict[str, Locked], python: str) -> list[str]:
    """Requirements that apply to a Python version and that a lock does not satisfy."""
    where = {"python_version": python, "python_full_version": f"{python}.9", "extra": ""}
    wanted = [Requirement(line) for line in asked]
    wanted = [each for each in wanted if each.marker is None or each.marker.evaluate(where)]
    found = [(each, locked.get(canonicalize_name(each.name))) for each in wanted]
    return [str(each) for each, lock in found if not lock or lock.version not in each.specifier]


@every_case("python", ["3.11", "3.11.2", "3.12", "3.13"])
def test_the_host_s_lock_has_a_hash_for_all_that_pyproject_asks_for(python: str) -> None:
    project = PYPROJECT["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = by_name(HOST, python)
    assert all(each.hashes for each in locked.values())
    assert unmet(asked, locked, ".".join(python.split(".")[:2])) == []
    assert unmet(PYPROJECT["build-system"]["requires"], by_name(BUILD, python), python) == []


@every_case("python", ["3.10", "3.11", "3.12", "3.13"])
def test_the_guest_s_lock_covers_what_its_requirements_name(python: str) -> None:
    lines = (PROJECT / "guest" / "requirements.txt").read_text().splitlines()
    asked = [line.partition("#")[0].strip() for line in lines]
    locked = by_name(LOCK, python)
    assert unmet([line for line in asked if line], locked, python) == []
    assert locked.keys() >= SOURCE_ONLY
    assert "python3-xlib" not in locked, "it overwrites python-xlib"


@every_case("path", [HOST, BUILD, LOCK])
def test_no_lock_names_an_index(path: Path) -> None:
    assert "://" not in path.read_text()


@every_case(
    "line",
    [
        "numpy==2.4.1",
        f"numpy>=2.4 --hash={HASH}",
        f"numpy==2.* --hash={HASH}",
        f"numpy --hash={HASH}",
        "numpy==2.4.1 --hash=md5:d41d8cd98f00b204e9800998ecf8427e",
        f"numpy @ https://example.org/numpy.whl --hash={HASH}",
        f"numpy==2.4.1 --hash={HASH}\nNumPy==2.4.2 --hash={HASH}",
        f"--index-url https://example.org\nnumpy==2.4.1 --hash={HASH}",
    ],
)
def test_a_lock_that_leaves_something_open_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "requirements.lock"
    path.write_text(line + "\n")
    with pytest.raises(LockError, match=r"requirements\.lock"):
        read_lock(path, "3.11")


PROGRAMS = sorted((PROJECT / "vm" / "images" / "programs").iterdir())


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_every_package_of_npm_has_its_integrity_npm_itself_included(folder: Path) -> None:
    asked = json.loads((folder / "package.json").read_text())["dependencies"]
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert packages[""]["dependencies"] == asked
    for name, version in asked.items():
        assert packages[f"node_modules/{name}"]["version"] == version
    open_ones = [
        path
        for path, package in packages.items()
        # A bundled package is in the archive of the package above it.
        if path and not package.get("inBundle") and "sha512-" not in package.get("integrity", "")
    ]
    assert open_ones == []
    assert [path for path, package in packages.items() if "resolved" in package] == []


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_the_programs_of_the_guest_fetch_nothing_by_name_alone(folder: Path) -> None:
    script = "\n".join(path.read_text() for path in folder.glob("*.sh"))
    own = [line for line in script.splitlines() if line.startswith(("npm ", "npx "))]
    assert own == ["npm ci --omit=dev --ignore-scripts"]
    assert ("-m pip " in script) == ("--require-hashes" in script)


def test_an_asset_whose_bytes_changed_is_refused_until_it_is_accepted_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("AMBIDEX_ASSETS", str(tmp_path / "store"))
    monkeypatch.setattr(assets_verb, "read_catalogue", lambda: CATALOGUE)
    (tmp_path / "site").mkdir()
    file, store = tmp_path / "site" / "a.txt", AssetStore(tmp_path / "store")
    fetch = ("assets", "fetch", tmp_path / "tasks")
    with served(tmp_path / "site", []) as site:
        url = f"{site}/a.txt"
        write(tmp_path / "tasks", task(config=[download(url)]))
        file.write_text("first")
        assert ambidex(*fetch) == 0
        file.write_text("other")
        assert ambidex(*fetch, "--again") == 3
        said = " ".join(capsys.readouterr().err.split())
        pinned = store.known(url)
        assert pinned is not None
        assert f"{url} has changed" in said
        assert pinned.sha256 in said
        path = store.at(url)
        assert path is not None
        assert path.read_text() == "first"
        # If its content is lost, other content must not take its place.
        path.unlink()
        assert ambidex(*fetch) == 3
        assert store.at(url) is None
        assert ambidex(*fetch, "--accept-changed", f"{site}/b.txt") == 2
        assert ambidex(*fetch, "--accept-changed", url) == 0
        path = store.at(url)
        assert path is not None
        assert path.read_text() == "other"


def test_another_file_under_a_pinned_url_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store, file = AssetStore(tmp_path / "store"), tmp_path / "file"
    file.write_text("first")
    pinned = store.keep("https://data.org/a", file)
    file.write_text("other")
    before = sorted((tmp_path / "store").rglob("*"))
    with pytest.raises(ChangedAssetError, match=r"https://data\.org/a has changed"):
        store.keep("https://data.org/a", file)
    assert sorted((tmp_path / "store").rglob("*")) == before
    assert store.known("https://data.org/a") == pinned


def here(**other: Any) -> Environment:
    known: dict[str, Any] = {
        "python": "CPython 3.11.7",
        "machine": "Linux x86_64",
        "packages": {"numpy": "2.4.1", "lxml": "6.0.0"},
        "programs": {"tesseract": "tesseract 5.3.0"},
        "image": "debian-12:0123",
    }
    return Environment(**{**known, **other})


@every_case(
    "other",
    [
        {"python": "CPython 3.11.8"},
        {"packages": {"numpy": "2.4.2", "lxml": "6.0.0"}},
        {"packages": {"numpy": "2.4.1"}},
        {"programs": {"tesseract": "tesseract 5.4.0"}},
        {"programs": {"tesseract": ""}},
        {"image": "debian-12:4567"},
    ],
)
def test_another_version_is_another_environment(other: dict[str, Any]) -> None:
    assert here(**other).digest != here().digest


def test_the_order_of_packages_is_no_other_environment() -> None:
    assert here(packages={"lxml": "6.0.0", "numpy": "2.4.1"}).digest == here().digest


def test_each_row_names_its_environment_and_the_run_says_what_that_was(
    tmp_path: Path, suite: Suite
) -> None:
    run = tmp_path / "run"
    for row in run_in(run, suite, config_of(suite)):
        stored = run / environment.FOLDER / f"{row.environment[:12]}.json"
        said = Environment.model_validate_json(stored.read_bytes())
        assert said.digest == row.environment
        assert "pydantic" in said.packages
    old = rows.read_rows(run)[0].model_dump(mode="json")
    del old["environment"], old["assets"]
    assert rows.Row.model_validate(old).environment == ""


def test_a_run_resumed_in_another_environment_keeps_both(tmp_path: Path) -> None:
    first = keep(here(), tmp_path)
    second = keep(here(image="debian-12:4567"), tmp_path)
    keep(here(), tmp_path)
    names = {path.stem for path in (tmp_path / environment.FOLDER).iterdir()}
    assert names == {first[:12], second[:12]}


def test_what_is_installed_is_told_as_it_is_and_not_as_it_is_locked(tmp_path: Path) -> None:
    now = this_environment("").packages
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        f"pydantic=={now['pydantic']} --hash={HASH}\n"
        f"numpy==0.1 --hash={HASH}\nno-such-package==1 --hash={HASH}\n"
    )
    differing = [f"numpy {now['numpy']} (0.1)", "no-such-package none (1)"]
    assert environment.differences(lock) == differing
