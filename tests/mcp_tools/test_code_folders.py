"""Folders are added to and removed from the text of a workspace file."""

from pathlib import Path

import pytest

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import jsonc
from ambidex.mcp_tools.code.folders import edit_workspace

TEXT = """{
    // ours
    "folders": [
        {"path": "site", "name": "Site"},
        {"uri": "vscode-remote:///srv/big%20data"}, // large
        {"path": "../old/./notes"}
    ],
    "settings": {"files.eol": "\\n"},
}
"""


def test_folders_are_changed_and_everything_else_stays(tmp_path: Path) -> None:
    file = tmp_path / "work" / "ours.code-workspace"
    file.parent.mkdir()
    file.write_text(TEXT)
    for folder in ("/srv/big data", f"{tmp_path}/old/notes", f"{tmp_path}/none"):
        edit_workspace(file, remove=folder)
    edit_workspace(file, add=f"{file.parent}/new/docs")
    edit_workspace(file, add=f"{tmp_path}/beside")
    text = file.read_text()
    assert jsonc.parse(text)["folders"] == [
        {"path": "site", "name": "Site"},
        {"path": "new/docs"},
        {"path": "../beside"},
    ]
    assert all(words in text for words in ("// ours", "// large", '{"files.eol": "\\n"},\n}'))


def test_the_first_folder_of_an_empty_workspace(tmp_path: Path) -> None:
    file = tmp_path / "ours.code-workspace"
    file.write_text("")
    edit_workspace(file, add=str(tmp_path))
    assert jsonc.parse(file.read_text()) == {"folders": [{"path": "."}]}


@pytest.mark.parametrize("text", ['{"folders": [', '{"folders": {}}', "[]"])
def test_a_malformed_file_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ours.code-workspace"
    file.write_text(text)
    with pytest.raises(ToolError) as caught:
        edit_workspace(file, add="/srv")
    assert caught.value.code == "malformed"
    assert file.read_text() == text
