from pathlib import Path

import pytest

from ambidex.vm import MachineError
from ambidex.vm.building import image, services
from ambidex.vm.building import recipe as recipes
from ambidex.vm.building.image import current_recipe
from ambidex.vm.building.mirrors import editor_source, sources_for, sources_needed
from ambidex.vm.building.recipe import load_recipe, recipe_names

NEW_STYLE = """\
# a comment
Types: deb deb-src
# another
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main
Enabled: no
"""


def apt(folder: Path) -> Path:
    (folder / "sources.list.d").mkdir()
    (folder / "sources.list.d" / "debian.sources").write_text(NEW_STYLE)
    (folder / "sources.list").write_text(
        "# deb http://off.example/ubuntu noble main\n"
        "deb [arch=amd64] http://ubuntu.example/ubuntu noble main universe\n"
    )
    return folder


def test_every_recipe_loads_and_no_recipe_names_a_mirror() -> None:
    assert {"debian-12", "ubuntu-24.04"} <= set(recipe_names())
    for name in recipe_names():
        recipe, _ = load_recipe(name)
        assert len(recipe.package_names()) > 20
        assert "://" not in recipe.model_dump_json()


def test_both_recipes_make_the_same_desktop() -> None:
    debian, ubuntu = (load_recipe(name)[0] for name in ("debian-12", "ubuntu-24.04"))
    # Ubuntu has Chromium and Thunderbird only as snaps, and our VS Code runs in Chromium.
    assert set(ubuntu.apps) == set(debian.apps) - {"chromium", "code", "thunderbird"}
    assert (ubuntu.screen, ubuntu.user, ubuntu.units) == (debian.screen, debian.user, debian.units)


def test_mirrors_come_from_this_machine_s_apt_configuration(tmp_path: Path) -> None:
    debian, _ = load_recipe("debian-12")
    assert sources_for(debian, apt=apt(tmp_path)) == [
        "deb http://mirror.example/debian bookworm main",
        "deb http://mirror.example/debian bookworm-updates main",
    ]


def test_one_line_sources_with_options_are_read(tmp_path: Path) -> None:
    ubuntu, _ = load_recipe("ubuntu-24.04")
    sources = sources_for(ubuntu, apt=apt(tmp_path))
    assert sources == ["deb http://ubuntu.example/ubuntu noble main universe"]


def test_a_named_mirror_takes_precedence_and_without_any_mmdebstrap_chooses(
    tmp_path: Path,
) -> None:
    debian, _ = load_recipe("debian-12")
    assert sources_for(debian, "http://x.example", apt=apt(tmp_path)) == [
        "deb http://x.example bookworm main"
    ]
    (tmp_path / "empty").mkdir()
    assert sources_for(debian, apt=tmp_path / "empty") == []


CODE = "https://packages.example/repos/code"
KEY = "signed-by=/usr/share/keyrings/ms.gpg"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "vscode.list",
            f"deb [arch=amd64 {KEY}] {CODE} stable main\n",
        ),
        (
            "vscode.sources",
            f"Types: deb\nURIs: {CODE}\nSuites: stable\nComponents: main\n"
            "Signed-By: /usr/share/keyrings/ms.gpg\n",
        ),
    ],
)
def test_vs_code_comes_from_microsoft_if_this_machine_has_that_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    apt(tmp_path)
    assert editor_source(tmp_path) == ""
    (tmp_path / "sources.list.d" / file).write_text(text)
    line = f"deb [arch=amd64 {KEY}] {CODE} stable main"
    assert editor_source(tmp_path) == line
    # An image with it has another id than one without.
    ids = set()
    for source in ("", line):
        monkeypatch.setattr(image, "editor_source", lambda source=source: source)
        ids.add(current_recipe("debian-12")[1])
    assert len(ids) == 2


def test_a_vs_code_source_without_a_key_file_or_a_mirror_beside_it_is_an_error(
    tmp_path: Path,
) -> None:
    apt(tmp_path)
    (tmp_path / "sources.list.d" / "vscode.list").write_text(f"deb {CODE} stable main\n")
    with pytest.raises(MachineError, match="does not name a key file"):
        editor_source(tmp_path)
    with pytest.raises(MachineError, match="no mirror of debian bookworm"):
        sources_needed(load_recipe("debian-12")[0], [])


def test_an_unknown_recipe_and_a_misspelt_key_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MachineError, match="not an image recipe: 'debian-99'") as caught:
        load_recipe("debian-99")
    assert "debian-12" in caught.value.hint
    (tmp_path / "mine").mkdir()
    text = (recipes.IMAGES / "debian-12" / "image.toml").read_text()
    (tmp_path / "mine" / "image.toml").write_text("memroy = 4096\n" + text)
    monkeypatch.setattr(recipes, "IMAGES", tmp_path)
    with pytest.raises(MachineError, match="memroy"):
        load_recipe("mine")


def test_a_change_of_the_recipe_or_its_files_changes_the_image_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    (folder / "files" / "etc").mkdir(parents=True)
    text = (recipes.IMAGES / "debian-12" / "image.toml").read_text()
    (folder / "image.toml").write_text(text)
    (tmp_path / "customize.sh").write_text("")
    monkeypatch.setattr(recipes, "IMAGES", tmp_path)
    ids = {load_recipe("mine")[1]}
    (folder / "files" / "etc" / "motd").write_text("hello")
    ids.add(load_recipe("mine")[1])
    (folder / "image.toml").write_text(text.replace("3072", "4096"))
    ids.add(load_recipe("mine")[1])
    assert len(ids) == 3


def test_another_unit_of_a_service_makes_another_image(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: load_recipe(name)[1] for name in ("debian-12", "debian-13-services")}
    monkeypatch.setattr(services, "LAST_WORDS", "true")
    after = {name: load_recipe(name)[1] for name in before}
    assert after["debian-12"] == before["debian-12"], "it has no service"
    assert after["debian-13-services"] != before["debian-13-services"]


def test_a_build_is_refused_on_a_disk_that_is_too_full(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path))
    monkeypatch.setattr(image, "free_room", lambda folder: 3.2)
    with pytest.raises(MachineError, match=r"needs 15 GiB, and 3\.2 GiB are free at .*debian-12"):
        image.build_base("debian-12")
