"""VS Code's windows, settings, shortcuts and search in the real VS Code, checked in its files, read
with the standard library, and in the titles of its windows.
"""

import json
import re
from functools import partial
from typing import Any

import pytest

from ambidex.host.client.guest import Guest
from ambidex.mcp_tools.waiting import wait_for
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import called, done, read, refused

SETTINGS = "~/.config/Code/User/settings.json"
COMMENTED = """// Mine.
{
    "editor.fontSize": 13, // small
    "files.exclude": { "**/*.pyc": true, },
    /* not mine */
    "python.analysis.diagnosticSeverityOverrides": {"reportMissingImports": "none"},
}
"""


@pytest.fixture(scope="module")
def code(guest: Guest) -> Guest:
    """A guest whose VS Code shows a folder with a few files."""
    guest.put("~/project/plan.txt", "First line\nText and text, 漢字 text\nlast".encode())
    guest.put("~/project/sub folder/été.py", b"text = 'Text'\r\n")
    guest.put("~/project/node_modules/text.js", b"text")
    guest.put("~/project/picture.bin", b"text\0text")
    guest.put("~/other folder/note.txt", b"text\n")
    guest.put(SETTINGS, COMMENTED.encode())
    assert refused(guest, "code_add_folder", folder="~/project")[0] == "not_running"
    assert done(guest, "code_list_windows") == []
    # A user opens it, and the window appears before VS Code can answer.
    read(guest, "code", "/home/user/project")
    assert wait_for(lambda: titles(guest), 120)
    assert len(done(guest, "code_list_windows")) == 1
    return guest


def titles(guest: Guest) -> list[str]:
    """Titles of VS Code's windows."""
    return [
        window["title"] for window in done(guest, "computer_window_list") if window["app"] == "code"
    ]


def shown(guest: Guest, title: str) -> bool:
    """Whether VS Code's only window gets this title, which is updated with a delay."""
    expected = [f"{title} - Visual Studio Code"]
    return bool(wait_for(lambda: titles(guest) == expected, 60))


def settings(guest: Guest) -> tuple[Any, str]:
    """The settings file parsed after stripping its comments, and its text."""
    text = read(guest, "cat", f"/home/user/{SETTINGS[2:]}")
    bare = re.sub(r'("[^"]*")|//.*|/\*.*?\*/', lambda found: found.group(1) or "", text)
    return json.loads(re.sub(r",(?=\s*[}\]])", "", bare)), text


def test_a_window_shows_the_folder(code: Guest) -> None:
    [window] = done(code, "code_list_windows")
    assert window["folders"] == ["/home/user/project"]
    assert shown(code, "project")
    # The folder is already shown, so no second window opens.
    assert done(code, "code_launch_vscode", path="~/project")["name"] == "project"
    assert len(titles(code)) == 1
    assert refused(code, "code_launch_vscode", path="~/nothing here")[0] == "not_found"


@proves(
    "the title of the window, in which VS Code names what it shows",
    code_launch_vscode="one window shows the folder, and no second one",
    code_list_windows="it names the folder that the title names",
    code_goto_file="the file is shown",
    code_compare_files="both files are named",
    code_run_command="no file is shown",
)
def test_files_are_shown_and_compared(code: Guest) -> None:
    done(code, "code_launch_vscode", path="~/project")
    at = done(code, "code_goto_file", file_path="~/project/plan.txt", line=2, character=5)
    assert (at["editor"]["line"], at["editor"]["character"]) == (2, 5)
    assert shown(code, "plan.txt - project")
    done(code, "code_goto_file", file_path="~/project/sub folder/été.py")
    assert shown(code, "été.py - project")
    assert refused(code, "code_goto_file", file_path="~/project/plan.txt", line=9)[0] == (
        "out_of_range"
    )
    assert refused(code, "code_goto_file", file_path="~/project")[0] == "not_file"
    pair = {"file1": "~/project/plan.txt", "file2": "~/other folder/note.txt"}
    done(code, "code_compare_files", **pair)
    done(code, "computer_wait", seconds=20, window="plan.txt ↔ note.txt")
    assert len(titles(code)) == 1
    assert refused(code, "code_compare_files", file1="~/a", file2="~/b")[0] == "not_found"
    command = "workbench.action.closeAllEditors"
    assert done(code, "code_run_command", command=command)["window"]["tabs"] == []
    assert shown(code, "project")
    error, text = refused(code, "code_run_command", command="workbench.action.closeEverything")
    assert error == "unknown_command"
    assert "workbench.action.close" in text
    # The window does not answer while it reloads, and the tool waits for it.
    reloaded = done(code, "code_run_command", command="workbench.action.reloadWindow")
    assert reloaded["window"]["name"] == "project"
    assert len(done(code, "code_list_windows")) == 1


@proves(
    "the settings file without its comments, read by Python's own reader, and its comments",
    code_set_setting="the value is there",
    code_reset_setting="the key is gone",
    code_set_word_wrap_column="editor.wordWrapColumn",
    code_set_auto_save_delay="files.autoSaveDelay and files.autoSave",
    code_set_focus_editor_on_break="debug.focusEditorOnBreak",
    code_set_wrap_tabs="workbench.editor.wrapTabs",
    code_set_color_theme="workbench.colorTheme holds what VS Code stores for it",
    code_add_files_exclude="the pattern is there beside the others",
    code_set_python_diagnostics_override="the rule is there beside the others",
    code_get_settings="the same as the file",
    code_get_setting="the same as the file",
)
def test_settings_are_changed_in_place(code: Guest) -> None:
    wrap = done(code, "code_set_word_wrap_column", column=50)
    assert (wrap["old"], wrap["new"]) == (None, 50)
    done(code, "code_set_auto_save_delay", delay_ms=500, auto_save="afterDelay")
    done(code, "code_set_auto_save_delay", delay_ms=700)
    done(code, "code_set_focus_editor_on_break", value=False)
    done(code, "code_set_wrap_tabs", value=True)
    done(code, "code_set_color_theme", theme_name="dark (visual studio)")
    done(code, "code_add_files_exclude", pattern="**/__pycache__")
    arguments = {"rule": "reportMissingModuleSource", "severity": "warning"}
    assert done(code, "code_set_python_diagnostics_override", **arguments)["known"] is False
    font = done(code, "code_set_setting", key="editor.fontSize", value=17)
    assert (font["old"], font["new"]) == (13, 17)
    done(code, "code_set_setting", key="window.title", value='"q" 漢\n')
    done(code, "code_reset_setting", key="window.title")
    tabs = {"[python]": {"editor.tabSize": 2}}
    done(code, "code_set_setting", key="[python]", value=tabs["[python]"], merge=True)
    result, text = settings(code)
    assert result == {
        "editor.fontSize": 17,
        "files.exclude": {"**/*.pyc": True, "**/__pycache__": True},
        "python.analysis.diagnosticSeverityOverrides": {
            "reportMissingImports": "none",
            "reportMissingModuleSource": "warning",
        },
        "editor.wordWrapColumn": 50,
        "files.autoSaveDelay": 700,
        "files.autoSave": "afterDelay",
        "debug.focusEditorOnBreak": False,
        "workbench.editor.wrapTabs": True,
        "workbench.colorTheme": "Visual Studio Dark",
        **tabs,
    }
    keys = ("editor.fontSize", "editor.wordWrapColumn", "workbench.editor.wrapTabs")
    for key in (*keys, "workbench.colorTheme"):
        assert wait_for(partial(is_in_use, code, key, result[key]), 60), key
    assert text.startswith('// Mine.\n{\n    "editor.fontSize": 17, // small\n')
    assert "    /* not mine */\n" in text
    assert done(code, "code_get_settings")["values"] == result
    assert done(code, "code_get_settings", part="WRAP")["values"].keys() == {
        "editor.wordWrapColumn",
        "workbench.editor.wrapTabs",
    }
    assert done(code, "code_get_setting", key="editor.fontSize")["new"] == 17
    again = done(code, "code_set_setting", key="editor.fontSize", value=17)
    assert (again["old"], settings(code)[1]) == (17, text)
    done(code, "code_reset_setting", key="files.autoSave")


def is_in_use(code: Guest, key: str, value: object) -> bool:
    """Whether a setting is in effect in the window. On a busy computer that takes longer than the
    tools wait."""
    return bool(done(code, "code_get_setting", key=key)["in_use"] == value)


def test_invalid_settings_are_refused(code: Guest) -> None:
    error, text = refused(code, "code_set_color_theme", theme_name="Monokay")
    assert error == "unknown_theme"
    assert "Monokai" in text
    assert refused(code, "code_set_word_wrap_column", column=0)[0] == "bad_arguments"
    assert refused(code, "code_set_auto_save_delay", delay_ms=-1)[0] == "bad_arguments"
    assert refused(code, "code_set_focus_editor_on_break", value="maybe")[0] == "bad_arguments"
    assert refused(code, "code_set_wrap_tabs", value="maybe")[0] == "bad_arguments"
    arguments = {"rule": "reportMissingImports", "severity": "loud"}
    assert refused(code, "code_set_python_diagnostics_override", **arguments)[0] == "bad_arguments"
    assert refused(code, "code_set_setting", key="a", value=1, merge=True)[0] == "bad_value"
    broken = '{\n    "editor.fontSize": 13\n    "window.zoomLevel": 1\n}\n'
    code.put("~/broken/.vscode/settings.json", broken.encode())
    for name, more in (
        ("code_set_setting", {"value": 1}),
        ("code_reset_setting", {}),
        ("code_get_setting", {}),
    ):
        error, text = refused(code, name, key="a", folder="~/broken", **more)
        assert error == "malformed"
        assert "line 3, column 5" in text
    assert refused(code, "code_get_settings", folder="~/broken")[0] == "malformed"
    stored = read(code, "cat", f"/home/user/{SETTINGS[2:]}")
    code.put(SETTINGS, b'{"files.exclude": ')
    assert refused(code, "code_add_files_exclude", pattern="*.o")[0] == "malformed"
    assert read(code, "cat", f"/home/user/{SETTINGS[2:]}") == '{"files.exclude":'
    code.put(SETTINGS, (stored + "\n").encode())
    assert read(code, "cat", "/home/user/broken/.vscode/settings.json") == broken.strip()


@proves(
    "keybindings.json, read by Python's own reader, and the key itself",
    code_add_keybinding="the shortcut is in the file and the key does it",
    code_remove_keybinding="it is gone from the file",
    code_get_keybindings="the same as the file",
)
def test_shortcuts_are_added_and_removed(code: Guest) -> None:
    file = "/home/user/.config/Code/User/keybindings.json"
    mine = {"key": "ctrl+alt+9", "command": "workbench.action.files.newUntitledFile"}
    taken = {"key": "ctrl+f", "command": "-list.find", "when": "listFocus && listSupportsFind"}
    done(code, "code_add_keybinding", **mine)
    done(code, "code_add_keybinding", **taken)
    done(code, "code_add_keybinding", **taken)
    assert json.loads(read(code, "cat", file)) == [mine, taken]
    listed = done(code, "code_get_keybindings")["shortcuts"]
    assert [entry["command"] for entry in listed] == [mine["command"], "-list.find"]
    done(code, "code_goto_file", file_path="~/project/plan.txt")

    def pressed() -> bool:  # the window reads the file a moment after it was written
        done(code, "computer_key", keys=["ctrl", "alt", "9"])
        return not called(code, "computer_wait", {"seconds": 5, "window": "Untitled-"}).error

    assert wait_for(pressed, 60)
    done(code, "code_run_command", command="workbench.action.closeAllEditors")
    done(code, "code_remove_keybinding", **mine)
    assert json.loads(read(code, "cat", file)) == [taken]
    assert refused(code, "code_remove_keybinding", **mine)[0] == "not_found"
    assert refused(code, "code_add_keybinding", key="a b c", command="x")[0] == "bad_arguments"
    code.put("~/.config/Code/User/keybindings.json", b"[1")
    assert refused(code, "code_get_keybindings")[0] == "malformed"
    code.put("~/.config/Code/User/keybindings.json", b"// none\n")
    assert done(code, "code_get_keybindings")["shortcuts"] == []


@proves(
    "the files on disk",
    code_search_text="count and positions match the files",
    code_replace_text="the text is replaced, and excluded files are unchanged",
)
def test_text_is_found_and_replaced_in_the_workspace(code: Guest) -> None:
    plan, script = "/home/user/project/plan.txt", "/home/user/project/sub folder/été.py"
    matches = done(code, "code_search_text", text="text", all_files=True)
    assert (matches["count"], matches["files"], matches["left_out"]) == (5, 2, 0)
    assert [(match["file"], match["line"], match["column"]) for match in matches["matches"]] == [
        (plan, 2, 1),
        (plan, 2, 10),
        (plan, 2, 19),
        (script, 1, 1),
        (script, 1, 9),
    ]
    done(code, "code_goto_file", file_path="~/project/plan.txt")
    assert done(code, "code_search_text", text="漢字")["matches"][0]["column"] == 16
    assert done(code, "code_search_text", text="TEXT", match_case=True)["count"] == 0
    arguments = {"search_text": r"(t)ext\b", "replace_text": r"\1est", "regex": True}
    result = done(code, "code_replace_text", all_files=True, match_case=True, **arguments)
    assert result["count"] == 3
    assert {file["file"]: file["count"] for file in result["files"]} == {plan: 2, script: 1}
    assert read(code, "cat", plan) == "First line\nText and test, 漢字 test\nlast"
    assert read(code, "od", "-An", "-c", script).split()[-3:] == ["'", r"\r", r"\n"]
    assert read(code, "cat", "/home/user/project/node_modules/text.js") == "text"
    assert read(code, "cat", "/home/user/other folder/note.txt") == "text"
    done(code, "code_replace_text", search_text="Text", replace_text="é\"'\\1\n", match_case=True)
    assert read(code, "cat", plan).splitlines()[1:3] == ["é\"'\\1", " and test, 漢字 test"]
    python = done(code, "code_search_text", text="test", all_files=True, include="*.py")
    assert (python["count"], python["looked_at"]) == (1, 1)
    assert done(code, "code_search_text", text="text", path="~/other folder")["count"] == 1
    assert refused(code, "code_search_text", text="(", regex=True)[0] == "bad_regex"
    assert refused(code, "code_search_text", text="a", path="~/none")[0] == "not_found"
    bad = {"search_text": "a", "replace_text": r"\2", "regex": True, "all_files": True}
    assert refused(code, "code_replace_text", **bad)[0] == "bad_regex"
    read(code, "chmod", "a-w", plan)
    arguments = {"search_text": "test", "replace_text": "x", "all_files": True}
    assert refused(code, "code_replace_text", **arguments)[0] == "read_only"
    assert "test" in read(code, "cat", script)
    read(code, "chmod", "u+w", plan)


@proves("the file on disk before and after the editor was saved", code_replace_text="unsaved text")
def test_unsaved_text_is_replaced_in_the_editor_and_left_unsaved(code: Guest) -> None:
    file = "/home/user/project/unsaved.txt"
    code.put("~/project/unsaved.txt", b"one\n")
    done(code, "code_goto_file", file_path="~/project/unsaved.txt")
    done(code, "code_run_command", command="type", arguments=[{"text": "one two "}])
    assert done(code, "code_search_text", text="one")["count"] == 2
    result = done(code, "code_replace_text", search_text="one", replace_text="three")
    assert result["files"] == [{"file": file, "count": 2, "saved": False}]
    assert read(code, "cat", file) == "one"
    assert refused(code, "code_add_folder", folder="~/other folder")[0] == "unsaved"
    done(code, "code_run_command", command="workbench.action.files.save")
    assert read(code, "cat", file) == "three two three"
    done(code, "code_run_command", command="workbench.action.closeAllEditors")
    assert refused(code, "code_search_text", text="one")[0] == "no_editor"


@proves(
    "the .code-workspace file",
    code_add_folder="the folder is in it",
    code_remove_folder="the folder is no longer in it",
)
def test_folders_of_a_workspace_are_added_and_removed(code: Guest) -> None:
    file = "/home/user/both.code-workspace"
    code.put("~/both.code-workspace", b'{"folders": [{"path": "project"}]}')
    # A window whose last editor was closed does not notice that it loses the focus.
    done(code, "code_goto_file", file_path="~/project/plan.txt")
    done(code, "code_run_command", command="workbench.action.closeAllEditors")
    assert done(code, "code_launch_vscode", path=file)["workspace"] == file
    windows = [(window["name"], window["focused"]) for window in done(code, "code_list_windows")]
    assert windows == [("both (Workspace)", True), ("project", False)]
    done(code, "code_launch_vscode", path="~/project")
    [front] = [window["title"] for window in done(code, "computer_window_list") if window["active"]]
    assert front == "project - Visual Studio Code"
    done(code, "code_launch_vscode", path=file)
    reload = {"command": "workbench.action.reloadWindow"}
    assert done(code, "code_run_command", **reload)["window"]["workspace"] == file
    done(code, "code_add_folder", folder="~/other folder")
    paths = [folder["path"] for folder in json.loads(read(code, "cat", file))["folders"]]
    assert paths == ["project", "other folder"]
    again = done(code, "code_add_folder", folder="~/other folder")
    assert again["folders"] == ["/home/user/project", "/home/user/other folder"]
    result = done(code, "code_search_text", text="text", all_files=True, match_case=True)
    assert {match["file"] for match in result["matches"]} == {"/home/user/other folder/note.txt"}
    done(code, "code_remove_folder", folder="~/other folder")
    left = [folder["path"] for folder in json.loads(read(code, "cat", file))["folders"]]
    assert left == ["project"]
    assert refused(code, "code_remove_folder", folder="~/other folder")[0] == "not_found"
    assert refused(code, "code_add_folder", folder="~/none")[0] == "not_found"
    before = read(code, "cat", file)
    done(code, "code_goto_file", file_path=file)
    done(code, "code_run_command", command="type", arguments=[{"text": " "}])
    assert refused(code, "code_add_folder", folder="~/other folder")[0] == "unsaved"
    assert read(code, "cat", file) == before
    done(code, "code_run_command", command="workbench.action.revertAndCloseActiveEditor")
    done(code, "code_add_folder", folder="~/other folder")
    # The first folder last: then the window restarts its extensions and is silent for a while.
    window = done(code, "code_remove_folder", folder="~/project")
    assert (window["workspace"], window["folders"]) == (file, ["/home/user/other folder"])
    left = [folder["path"] for folder in json.loads(read(code, "cat", file))["folders"]]
    assert left == ["other folder"]
