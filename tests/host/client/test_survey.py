"""Which differences between two surveys are changes, and which the system makes on its own."""

from __future__ import annotations

from ambidex.host.client.survey import changes, left_out

SERVICE = f"/tmp/systemd-private-{'0a' * 16}-systemd-hostnamed.service-Pe18Jq/"


def test_the_scratch_folders_of_a_service_that_ends_are_counted_but_are_no_change() -> None:
    before = {"files": {SERVICE: "folder", f"{SERVICE}tmp/": "folder", f"/var{SERVICE}": "folder"}}
    after = {"files": {"/tmp/systemd-private-mine/": "folder"}}
    assert [str(change) for change in changes(before, after)] == [
        "file /tmp/systemd-private-mine/: made"
    ]
    assert left_out(before, after) == {"scratch folders of system services": 3}


def test_what_the_tools_browser_writes_on_its_own_is_counted_but_is_no_change() -> None:
    profile = "/tmp/playwright_chromiumdev_profile-rcHqR1/Default"
    before = {"files": {f"{profile}/Local Storage/leveldb/000003.log": "a"}}
    after = {
        "files": {
            f"{profile}/Local Storage/leveldb/000003.log": "b",
            f"{profile}/Preferences": "text",
            "/tmp/playwright_notes/a": "text",
        }
    }
    assert [change.what for change in changes(before, after)] == ["/tmp/playwright_notes/a"]
    assert left_out(before, after) == {"the profile of the tools' browser": 2}


def test_a_thumbnailer_that_ends_makes_no_change() -> None:
    folder = "/tmp/gnome-desktop-thumbnailer-RXK5Y3/"
    picture = f"{folder}gnome-desktop-file-to-thumbnail.pdf"
    before = {"files": {folder: "folder", picture: "a"}}
    after = {"files": {"/tmp/gnome-desktop-thumbnailer-mine/": "folder"}}
    assert [change.what for change in changes(before, after)] == list(after["files"])
    assert left_out(before, after) == {"scratch folders of thumbnailers": 2}


def test_what_the_file_browser_marks_late_is_no_change_but_a_user_s_scripts_are() -> None:
    folder = "/home/user/.local/share/nautilus/"
    after = {
        "files": {
            folder: "folder",
            f"{folder}tracker2-migration-complete": "empty",
            f"{folder}scripts/tidy": "text",
        }
    }
    assert [change.what for change in changes({"files": {}}, after)] == [f"{folder}scripts/tidy"]
