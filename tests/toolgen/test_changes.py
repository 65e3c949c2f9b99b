"""Side effects of a tool, and the comparison of its result with that of the GUI."""

from __future__ import annotations

from pathlib import Path

from docx import Document
from openpyxl import Workbook

from ambidex.evaluators.meaning import differences
from ambidex.host.client.survey import changes
from ambidex.toolgen.stages.side_effects import side_effects

BEFORE = {
    "files": {
        "/home/user/": "folder",
        "/home/user/a.xlsx": "1",
        "/home/user/b.txt": "2",
        "/home/user/.config/libreoffice/4/user/registrymodifications.xcu": "3",
    },
    "settings": {"org.gnome.desktop.interface color-scheme": "'default'", "org.x key": "1"},
}


def test_changes_of_other_files_and_settings_are_side_effects() -> None:
    after = {
        "files": {
            "/home/user/": "folder",
            "/home/user/a.xlsx": "9",
            "/home/user/.config/libreoffice/4/user/registrymodifications.xcu": "8",
            "/home/user/.xsession-errors": "8",
            "/home/user/.config/enchant/en_US.dic": "8",
            "/home/user/.cache/event-sound-cache.tdb.desk.x86_64-pc-linux-gnu": "8",
            "/home/user/left.tmp": "7",
        },
        "settings": {"org.gnome.desktop.interface color-scheme": "'dark'", "org.x key": "1"},
    }
    changed = changes(BEFORE, after)
    assert [str(change) for change in changed] == [
        "file /home/user/a.xlsx: changed",
        "file /home/user/b.txt: gone",
        "file /home/user/left.tmp: made",
        "setting org.gnome.desktop.interface color-scheme: 'default' -> 'dark'",
    ]
    named = frozenset({"~/a.xlsx"})
    of_calc = {change.what for change in side_effects(changed, "calc", named, "/home/user")}
    assert of_calc == {
        "/home/user/b.txt",
        "/home/user/left.tmp",
        "org.gnome.desktop.interface color-scheme",
    }
    of_gnome = {change.what for change in side_effects(changed, "gnome", named, "/home/user")}
    assert of_gnome == {"/home/user/b.txt", "/home/user/left.tmp"}


def folder(path: Path, cell: int, text: str, position: int) -> Path:
    path.mkdir()
    book = Workbook()
    assert book.active is not None
    book.active["B2"] = cell
    book.save(path / "a.xlsx")
    document = Document()
    document.add_paragraph(text)
    document.save(str(path / "b.docx"))
    (path / "c.json").write_text(f'{{"Position": {position}, "state": "Playing"}}')
    return path


def test_results_that_differ_only_in_their_time_are_the_same(tmp_path: Path) -> None:
    one = folder(tmp_path / "one", 42, "Dear all", 5)
    source = '{"by": "collector", "asked": "a", "state": "file", "size": 9}'
    (one / "evidence.json").write_text(f'{{"sources": {{"a.xlsx": {source}}}}}')
    assert differences(one, folder(tmp_path / "two", 42, "Dear all", 900)) == []
    other = folder(tmp_path / "three", 43, "Dear  all", 5)
    (other / "d.txt").write_text("more")
    assert differences(one, other) == [
        "a.xlsx: Sheet.B2 42 by the tool, 43 by the GUI",
        "b.docx: [0][0] 'Dear all' by the tool, 'Dear  all' by the GUI",
        "d.txt exists only by the GUI",
    ]
