"""What changed on a machine beside a tool's purpose, and whether two ways left the same."""

from __future__ import annotations

from pathlib import Path

from docx import Document
from openpyxl import Workbook

from ambidex.evaluators.meaning import differences
from ambidex.host.client.survey import changes
from ambidex.toolgen.stages.side_effects import outside

BEFORE = {
    "files": {
        "/home/user/": "folder",
        "/home/user/a.xlsx": "1",
        "/home/user/b.txt": "2",
        "/home/user/.config/libreoffice/4/user/registrymodifications.xcu": "3",
    },
    "settings": {"org.gnome.desktop.interface color-scheme": "'default'", "org.x key": "1"},
}


def test_files_and_settings_that_are_not_the_tools_business_are_told_apart() -> None:
    after = {
        "files": {
            "/home/user/": "folder",
            "/home/user/a.xlsx": "9",
            "/home/user/.config/libreoffice/4/user/registrymodifications.xcu": "8",
            "/home/user/left.tmp": "7",
        },
        "settings": {"org.gnome.desktop.interface color-scheme": "'dark'", "org.x key": "1"},
    }
    found = changes(BEFORE, after)
    assert [str(each) for each in found] == [
        "file /home/user/a.xlsx: changed",
        "file /home/user/b.txt: gone",
        "file /home/user/left.tmp: made",
        "setting org.gnome.desktop.interface color-scheme: 'default' -> 'dark'",
    ]
    named = frozenset({"~/a.xlsx"})
    theirs = {each.what for each in outside(found, "calc", named, "/home/user")}
    assert theirs == {
        "/home/user/b.txt",
        "/home/user/left.tmp",
        "org.gnome.desktop.interface color-scheme",
    }
    mine = {each.what for each in outside(found, "gnome", named, "/home/user")}
    assert mine == {"/home/user/b.txt", "/home/user/left.tmp"}


def folder(path: Path, cell: object, text: str, position: int) -> Path:
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


def test_the_same_left_in_another_minute_is_the_same(tmp_path: Path) -> None:
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
