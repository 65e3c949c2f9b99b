"""GNOME's settings and files: what the tools did is read back by gsettings and by the harness."""

import pytest

from host.guest import Guest, NoSuchFile
from tests.desktop.tool_calls import done, read, refused

INTERFACE = "org.gnome.desktop.interface"


def stored(guest: Guest, schema: str, key: str) -> str:
    """The setting as gsettings prints it."""
    return read(guest, "gsettings", "get", schema, key)


def test_settings_are_changed_for_every_program(guest: Guest) -> None:
    given = {"schema": INTERFACE, "key": "text-scaling-factor"}
    assert done(guest, "gnome_set_setting", **given, value=1.25)["value"] == 1.25
    assert stored(guest, INTERFACE, "text-scaling-factor") == "1.25"
    done(guest, "gnome_reset_setting", **given)
    done(guest, "gnome_set_text_scale", factor=1.1)
    assert done(guest, "gnome_get_setting", **given)["value"] == 1.1
    done(guest, "gnome_set_dark_style", enable=True)
    assert stored(guest, INTERFACE, "color-scheme") == "'prefer-dark'"
    done(guest, "gnome_set_do_not_disturb", enable=True)
    assert stored(guest, "org.gnome.desktop.notifications", "show-banners") == "false"
    keys = {"schema": "org.gnome.desktop.input-sources", "key": "xkb-options"}
    done(guest, "gnome_set_setting", **keys, value=["caps:escape"])
    assert stored(guest, *keys.values()) == "['caps:escape']"
    guest.put("~/Pictures/a b.png", b"not looked at")
    done(guest, "gnome_set_wallpaper", path="~/Pictures/a b.png", fit="centered")
    assert stored(guest, "org.gnome.desktop.background", "picture-uri").endswith("/a%20b.png'")
    listed = done(guest, "gnome_list_settings", schema="org.gnome.desktop.session")
    assert "idle-delay" in [each["key"] for each in listed]
    assert "org.gnome.desktop.session" in done(guest, "gnome_list_settings", schema="session")


def test_a_wrong_setting_is_refused_with_what_is_allowed(guest: Guest) -> None:
    text = refused(guest, "gnome_set_setting", schema=INTERFACE, key="color-scheme", value="pink")[
        1
    ]
    assert "prefer-dark" in text
    wrong = {"schema": INTERFACE, "key": "text-scaling-factor", "value": 9}
    assert "0.5 to 3.0" in refused(guest, "gnome_set_setting", **wrong)[1]
    assert "color-scheme" in refused(guest, "gnome_get_setting", schema=INTERFACE, key="colour")[1]
    near = refused(guest, "gnome_get_setting", schema="org.gnome.desktop.interfac", key="x")[1]
    assert INTERFACE in near


def test_files_are_moved_about_and_none_is_lost(guest: Guest) -> None:
    assert refused(guest, "files_write_text", path="~/w/ü 1.txt", content="x")[0] == "not_found"
    done(guest, "files_create_directory", path="~/w/deep")
    done(guest, "files_write_text", path="~/w/ü 1.txt", content="one\r\nü")
    assert guest.get("~/w/ü 1.txt") == "one\r\nü".encode()
    assert refused(guest, "files_write_text", path="~/w/ü 1.txt", content="")[0] == "exists"
    done(guest, "files_write_text", path="~/w/ü 1.txt", content="!", append=True)
    assert done(guest, "files_read_text", path="~/w/ü 1.txt")["text"] == "one\r\nü!"
    done(guest, "files_copy", source="~/w/ü 1.txt", destination="~/w/deep")
    assert refused(guest, "files_copy", source="~/w/ü 1.txt", destination="~/w/deep")[0] == "exists"
    assert refused(guest, "files_copy", source="~/w", destination="~/w/deep")[0] == "same"
    done(guest, "files_move", source="~/w/deep/ü 1.txt", destination="~/w/2.txt")
    names = [each["path"] for each in done(guest, "files_list_directory", path="~/w")["entries"]]
    assert [name.rpartition("/")[2] for name in names] == ["2.txt", "deep", "ü 1.txt"]
    found = done(guest, "files_find", path="~/w", pattern="Ü*.TXT")["entries"]
    assert [each["path"].rpartition("/")[2] for each in found] == ["ü 1.txt"]
    assert done(guest, "files_get_info", path="~/w/2.txt")["bytes"] == 8
    done(guest, "files_trash", path="~/w/2.txt")
    with pytest.raises(NoSuchFile):
        guest.get("~/w/2.txt")
    assert "2.txt" in read(guest, "gio", "list", "trash:///")


def test_files_of_others_stay_closed(guest: Guest) -> None:
    assert refused(guest, "files_read_text", path="/etc/shadow")[0] == "permission"
    assert refused(guest, "files_write_text", path="/etc/new", content="")[0] == "permission"
    assert refused(guest, "files_list_directory", path="/root")[0] == "permission"
