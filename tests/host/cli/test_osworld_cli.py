"""OSWorld on the command line: its tasks checked, compared and noted, its assets fetched, imported
and verified."""

import http.server
import json
import tarfile
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ambidex.host.cli import assets, check, osworld_tasks, report
from ambidex.host.errors import UsageError
from ambidex.host.osworld import archives
from ambidex.host.osworld.revisions import changes
from ambidex.host.runs.notices import left_out
from ambidex.tasks import TaskError
from ambidex.tasks.assets import AssetStore, dataset_path
from ambidex.tasks.load import load_suite
from ambidex.tasks.osworld.annotations import import_notes, read_notes
from ambidex.tasks.osworld.suite import survey
from ambidex.tasks.survey import Selection
from tests.support.commands import ambidex
from tests.support.osworld import ASSETS, ID, OSWORLD, needs_osworld, task, write
from tests.support.peer import CATALOGUE


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in (check, report, assets, osworld_tasks):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)
    monkeypatch.setenv("AMBIDEX_ASSETS", str(tmp_path / "store"))


def download(*urls: str) -> dict[str, Any]:
    files = [{"url": url, "path": f"/home/user/{number}"} for number, url in enumerate(urls)]
    return {"type": "download", "parameters": {"files": files}}


def test_check_lists_what_each_task_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, task())
    other = "9999ffff-0000-4000-8000-000000000000"
    visit = {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["https://site.org"]}}
    write(tmp_path, task(id=other, config=[download(f"{ASSETS}a/b.txt"), visit]), "chrome")
    assert ambidex("check", "--osworld", tmp_path) == 0
    said = capsys.readouterr().out
    assert "2 of 2 tasks load, 1 can run now; 1 assets are not in the store" in said
    assert "by network: web 1, offline 1" in said
    assert ambidex("check", "--osworld", tmp_path, "--json", "--net", "web") == 0
    [only] = json.loads(capsys.readouterr().out)["tasks"]
    assert (only["name"], only["net"], only["missing"]) == (
        "chrome-9999ffff", "web", [f"{ASSETS}a/b.txt"],
    )  # fmt: skip
    assert ambidex("check", "--osworld", tmp_path, "--verbose", "--tasks", "os") == 0
    assert "os-0123abcd" in capsys.readouterr().out


def test_check_names_tasks_that_do_not_load_and_exits_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, task(config=[{"type": "dance", "parameters": {}}]))
    assert ambidex("check", "--osworld", tmp_path) == 2
    assert "config[0]: unknown step 'dance'" in capsys.readouterr().err


def test_a_checkout_is_recognized_by_its_files(tmp_path: Path) -> None:
    write(tmp_path / "evaluation_examples", task())
    assert [each.name for each in load_suite(tmp_path, CATALOGUE).tasks] == ["os-0123abcd"]
    suite = load_suite(tmp_path / "evaluation_examples", CATALOGUE)
    assert [(each.domain, each.spec.feasible) for each in suite.tasks] == [("os", False)]


def test_tasks_left_out_are_listed_once_per_reason(tmp_path: Path) -> None:
    write(tmp_path, task())
    for number in range(3):
        said = task(id=f"{number}999ffff-x", config=[download(f"{ASSETS}{number}")])
        write(tmp_path, said)
    suite = load_suite(tmp_path, CATALOGUE)
    assert list(left_out(suite)) == [
        "left out: os-0999ffff and 2 others: 1 of its files are not in the asset store"
    ]


# Assets


@contextmanager
def served(folder: Path, seen: list[str]) -> Iterator[str]:
    """A web server on this machine with the files of a folder; it notes what is asked for."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            seen.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(60)
        server.server_close()


def test_assets_are_fetched_once_and_stored_by_their_content(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.txt").write_text("same")
    (tmp_path / "site" / "b.txt").write_text("same")
    seen: list[str] = []
    with served(tmp_path / "site", seen) as site:
        write(tmp_path / "tasks", task(config=[download(f"{site}/a.txt", f"{site}/b.txt")]))
        assert ambidex("assets", "fetch", tmp_path / "tasks") == 0
        assert "2 fetched, 0 failed" in capsys.readouterr().out
        assert ambidex("assets", "fetch", tmp_path / "tasks") == 0
        assert sorted(seen) == ["/a.txt", "/b.txt"]
        store = AssetStore(tmp_path / "store")
        one, other = store.at(f"{site}/a.txt"), store.at(f"{site}/b.txt")
        assert one is not None
        assert one == other
        assert one.read_text() == "same"
        write(tmp_path / "tasks", task(config=[download(f"{site}/none.txt")]))
        assert ambidex("assets", "fetch", tmp_path / "tasks") == 3
        assert "none.txt: Client error '404" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["folder", "zip", "tar"])
def test_assets_are_imported_from_a_copy_of_the_data_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    urls = [f"{ASSETS}multi_apps/x/a%20file.txt?download=true", f"{ASSETS}os/y/b.txt"]
    write(tmp_path / "tasks", task(config=[download(*urls)]))
    copy = tmp_path / "copy"
    (copy / "cache" / "multi_apps" / "x").mkdir(parents=True)
    (copy / "cache" / "multi_apps" / "x" / "a file.txt").write_text("hello")
    source = copy
    if form == "zip":
        source = tmp_path / "copy.zip"
        with zipfile.ZipFile(source, "w") as archive:
            archive.write(copy / "cache/multi_apps/x/a file.txt", "cache/multi_apps/x/a file.txt")
    elif form == "tar":
        source = tmp_path / "copy.tar.gz"
        with tarfile.open(source, "w:gz") as tar:
            tar.add(copy / "cache", "cache")
    assert ambidex("assets", "import", source, tmp_path / "tasks") == 1
    assert "1 of 2 missing assets imported, 1 still missing" in capsys.readouterr().out
    kept = AssetStore(tmp_path / "store").at(urls[0])
    assert kept is not None
    assert kept.read_text() == "hello"


def test_a_file_that_was_changed_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = AssetStore(tmp_path / "store")
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
        store.keep(f"https://a.org/{name}", tmp_path / name)
    assert ambidex("assets", "verify") == 0
    paths = [store.at(f"https://a.org/{name}") for name in ("a", "b")]
    assert paths[0] is not None
    assert paths[1] is not None
    paths[0].chmod(0o644)
    paths[0].write_text("changed")
    paths[1].unlink()
    assert ambidex("assets", "verify") == 1
    said = capsys.readouterr().err
    assert "https://a.org/a: its content has changed" in said
    assert "https://a.org/b: its content is missing" in said


def test_an_archive_s_size_is_checked_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"\0" * (300 << 20))
    with pytest.raises(UsageError, match="times its size"):
        archives.unpack(bomb, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt"])
def test_no_member_leaves_the_folder_of_an_archive(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "x")
    (tmp_path / "inner").mkdir()
    with pytest.raises(UsageError, match="leads out"):
        archives.unpack(tmp_path / "a.zip", tmp_path / "inner")
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(UsageError, match="not a plain file"):
        archives.unpack(tmp_path / "a.tar", tmp_path / "inner")


def test_a_url_has_its_place_in_the_data_set() -> None:
    assert dataset_path(f"{ASSETS}os/x/a%20b.txt?download=true") == "os/x/a b.txt"
    assert dataset_path("https://a.org/x/y.txt") == "x/y.txt"


# Notes


def lists(folder: Path, helped: list[str], counted: dict[int, list[str]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "has_tool.json").write_text(json.dumps({"os": helped}))
    for number, ids in counted.items():
        (folder / f"task_with_{number}_tools.json").write_text(json.dumps({"os": ids}))
    return folder


def test_annotations_come_from_the_lists_and_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, task())
    (tmp_path / "index.json").write_text(json.dumps([{"id": ID, "net": "replay"}]))
    given = lists(tmp_path / "lists", [ID], {0: [], 2: [ID, "unknown"][:1]})
    words = ("tasks", "annotate", tmp_path, given, "--index", tmp_path / "index.json")
    assert ambidex(*words) == 0
    said = tomllib.loads(capsys.readouterr().out)
    assert said == {
        "tasks": {"os-0123abcd": {"tool_beneficial": True, "tools": 2, "net": "replay"}}
    }
    out = tmp_path / "notes.toml"
    assert ambidex(*words, "--out", out) == 0
    assert ambidex(*words, "--out", out) == 2, "what people edit is not written over"
    [each] = survey(tmp_path, CATALOGUE, Selection(annotations=out))
    assert each.task is not None
    assert (each.task.spec.tool_beneficial, each.tools, each.net) == (True, 2, "replay")


def test_lists_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    given = lists(tmp_path / "lists", [ID], {0: [ID], 2: []})
    with pytest.raises(TaskError, match=r"contradicts has_tool\.json"):
        import_notes(given, {ID: "os-0123abcd"})


def test_annotations_are_validated_against_the_tools(tmp_path: Path) -> None:
    write(tmp_path, task())
    notes = tmp_path / "notes.toml"
    notes.write_text('[tasks.os-0123abcd]\nuseful_tools = ["calc_sav"]\n')
    [each] = survey(tmp_path, CATALOGUE, Selection(annotations=notes))
    assert "no tool 'calc_sav'; did you mean calc_save" in each.why_not


def test_annotations_may_contain_an_oracle(tmp_path: Path) -> None:
    write(tmp_path, task())
    notes = tmp_path / "notes.toml"
    click = '{ call = "computer_click", with = { x = 1, y = 2 } }'
    notes.write_text(
        '[[tasks.os-0123abcd.oracle]]\nby = "gui"\nstop = "infeasible"\n' + f"calls = [{click}]\n"
    )
    suite = load_suite(tmp_path, CATALOGUE, selection=Selection(annotations=notes))
    assert [oracle.by for oracle in suite.tasks[0].spec.oracle] == ["gui"]
    notes.write_text(notes.read_text().replace('"infeasible"', '"done"'))
    [each] = survey(tmp_path, CATALOGUE, Selection(annotations=notes))
    assert "an oracle must have stop" in each.why_not


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tasks.x]\ntool = 1\n", "tasks.x.tool: unknown key"),
        ("[tasks", "not TOML"),
        ('[tasks.x]\nnet = "wifi"\n', "tasks.x.net"),
    ],
)
def test_invalid_annotations_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "notes.toml").write_text(text)
    with pytest.raises(TaskError, match=said):
        read_notes(tmp_path / "notes.toml")


@needs_osworld
def test_the_released_lists_have_250_tool_beneficial_tasks() -> None:
    ids = {each["id"]: each["id"] for each in json.loads((OSWORLD / "task_index.json").read_text())}
    listed = json.loads((OSWORLD / "osworld_mcp" / "test_all.json").read_text())
    names = {id: id for domain in listed.values() for id in domain} | ids
    notes = import_notes(OSWORLD / "osworld_mcp", names, OSWORLD / "task_index.json").tasks
    assert sum(bool(note.tool_beneficial) for note in notes.values()) == 250
    counts = [sum(note.tools == number for note in notes.values()) for number in range(5)]
    assert counts == [111, 97, 109, 32, 12]
    assert sum(note.net == "offline" for note in notes.values()) == 226


# Revisions


def test_two_checkouts_are_compared_task_by_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = [f"{number}999ffff-0000" for number in range(4)]
    a, b = tmp_path / "a", tmp_path / "b"
    for id in ids[:3]:
        write(a, task(id=id))
    feasible = {"func": "exact_match", "result": {"type": "vm_terminal_output"}}
    write(b, task(id=ids[0], related_apps=["os"]))
    write(b, task(id=ids[1], instruction="Else.", evaluator=feasible))
    write(b, task(id=ids[3]))
    assert [(each.name, each.said) for each in changes(a, b)] == [
        (
            "os-1999ffff",
            ("instruction", "now feasible", "evaluator.func", "evaluator.result"),
        ),
        ("os-2999ffff", ("removed",)),
        ("os-3999ffff", ("added",)),
    ]
    assert ambidex("tasks", "diff", a, b) == 1
    assert "3 tasks differ" in capsys.readouterr().out
    assert ambidex("tasks", "diff", a, a, "--json") == 0
    assert json.loads(capsys.readouterr().out) == []
