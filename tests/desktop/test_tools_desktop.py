"""Tools for GNOME's settings and files, checked with gsettings and through the harness."""

import pytest

from ambidex.host.client.answers import NoSuchFileError
from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

INTERFACE = "org.gnome.desktop.interface"


def stored(guest: Guest, schema: str, key: str) -> str:
    """The setting as gsettings prints it."""
    return read(guest, "gsettings", "get", schema, key)


@proves(
    "gsettings reads and writes the same settings",
    gnome_set_setting="numbers and lists are stored",
    gnome_reset_setting="the default value is back",
    gnome_get_setting="a value set by another program",
    gnome_set_dark_style="colour scheme and theme are dark, and light again",
    gnome_set_wallpaper="both pictures and how they fit",
    gnome_list_settings="every key of the schema with its value",
)
def test_settings_are_changed_for_every_program(guest: Guest) -> None:
    arguments = {"schema": INTERFACE, "key": "text-scaling-factor"}
    assert done(guest, "gnome_set_setting", **arguments, value=1.25)["value"] == 1.25
    assert stored(guest, INTERFACE, "text-scaling-factor") == "1.25"
    assert done(guest, "gnome_reset_setting", **arguments)["value"] == 1
    assert stored(guest, INTERFACE, "text-scaling-factor") == "1.0"
    read(guest, "gsettings", "set", *arguments.values(), "1.5")
    assert done(guest, "gnome_get_setting", **arguments)["value"] == 1.5
    done(guest, "gnome_set_dark_style", enable=True)
    assert stored(guest, INTERFACE, "color-scheme") == "'prefer-dark'"
    assert stored(guest, INTERFACE, "gtk-theme") == "'Adwaita-dark'"
    done(guest, "gnome_set_dark_style", enable=False)
    assert stored(guest, INTERFACE, "color-scheme") == "'default'"
    assert stored(guest, INTERFACE, "gtk-theme") == "'Adwaita'"
    keys = {"schema": "org.gnome.desktop.input-sources", "key": "xkb-options"}
    done(guest, "gnome_set_setting", **keys, value=["caps:escape"])
    assert stored(guest, *keys.values()) == "['caps:escape']"
    guest.put("~/Pictures/ж b.png", b"not looked at")
    done(guest, "gnome_set_wallpaper", path="~/Pictures/ж b.png", fit="centered")
    background = "org.gnome.desktop.background"
    for key in ("picture-uri", "picture-uri-dark"):
        assert stored(guest, background, key) == "'file:///home/user/Pictures/%D0%B6%20b.png'"
    assert stored(guest, background, "picture-options") == "'centered'"
    session = "org.gnome.desktop.session"
    listed = {setting["key"] for setting in done(guest, "gnome_list_settings", schema=session)}
    assert listed == set(read(guest, "gsettings", "list-keys", session).splitlines())
    assert session in done(guest, "gnome_list_settings", schema="session")


def test_a_wrong_setting_is_refused_with_what_is_allowed(guest: Guest) -> None:
    pink = {"schema": INTERFACE, "key": "color-scheme", "value": "pink"}
    code, text = refused(guest, "gnome_set_setting", **pink)
    assert code == "bad_value"
    assert "prefer-dark" in text
    wrong = {"schema": INTERFACE, "key": "text-scaling-factor", "value": 9}
    assert "0.5 to 3.0" in refused(guest, "gnome_set_setting", **wrong)[1]
    code, text = refused(guest, "gnome_get_setting", schema=INTERFACE, key="colour")
    assert code == "no_key"
    assert "color-scheme" in text
    near = {"schema": "org.gnome.desktop.interfac", "key": "x"}
    for tool in ("gnome_get_setting", "gnome_reset_setting"):
        code, text = refused(guest, tool, **near)
        assert code == "no_schema"
        assert INTERFACE in text
    assert refused(guest, "gnome_list_settings", schema="no.such.thing")[0] == "no_schema"
    assert refused(guest, "gnome_set_wallpaper", path="~/none.png")[0] == "not_found"
    assert refused(guest, "gnome_set_dark_style", enable="maybe")[0] == "bad_arguments"
    profile = {"schema": "org.gnome.Terminal.Legacy.Profile", "key": "font"}
    assert refused(guest, "gnome_get_setting", **profile)[0] == "relocatable"


@proves(
    "the harness reads the files, find, stat and gio list them",
    files_write_text="exact bytes, appended to, and never replaced without overwrite",
    files_read_text="the whole text and a part",
    files_create_directory="the folder and its parents",
    files_copy="a file and a folder; the source stays",
    files_move="the file has the new name only",
    files_list_directory="names and kinds, a link as a link",
    files_find="names in any case; links are not followed",
    files_get_info="size and permissions",
    files_trash="moved from its place to the trash",
)
def test_files_are_moved_and_none_is_lost(guest: Guest) -> None:
    assert refused(guest, "files_write_text", path="~/w/ü 1.txt", content="x")[0] == "not_found"
    done(guest, "files_create_directory", path="~/w/deep")
    done(guest, "files_create_directory", path="~/w/deep")
    assert read(guest, "stat", "-c", "%F", "/home/user/w/deep") == "directory"
    done(guest, "files_write_text", path="~/w/ü 1.txt", content="one\r\nü")
    assert guest.get("~/w/ü 1.txt") == "one\r\nü".encode()
    assert refused(guest, "files_write_text", path="~/w/ü 1.txt", content="")[0] == "exists"
    done(guest, "files_write_text", path="~/w/ü 1.txt", content="!", append=True)
    assert guest.get("~/w/ü 1.txt") == "one\r\nü!".encode()
    assert done(guest, "files_read_text", path="~/w/ü 1.txt")["text"] == "one\r\nü!"
    piece = done(guest, "files_read_text", path="~/w/ü 1.txt", offset=5, limit=1)
    assert (piece["text"], piece["next_offset"]) == ("ü", 6)
    done(guest, "files_copy", source="~/w/ü 1.txt", destination="~/w/deep")
    assert guest.get("~/w/deep/ü 1.txt") == guest.get("~/w/ü 1.txt")
    assert refused(guest, "files_copy", source="~/w/ü 1.txt", destination="~/w/deep")[0] == "exists"
    assert refused(guest, "files_copy", source="~/w", destination="~/w/deep")[0] == "same"
    done(guest, "files_copy", source="~/w/deep", destination="~/w/deep 2")
    assert guest.get("~/w/deep 2/ü 1.txt") == guest.get("~/w/ü 1.txt")
    done(guest, "files_move", source="~/w/deep/ü 1.txt", destination="~/w/2.txt")
    with pytest.raises(NoSuchFileError):
        guest.get("~/w/deep/ü 1.txt")
    read(guest, "ln", "-s", "/etc", "/home/user/w/link")
    entries = done(guest, "files_list_directory", path="~/w")["entries"]
    assert [(entry["path"].rpartition("/")[2], entry["kind"]) for entry in entries] == [
        ("2.txt", "file"), ("deep", "folder"), ("deep 2", "folder"), ("link", "link"),
        ("ü 1.txt", "file"),
    ]  # fmt: skip
    result = done(guest, "files_find", path="~/w", pattern="Ü*.TXT")["entries"]
    assert [item["path"].removeprefix("/home/user/w/") for item in result] == [
        *("ü 1.txt", "deep 2/ü 1.txt")
    ]
    assert done(guest, "files_find", path="~/w", pattern="passwd")["entries"] == []
    known = done(guest, "files_get_info", path="~/w/2.txt")
    reported = f"{known['bytes']} {known['permissions']}"
    assert reported == read(guest, "stat", "-c", "%s %A", "/home/user/w/2.txt")
    done(guest, "files_trash", path="~/w/2.txt")
    with pytest.raises(NoSuchFileError):
        guest.get("~/w/2.txt")
    assert "2.txt" in read(guest, "gio", "list", "trash:///")


def test_a_file_name_that_is_not_unicode_does_not_break_a_listing(guest: Guest) -> None:
    read(guest, "bash", "-c", "mkdir ~/n && touch ~/n/$'bad\\xff name'")
    [named] = done(guest, "files_list_directory", path="~/n")["entries"]
    assert named["path"] == "/home/user/n/bad? name"


def test_a_missing_path_is_named(guest: Guest) -> None:
    guest.put("~/v/plain", b"\xff\xfe")
    for tool, arguments, code in (
        ("get_info", {"path": "~/v/none"}, "not_found"),
        ("find", {"path": "~/v/plain", "pattern": "*"}, "not_folder"),
        ("list_directory", {"path": "~/v/plain"}, "not_folder"),
        ("read_text", {"path": "~/v/plain"}, "not_text"),
        ("trash", {"path": "~/v/none"}, "not_found"),
        ("move", {"source": "~/v/none", "destination": "~/v/x"}, "not_found"),
        ("move", {"source": "~/v", "destination": "~/v/plain/x"}, "same"),
        ("create_directory", {"path": "~/v/plain/x"}, "not_folder"),
    ):
        assert refused(guest, f"files_{tool}", **arguments)[0] == code, tool


def test_files_of_other_users_stay_closed(guest: Guest) -> None:
    assert refused(guest, "files_read_text", path="/etc/shadow")[0] == "permission"
    assert refused(guest, "files_write_text", path="/etc/new", content="")[0] == "permission"
    assert refused(guest, "files_list_directory", path="/root")[0] == "permission"
