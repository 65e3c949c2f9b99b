"""Evaluators of files, printed output, VLC and pictures."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from ambidex.evaluators import Score

Judge = Callable[..., Score]


def test_a_collected_file_exists_and_is_not_absent(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert judge("files.exists", file="a").value == 1
    assert judge("files.absent", file="a").value == 0
    assert judge("files.exists", file="b").value == 0
    assert judge("files.absent", file="b").value == 1


def test_blanks_at_line_ends_count_only_with_exact(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("eins \nдва\n\n")
    assert judge("files.text_equals", file="a", text="eins\nдва").value == 1
    assert judge("files.text_equals", file="a", text="eins\nдва", exact=True).value == 0
    assert judge("files.text_equals", file="a", text="eins два").value == 0


def test_contained_texts_must_occur_and_absent_ones_must_not(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("eins zwei")
    assert judge("files.text_contains", file="a", texts=["eins", "zwei"]).value == 1
    assert judge("files.text_contains", file="a", texts=["eins", "drei"]).value == 0
    assert judge("files.text_contains", file="a", texts=["eins"], absent=["zwei"]).value == 0


def test_bytes_are_compared_with_a_file_of_the_task(judge: Judge, tmp_path: Path) -> None:
    for name, content in (("a", b"1"), ("expected", b"1"), ("other", b"2")):
        (tmp_path / name).write_bytes(content)
    assert judge("files.same_bytes", file="a", expected="expected").value == 1
    assert judge("files.same_bytes", file="a", expected="other").value == 0


def test_a_listing_must_be_complete_and_contain_nothing_else(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("b/c.txt\na.txt\n")
    assert judge("files.listing_equals", file="a", paths=["a.txt", "b/c.txt"]).value == 1
    assert judge("files.listing_equals", file="a", paths=["a.txt"]).value == 0
    assert judge("files.listing_equals", file="a", paths=["a.txt"], ignore=["b/c.txt"]).value == 1
    assert judge("files.listing_equals", file="a", paths=["a.txt", "b/c.txt", "d"]).value == 0


@pytest.mark.parametrize(
    ("printed", "value", "right"),
    [
        ("'prefer-dark'\n", "prefer-dark", True),
        ("'prefer-dark'\n", "default", False),
        ("true", True, True),
        ("'true'", True, False),
        ("1", True, False),
        ("uint32 300", 300, True),
        ("uint32 300", 301, False),
        ("-1.5", -1.5, True),
        ("['us', 'de']", ["us", "de"], True),
        ("['us']", ["us", "de"], False),
        ("@as []", [], True),
        ("[('xkb', 'us')]", ["xkb"], False),
        ("No such schema “x”", "x", False),
        ("__import__('os')", "x", False),
        ("(" * 5000, "x", False),
    ],
)
def test_a_setting_is_compared_by_its_printed_value(
    judge: Judge, tmp_path: Path, printed: str, value: object, right: bool
) -> None:
    (tmp_path / "a").write_text(printed)
    assert judge("output.setting_equals", file="a", value=value).value == right


def test_json_fields_are_found_by_path_and_compared_by_type(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(json.dumps({"a": [{"b": 1, "c": "1"}], "d": None}))
    assert judge("output.json_fields_equal", file="a", fields={"a.0.b": 1, "a.0.c": "1"}).value == 1
    for fields in ({"a.0.b": "1"}, {"a.0.b": True}, {"a.1.b": 1}, {"a.b": 1}, {"d": 0}):
        assert judge("output.json_fields_equal", file="a", fields=fields).value == 0


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('{"a.b": [1, 2], "c": true}', True),
        ('// ours\n{"c": true, /* one, two */ "a.b": [1, 2,],\n}', True),
        ('{"a.b": [1, 2], "c": "// no comment, }"}', True),
        ('{"a.b": [2, 1], "c": true}', False),
        ('{"a.b": [1, 2], "c": 1}', False),
        ('{"a.b": [1, 2], "c": true, "d": 0}', False),
        ('{"a.b": [1, 2], "c": "// no comment }"}', False),
        ('{"a.b": [1, 2], "c": true', False),
    ],
)
def test_json_with_comments_is_compared_as_a_whole(
    judge: Judge, tmp_path: Path, text: str, right: bool
) -> None:
    (tmp_path / "a").write_text(text)
    values = [{"c": True, "a.b": [1, 2]}, {"c": "// no comment, }", "a.b": [1, 2]}]
    assert judge("output.json_equals", file="a", one_of=values).value == right


def test_only_given_properties_of_the_player_are_compared(judge: Judge, tmp_path: Path) -> None:
    properties = {
        "PlaybackStatus": {"type": "s", "data": "Playing"},
        "Volume": {"type": "d", "data": 0.601},
        "LoopStatus": {"type": "s", "data": "None"},
        "Metadata": {
            "type": "a{sv}",
            "data": {"xesam:url": {"type": "s", "data": "file:///home/user/K%C3%B6ln%20am.ogg"}},
        },
    }
    (tmp_path / "a").write_text(json.dumps({"type": "a{sv}", "data": [properties]}))
    right = {"state": "Playing", "media": "Köln am.ogg", "volume": 0.6, "loop": "None"}
    assert judge("vlc.player_is", file="a", **right).value == 1
    near = {"state": "Paused", "media": "am.ogg", "volume": 0.7, "loop": "Track", "shuffle": True}
    for key, value in near.items():
        assert judge("vlc.player_is", file="a", **(right | {key: value})).value == 0


def test_pictures_are_similar_after_scaling_but_not_in_another_colour_or_shape(
    judge: Judge, tmp_path: Path
) -> None:
    def draw(name: str, color: str, size: tuple[int, int] = (200, 100)) -> None:
        image = Image.new("RGB", size, "white")
        box = (size[0] // 4, size[1] // 4, size[0] // 2, size[1] // 2)
        ImageDraw.Draw(image).rectangle(box, fill=color)
        image.save(tmp_path / name)

    draw("expected.png", "navy")
    draw("same.png", "navy")
    draw("larger.jpg", "navy", (400, 200))
    draw("red.png", "darkred")
    draw("square.png", "navy", (200, 200))
    actual = {
        name: judge("image.similar", file=name, expected="expected.png").value
        for name in ("same.png", "larger.jpg", "red.png", "square.png")
    }
    assert actual == {"same.png": 1, "larger.jpg": 1, "red.png": 0, "square.png": 0}
    assert judge("image.size_equals", file="larger.jpg", width=400, height=200).value == 1
    assert judge("image.size_equals", file="larger.jpg", width=200, height=400).value == 0


def test_a_smaller_picture_is_found_only_if_it_occurs(judge: Judge, tmp_path: Path) -> None:
    image = Image.effect_noise((120, 80), 90).convert("RGB")
    image.save(tmp_path / "a.png")
    image.crop((40, 20, 60, 50)).save(tmp_path / "part.png")
    image.crop((40, 20, 60, 50)).rotate(180).save(tmp_path / "other.png")
    assert judge("image.shows", file="a.png", part="part.png").value == 1
    assert judge("image.shows", file="a.png", part="other.png").value == 0
