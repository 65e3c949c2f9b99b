"""Which differences between two setups count."""

from __future__ import annotations

from ambidex.host.loop.stage_inventory import differences
from tests.support.tables import every_case

HOME = "/home/user"
Inventory = dict[str, dict[str, str]]


def inventory(**parts: dict[str, str]) -> Inventory:
    return {"files": {}, "settings": {}, "windows": {}, **parts}


@every_case(
    "path",
    [
        f"{HOME}/.config/libreoffice/4/user/registrymodifications.xcu",
        f"{HOME}/.config/dconf/user",
        f"{HOME}/.local/share/recently-used.xbel",
        f"{HOME}/.cache/thumbnails/normal/1.png",
        f"{HOME}/.cache/fontconfig/a",
        f"{HOME}/Documents/.~lock.budget.xlsx#",
        "/tmp/lu1a2b.tmp/a",
        f"{HOME}/.local/share/nautilus/tags/meta.db-wal",
        "/tmp/systemd-private-8dc67ca62dea-systemd-hostnamed.service-ybj5BP/tmp/",
        "/tmp/gnome-desktop-thumbnailer-TM58Y3/gnome-desktop-file-to-thumbnail.pdf",
        f"{HOME}/.xsession-errors",
        f"{HOME}/.thunderbird/console.log",
        f"{HOME}/install.log.1",
        f"{HOME}/.config/chromium/SingletonLock",
        f"{HOME}/.config/chromium/Default/History",
        "/tmp/org.chromium.Chromium.RQ0yHu/SingletonSocket",
        f"{HOME}/.config/code-window/Default/Sessions/Apps_13440530555378571",
        f"{HOME}/.config/Code/logs/20261130T164240/exthost1/",
        f"{HOME}/.config/Code/User/machineid",
        f"{HOME}/.config/Code/User/workspaceStorage/-2502839/vscode.lock",
        f"{HOME}/.cache/Microsoft/DeveloperTools/deviceid",
        f"{HOME}/Projects/menu/.git/index",
        f"{HOME}/Projects/menu/.git/logs/refs/heads/main",
    ],
)
def test_what_applications_write_whenever_they_run_is_not_compared(path: str) -> None:
    present, other = inventory(files={path: "1"}), inventory(files={path: "2"})
    assert differences(present, other) == ()
    assert differences(present, inventory()) == ()


@every_case(
    "first, second, named",
    [
        ({"files": {f"{HOME}/a": "1 644"}}, {"files": {f"{HOME}/a": "2 644"}}, f"{HOME}/a"),
        ({"files": {f"{HOME}/a": "1 644"}}, {"files": {f"{HOME}/a": "1 600"}}, f"{HOME}/a"),
        ({"files": {"/tmp/b": "1"}}, {}, "/tmp/b"),
        ({}, {"files": {f"{HOME}/logs/": "folder"}}, f"{HOME}/logs/"),
        (
            {"files": {f"{HOME}/.config/chromium/Default/Bookmarks": "1"}},
            {},
            f"{HOME}/.config/chromium/Default/Bookmarks",
        ),
        (
            {"files": {f"{HOME}/.config/google-chrome/Default/Extensions/a/1/b.js": "1"}},
            {},
            f"{HOME}/.config/google-chrome/Default/Extensions/a/1/b.js",
        ),
        (
            {"files": {f"{HOME}/Projects/menu/.git/refs/heads/main": "1"}},
            {"files": {f"{HOME}/Projects/menu/.git/refs/heads/main": "2"}},
            f"{HOME}/Projects/menu/.git/refs/heads/main",
        ),
        (
            {"files": {f"{HOME}/.config/Code/User/settings.json": "1"}},
            {"files": {f"{HOME}/.config/Code/User/settings.json": "2"}},
            f"{HOME}/.config/Code/User/settings.json",
        ),
        ({"files": {f"{HOME}/catalog": "1"}}, {}, f"{HOME}/catalog"),
        ({"settings": {"org.a b": "1"}}, {"settings": {"org.a b": "2"}}, "org.a b"),
        (
            {"windows": {"Gedit 0x1": "a.txt"}},
            {},
            "the window 'a.txt' of Gedit",
        ),
        (
            {"windows": {"Vlc 0x1": "VLC", "Vlc 0x2": "VLC"}},
            {"windows": {"Vlc 0x1": "VLC"}},
            "the window 'VLC' of Vlc",
        ),
        ({"services": {"database": "1"}}, {"services": {"database": "2"}}, "the service database"),
        (
            {"services": {"database": "incomplete"}},
            {"services": {"database": "incomplete"}},
            "the service database",
        ),
        (
            {"refused": {"files": "there are more than 200,000 files"}},
            {},
            "the list of files: there are more than 200,000 files",
        ),
    ],
)
def test_everything_else_is_named(first: Inventory, second: Inventory, named: str) -> None:
    assert differences(inventory(**first), inventory(**second)) == (named,)


def test_numbers_of_windows_do_not_count() -> None:
    first = inventory(windows={"Gedit 0x1": "a.txt"}, services={"queue": "no export"})
    second = inventory(windows={"Gedit 0x9": "a.txt"}, services={"queue": "no export"})
    assert differences(first, second) == ()
