"""Cases of the metrics on settings of VLC, GIMP and VS Code, and on its extensions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.differential import Case, Cases
from bench.differential.cases_text import stored
from bench.differential.cases_values import REFUSED, rare
from bench.differential.mutants import asked, spoiled_text, text_mutant, value_mutant
from tests.evaluators.osworld.test_apps import CASES as APPS

VLC: dict[str, tuple[str, str, list[str]]] = {
    "is_vlc_recordings_folder": (
        "input-record-path",
        "recording_file_path",
        ["/home/user/Desktop", "/home/user", ""],
    ),
    "check_qt_bgcone": ("qt-bgcone", "expected_qt_bgcone", ["0", "1"]),
    "check_qt_max_volume": ("qt-max-volume", "expected_qt_max_volume", ["125", "200"]),
    "check_qt_minimal_view": ("qt-minimal-view", "expected_qt_minimal_view", ["0", "1"]),
    "check_global_key_play_pause": (
        "global-key-play-pause",
        "expected_global_key_play_pause",
        ["", "Space", "Ctrl+p"],
    ),
    "check_one_instance_when_started_from_file": (
        "one-instance-when-started-from-file",
        "expected_one_instance_when_started_from_file",
        ["0", "1"],
    ),
    "check_play_and_exit": ("play-and-exit", "expected_play_and_exit", ["0", "1"]),
    "check_qt_slider_colours": (
        "qt-slider-colours",
        "expected_qt_slider_colours",
        [
            "153;210;153;20;210;20;255;199;15;245;39;29",
            "0;0;0;99;9;1",
            "1;2",
            "1;100;3",
            "+1; 2;3",
            "a;b;c",
        ],
    ),
}


def vlcrc(random: Random, key: str, values: list[str]) -> str:
    """Settings in which the key may occur several times, in several forms."""
    lines = ["###", "### vlc 3.0.16", "[qt] # Qt interface", "", "qt-other=1"]
    forms = [
        f"{key}={{}}",
        f"{key}={{}}",
        f"#{key}={{}}",
        f"# {key}={{}}",
        f"{key} = {{}}",
        f"x-{key}={{}}",
        f"{key}-more={{}}",
        f" {key}={{}}",
        f"{key}=a={{}}",
        f"{key}",
        f"{key}={{}} ",
        f"note={key}={{}}",
    ]
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        form = random.choice(forms).format(random.choice(values))
        lines.insert(random.randrange(len(lines) + 1), form)
    return random.choice(["\n", "\n", "\n", "\r\n", "\r", "\x0b"]).join(lines) + "\n"


def vlc(metric: str) -> Cases:
    """A settings file of VLC, and the expected setting."""
    key, name, values = VLC[metric]

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from asked(metric, folder, APPS)
        while True:
            note, said = text_mutant(random, vlcrc(random, key, values), 0.7)
            wanted: Any = random.choice(["0", "1", *values])
            if wanted.isdigit() and random.random() < 0.6:
                wanted = int(wanted)
            if random.random() < 0.1:
                wanted = random.choice([None, True, False, 1.0, "x"])
            rules = {name: wanted}
            if metric == "check_qt_slider_colours":
                kind = random.choice(["match", "blackish", "blackish", "other"])
                rules = {"type": kind} | (rules if kind == "match" else {})
            path = stored(folder / "vlcrc", said, random)
            if random.random() < 0.05:
                note = f"the file {spoiled_text(random, path)}"
            yield Case(metric, path, rules, {}, note)

    return cases


GIMP = (
    '# GIMP gimprc\n#\n\n(undo-levels 100)\n(layer-new-name "Square")\n'
    '(theme "Dark") # x\n(session-info "toplevel" 1)\n(a)\n'
)


def gimp(random: Random, folder: Path) -> Iterator[Case]:
    """A settings file of GIMP, and the expected line."""
    yield from asked("check_config_status", folder, APPS)
    while True:
        note, said = text_mutant(random, GIMP, 0.4)
        if random.random() < 0.2:
            note, said = "an odd line", said + random.choice([" \n", ")\n", "(\n", "(x\n", "\t\n"])
        key, value = random.choice(
            [
                ("undo-levels", "100"),
                ("layer-new-name", '"Square"'),
                ("theme", "x"),
                ("a", "a"),
                ("undo-levels", "10"),
                (["session-info", '"toplevel"'], "1"),
                (["a", "b"], "b"),
                (["undo-levels", "100"], "100"),
                (["theme"], "x"),
                ("session-info", "1"),
            ]
        )
        said_more, rules = rare(random, {"key": key, "value": value})
        path = stored(folder / "gimprc", said, random)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("check_config_status", path, rules, {}, said_more or note)


SETTINGS = {
    "editor.fontSize": 14,
    "workbench.colorTheme": "Visual Studio Dark",
    "x": None,
    "on": True,
    "folders": [{"path": "project"}, {"path": "data1"}],
    "[python]": {"tab": 4, "deep": {"a": 1}},
}
BINDING = {"key": "ctrl+f", "command": "-list.find", "when": "listFocus"}


def loosened(random: Random, held: Any) -> tuple[str, str]:
    """The JSON of a value, as VS Code may write it."""
    said = json.dumps(held, indent=random.choice([None, 4]))
    match random.randrange(9):
        case 0:
            return "a comment first", f"// Place your key bindings in this file\n{said}"
        case 1:
            return "a comma at the end", said.replace("}", ",}")
        case 2:
            return "a comment inside", said.replace("{", "{ /* x */", 1)
        case 3:
            return text_mutant(random, said)
        case _:
            return "equal", said


def json_file(metric: str, made: Callable[[Random], tuple[Any, Any]]) -> Cases:
    """A JSON file, and its expected contents."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from asked(metric, folder, APPS)
        while True:
            held, wanted = made(random)
            first, held = value_mutant(random, held, 0.5)
            second, said = loosened(random, held)
            said_more, rules = rare(random, {"expected": wanted})
            path = stored(folder / "settings.json", said, random)
            note = said_more or f"{first}, {second}"
            if random.random() < 0.05:
                note = f"the file {spoiled_text(random, path)}"
            yield Case(metric, path, rules, {}, note)

    return cases


def settings(random: Random) -> tuple[Any, Any]:
    """Settings, and the expected ones."""
    wanted = {key: SETTINGS[key] for key in random.sample(list(SETTINGS), random.randint(0, 3))}
    return SETTINGS, wanted


def bindings(random: Random) -> tuple[Any, Any]:
    """Key bindings, and the expected one."""
    return random.choice([[BINDING], [{"key": "a"}, BINDING], [], [[BINDING]]]), BINDING


def configs(random: Random, folder: Path) -> Iterator[Case]:
    """A JSON or text file, and its expected contents."""
    yield from asked("compare_config", folder, APPS)
    while True:
        if random.random() < 0.6:
            held, part = settings(random)
            if random.random() < 0.3:
                part = {"[python]": random.choice([{"tab": 4}, {"deep": {}}, {"deep": {"a": 2}}])}
            if random.random() < 0.3:
                held = part
            first, held = value_mutant(random, held, 0.6)
            note, said = loosened(random, held)
            wanted = json.dumps(part) + random.choice(["", "\n"])
            note = f"{first}, {note}"
        else:
            wanted = random.choice(["project", "project\n", "1", '"a"', "", "[1]", "null"])
            note, said = text_mutant(random, random.choice([wanted, f"the {wanted}2", "[1, 2]"]))
        said_more, rules = rare(random, {"expected": wanted})
        options = {"containment_ok": random.choice([True, False])} if random.random() < 0.6 else {}
        path = stored(folder / "settings.json", said, random)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("compare_config", path, rules, options, said_more or note)


def extensions(random: Random, folder: Path) -> Iterator[Case]:
    """Listed extensions, and the expected one."""
    yield from asked("is_extension_installed", folder, APPS)
    names = ["ms-python.python", "njpwerner.autodocstring", "eamodio.gitlens"]
    while True:
        listed = "\n".join(random.sample(names, random.randint(0, 3))) + "\n"
        note, seen = text_mutant(random, listed, 0.4)
        rules = {
            "type": random.choice(["contain", "contain", "not_contain", "other"]),
            "expected": random.choice(names),
        }
        said, rules = rare(random, rules)
        given: Any = seen.split() if random.random() < 0.1 else seen
        yield Case("is_extension_installed", given, rules, {}, said or note)


STATUS = """<?xml version="1.0" encoding="utf-8" standalone="yes" ?>
<root>
<fullscreen>false</fullscreen>
<state>{state}</state>
<information>
<category name="meta">
{infos}</category>
<category name='Stream 0'><info name='Codec'>{codec}</info></category>
</information>
</root>
"""
STREAM = "https://example.org/videos/a%20b/master.m3u8"
NAMES = ["filename", "title", "uri", "location", "name", "url", "URI", "artist"]


def playing(random: Random, folder: Path) -> Iterator[Case]:
    """A status of VLC, and the file it should play."""
    yield from asked("is_vlc_playing", folder, APPS)
    said = [
        "Rick Astley.mp4",
        "aRick Astley.mp4",
        "file:///home/user/Rick Astley.mp4",
        "/Rick",
        STREAM,
        "master.m3u8",
        f"{STREAM}?x=1",
        "https://example.org/videos/a%20b/master.m3u8/2",
        "http://example.org/x",
        "Rick Astley.mp4 (1)",
        "rick astley.mp4",
        "",
        "C:\\\\Rick Astley.mp4",
    ]
    while True:
        infos = "".join(
            f"<info name='{random.choice(NAMES)}'>{random.choice(said)}</info>\n"
            for _ in range(random.choice([0, 1, 1, 2, 3]))
        )
        state = random.choice(["playing"] * 8 + ["paused", "stopped", " playing ", "Playing", ""])
        text = STATUS.format(state=state, infos=infos, codec=random.choice(["", STREAM, "h264"]))
        note, text = text_mutant(random, text, 0.8)
        rules = random.choice(
            [
                {"type": "file_name", "file_name": random.choice(["Rick Astley.mp4", "Rick", ""])},
                {"type": "url", "url": random.choice([STREAM, "example.org", "http://[x", ""])},
            ]
        )
        path = stored(folder / "status.xml", text, random)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("is_vlc_playing", path, rules, {}, note)


REASONS = {"another rule": REFUSED, "check_json_keybindings: the file is missing": REFUSED}
CASES: dict[str, Cases] = {
    **{name: vlc(name) for name in VLC},
    "check_config_status": gimp,
    "check_json_settings": json_file("check_json_settings", settings),
    "check_json_keybindings": json_file("check_json_keybindings", bindings),
    "compare_config": configs,
    "is_extension_installed": extensions,
    "is_vlc_playing": playing,
}
