"""OSWorld's metrics on settings files and VLC, with handwritten files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ambidex.evaluators.osworld.registry import bind_metric
from ambidex.evaluators.osworld.system.commented_json import without_comments
from tests.evaluators.osworld.asked import Case, agrees, file, judge, lacking, nowhere, of
from tests.support.tables import every_case

MODULES = ("app_settings", "vlc_settings", "vlc_player")

gimprc = of("check_config_status")
UNDO = {"type:": "key-value", "key": "undo-levels", "value": "100"}
THEME = {"key": ["theme", "dark"], "value": "yes"}
GIMP = [
    gimprc("right", "set", file("gimprc", "# GIMP\n\n(undo-levels 100)\n"), UNDO),
    gimprc("right", "two words", file("gimprc", "(theme dark (only yes))\n"), THEME),
    gimprc(
        "right", "quoted", file("gimprc", '(name "Square")\n'), {"key": "name", "value": '"Square"'}
    ),
    gimprc("near", "another value", file("gimprc", "(undo-levels 1000)\n"), UNDO),
    gimprc("near", "a comment", file("gimprc", "# (undo-levels 100)\n  \n)\n"), UNDO),
    gimprc("right", "below a blank line", file("gimprc", " \n(undo-levels 100)\n"), UNDO, 0, 1),
    gimprc("near", "one word", file("gimprc", "(theme)\n"), THEME),
    gimprc("broken", "no text", file("gimprc", b"\xff\xfe(undo-levels 100)"), UNDO),
    gimprc("broken", "missing", nowhere, UNDO),
]

json_settings = of("check_json_settings")
COLUMN = {"expected": {"editor.wordWrapColumn": 50, "files.exclude": {"**/__pycache__": True}}}
WRITTEN = '{"editor.wordWrapColumn": 50, "files.exclude": {"**/__pycache__": true}, "a": 1}'
NOTED = (
    '// mine\n{"editor.wordWrapColumn": 50, /* "//" */ "files.exclude": {"**/__pycache__": true,},}'
)
SETTINGS = [
    json_settings("right", "set", file("settings.json", WRITTEN), COLUMN),
    json_settings("right", "with comments", file("settings.json", NOTED), COLUMN, 0, 1),
    json_settings(
        "near", "another value", file("settings.json", WRITTEN.replace("50", "51")), COLUMN
    ),
    json_settings(
        "near", "one missing", file("settings.json", '{"editor.wordWrapColumn": 50}'), COLUMN
    ),
    json_settings("broken", "not JSON", file("settings.json", "{"), COLUMN),
    json_settings("broken", "a list", file("settings.json", "[]"), COLUMN),
    json_settings("broken", "deep", file("settings.json", "[" * 100_000), COLUMN),
]

keys = of("check_json_keybindings")
JUMP = {"expected": {"key": "ctrl+j", "command": "focus", "when": "terminalFocus"}}
BOUND = json.dumps([{"key": "ctrl+f", "command": "-find"}, JUMP["expected"]])
KEYS = [
    keys("right", "bound", file("keys.json", BOUND), JUMP),
    keys(
        "right",
        "below a comment",
        file("keys.json", f"// Place your key bindings here\n{BOUND}"),
        JUMP,
    ),
    keys("right", "two comments", file("keys.json", f"// a\n// b\n{BOUND}"), JUMP, 0, 1),
    keys(
        "near", "elsewhere", file("keys.json", BOUND.replace("terminalFocus", "editorFocus")), JUMP
    ),
    keys("broken", "no list", file("keys.json", json.dumps(JUMP["expected"])), JUMP),
    keys("broken", "not JSON", file("keys.json", "key = ctrl+j"), JUMP),
]

config = of("compare_config")
DARK = {"expected": '{"workbench.colorTheme": "Visual Studio Dark"}\n'}
CONFIG = [
    config(
        "right",
        "one of several",
        file("a", '{"workbench.colorTheme": "Visual Studio Dark", "b": 1}'),
        DARK,
        containment_ok=True,
    ),
    config(
        "right",
        "with a comment",
        file("a", '{"workbench.colorTheme": "Visual Studio Dark" /* */}'),
        DARK,
        0,
        1,
    ),
    config(
        "near",
        "and more",
        file("a", '{"workbench.colorTheme": "Visual Studio Dark", "b": 1}'),
        DARK,
        containment_ok=False,
    ),
    config("near", "another", file("a", '{"workbench.colorTheme": "Dark"}'), DARK),
    config("right", "a text", file("a", "project\n"), {"expected": "project"}),
    config("right", "a path", file("a", "/home/user/project"), {"expected": "project"}),
    config("near", "a longer name", file("a", "project2"), {"expected": "project"}, 1, 0),
    config(
        "near",
        "more text",
        file("a", "project and more"),
        {"expected": "project"},
        containment_ok=False,
    ),
    config("broken", "missing", nowhere, DARK),
]

listing = of("is_extension_installed")
PYTHON = {"type": "contain", "expected": "ms-python.python"}
LISTINGS = [
    listing("right", "installed", "a.b\nms-python.python\n", PYTHON),
    listing("right", "with its version", "ms-python.python@2024.1\n", PYTHON),
    listing(
        "right", "not installed", "a.b\n", {"type": "not_contain", "expected": "ms-python.python"}
    ),
    listing("near", "a longer name", "ms-python.python-preview\n", PYTHON, 1, 0),
    listing(
        "near",
        "still installed",
        "ms-python.python\n",
        {"type": "not_contain", "expected": "ms-python.python"},
    ),
    listing("broken", "no text", ["ms-python.python"], PYTHON, 1, 0),
    listing("broken", "nothing", None, PYTHON),
]


def registry(path: str, **values: object) -> Callable[[Path], Path]:
    """LibreOffice's own settings file."""
    items = "".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{value}</value></prop></item>"
        for name, value in values.items()
    )
    return file(
        "registrymodifications.xcu",
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>',
    )


START, SAVE = (
    "/org.openoffice.Office.Impress/Misc/Start",
    "/org.openoffice.Office.Common/Save/Document",
)
BOMB = file("a.xcu", '<!DOCTYPE a [<!ENTITY b "false">]><a>&b;</a>')
presenter, saving = of("check_presenter_console_disable"), of("check_auto_saving_time")
OFFICE = [
    presenter("right", "off", registry(START, EnablePresenterScreen="false")),
    presenter("near", "on", registry(START, EnablePresenterScreen="true")),
    presenter("near", "elsewhere", registry(SAVE, EnablePresenterScreen="false")),
    presenter("broken", "no XML", file("a.xcu", "EnablePresenterScreen=false")),
    presenter("broken", "a document type", BOMB),
    saving("right", "three", registry(SAVE, AutoSaveTimeIntervall=3), {"minutes": 3}),
    saving(
        "right",
        "three and on",
        registry(SAVE, AutoSave="true", AutoSaveTimeIntervall=3),
        {"minutes": 3},
    ),
    saving("near", "thirty", registry(SAVE, AutoSaveTimeIntervall=30), {"minutes": 3}),
    saving(
        "near",
        "three, switched off",
        registry(SAVE, AutoSave="false", AutoSaveTimeIntervall=3),
        {"minutes": 3},
        1,
        0,
    ),
    saving("broken", "no number", registry(SAVE, AutoSaveTimeIntervall="soon"), {"minutes": 3}),
    saving("broken", "no XML", file("a.xcu", ""), {"minutes": 3}),
]


def vlcrc(*lines: str) -> Callable[[Path], Path]:
    return file("vlcrc", "\n".join(("[core]", "", *lines, "")))


def vlc_key(metric: str, key: str, rule: str, set_to: str, target: int, default: int) -> list[Case]:
    """Cases of a metric on one number of VLC's settings."""
    case = of(metric)
    return [
        case("right", "set", vlcrc(f"{key}={set_to}"), {rule: target}),
        case("right", "as text", vlcrc(f"{key}={set_to}"), {rule: str(target)}),
        case("right", "its default", vlcrc("[qt]"), {rule: default}),
        case(
            "right",
            "a longer key after it",
            vlcrc(f"{key}={set_to}", f"more-{key}=9"),
            {rule: target},
            1 if metric == "check_global_key_play_pause" else 0,
            1,
        ),
        case("near", "another value", vlcrc(f"{key}={set_to}"), {rule: target + 1}),
        case("near", "in a comment", vlcrc(f"#{key}={set_to}"), {rule: target}, 1, 0),
        case("broken", "no text", file("vlcrc", b"\xff\xfe"), {rule: target}),
    ]


recordings = of("is_vlc_recordings_folder")
DESKTOP = {"recording_file_path": "/home/user/Desktop"}
VLCRC = [
    recordings("right", "set", vlcrc("input-record-path=/home/user/Desktop"), DESKTOP),
    recordings("near", "below it", vlcrc("input-record-path=/home/user/Desktop/a"), DESKTOP),
    recordings(
        "right",
        "set twice",
        vlcrc("input-record-path=/a\ninput-record-path=/home/user/Desktop"),
        DESKTOP,
        0,
        1,
    ),
    recordings("near", "in a comment", vlcrc("#input-record-path=/home/user/Desktop"), DESKTOP),
    recordings("broken", "missing", nowhere, DESKTOP),
    *vlc_key("check_qt_bgcone", "qt-bgcone", "expected_qt_bgcone", "0", 0, 1),
    *vlc_key("check_qt_max_volume", "qt-max-volume", "expected_qt_max_volume", "200", 200, 125),
    *vlc_key("check_qt_minimal_view", "qt-minimal-view", "expected_qt_minimal_view", "1", 1, 0),
    *vlc_key("check_play_and_exit", "play-and-exit", "expected_play_and_exit", "1", 1, 0),
    *vlc_key(
        "check_global_key_play_pause",
        "global-key-play-pause",
        "expected_global_key_play_pause",
        "Ctrl+P",
        1,
        0,
    ),
    *vlc_key(
        "check_one_instance_when_started_from_file",
        "one-instance-when-started-from-file",
        "expected_one_instance_when_started_from_file",
        "0",
        0,
        1,
    ),
]

slider = of("check_qt_slider_colours")
BLACKISH, MATCH = {"type": "blackish"}, {"type": "match", "expected_qt_slider_colours": "1;2;3"}
SLIDER = [
    slider("right", "dark", vlcrc("qt-slider-colours=1;2;3;99;0;0"), BLACKISH),
    slider("right", "equal", vlcrc("qt-slider-colours=1;2;3"), MATCH),
    slider("near", "one light", vlcrc("qt-slider-colours=1;2;3;100;0;0"), BLACKISH),
    slider("near", "default", vlcrc(), BLACKISH),
    slider("near", "in a comment", vlcrc("#qt-slider-colours=1;2;3"), BLACKISH, 1, 0),
    slider("near", "another", vlcrc("qt-slider-colours=1;2;4"), MATCH),
    slider("broken", "no numbers", vlcrc("qt-slider-colours=black"), BLACKISH),
]


def status(state: str, **infos: str) -> Callable[[Path], Path]:
    """The status page of VLC's web interface."""
    meta = "".join(f"<info name='{name}'>{value}</info>" for name, value in infos.items())
    return file(
        "status.xml",
        f"<?xml version='1.0' encoding='utf-8' standalone='yes' ?><root><state>{state}</state>"
        f"<information><category name='meta'>{meta}</category></information></root>",
    )


playing, full = of("is_vlc_playing"), of("is_vlc_fullscreen")
CLIP = {"type": "file_name", "file_name": "b.mp4"}
STREAM = {"type": "url", "url": "https://a.example/videos/master.m3u8"}
WIDE, SMALL = {"width": 1920, "height": 1080}, {"width": 1920, "height": 1016}
PLAYER = [
    playing("right", "the file", status("playing", filename="b.mp4"), CLIP),
    playing("right", "its path", status("playing", filename="/home/user/b.mp4"), CLIP),
    playing(
        "right", "the stream", status("playing", url="https://a.example/videos/master.m3u8"), STREAM
    ),
    playing("right", "its name", status("playing", filename="master.m3u8"), STREAM),
    playing("near", "paused", status("paused", filename="b.mp4"), CLIP),
    playing("near", "a longer name", status("playing", filename="ab.mp4"), CLIP, 1, 0),
    playing("near", "another stream", status("playing", url="https://a.example/c.m3u8"), STREAM),
    playing("broken", "no XML", file("status.xml", "playing b.mp4"), CLIP),
    playing("broken", "no state", file("status.xml", "<root/>"), CLIP),
    full("right", "as large", WIDE, dict(WIDE)),
    full("near", "a bar", SMALL, WIDE),
    full("broken", "no size", {}, {}),
    full("broken", "no window", WIDE, None),
]

CASES = [
    *GIMP, *SETTINGS, *KEYS, *CONFIG, *LISTINGS, *OFFICE, *VLCRC, *SLIDER, *PLAYER,
]  # fmt: skip


@judge(CASES)
def test_the_verdicts_on_applications(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_applications_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


@every_case(
    ("metric", "rule"),
    [
        ("check_config_status", {"key": "a"}),
        ("check_json_settings", {"expected": "a"}),
        ("is_extension_installed", {"type": "is", "expected": "a"}),
        ("check_qt_bgcone", {}),
        ("is_vlc_playing", {"type": "url", "file_name": "a"}),
    ],
)
def test_a_malformed_rule_is_refused_at_load(metric: str, rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=metric):
        bind_metric(metric, {}).check_expected(rule)


Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\/*, ]}\n', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text('a"/*,]', max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(Json, st.sampled_from(["", "// x, ]\n", "/* y // */"]))
def test_comments_and_trailing_commas_do_not_change_the_value(value: object, comment: str) -> None:
    written = json.dumps([value], indent=1)
    noted = comment + written[:-1] + comment + "," + comment + "]" + comment
    assert json.loads(without_comments(noted)) == [value]
    assert json.loads(without_comments(written)) == [value]
