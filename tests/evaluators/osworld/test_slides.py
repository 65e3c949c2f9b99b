"""OSWorld's metrics on slides, with decks by python-pptx and handwritten markup."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree
from pptx import Presentation
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.util import Inches

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.asked import Case, agrees, file, judge, lacking, nowhere, of
from tests.evaluators.osworld.decks import (
    DISSOLVE,
    RED,
    Deck,
    P,
    changing,
    deck,
    ground,
    image,
    number,
    put,
    titles,
)

MODULES = ("slides",)


W, H = Inches(10), Inches(7.5)
stretch = of("check_image_stretch_and_center")


def photos(
    colour: str, left: int, top: int, width: int, height: int, name: str = "result.pptx"
) -> Callable[[Path], Path]:
    """A deck of one slide with one picture."""

    def edit(deck: Deck) -> None:
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        slide.shapes.add_picture(image(colour), left, top, width, height)

    return deck(edit, name=name, of=Presentation)


SMALL = photos("navy", Inches(1), Inches(1), Inches(2), Inches(1), "gold.pptx")
STRETCHED = [
    stretch("right", "filled", photos("navy", 0, 0, W, H), SMALL),
    stretch("right", "nearly", photos("navy", Inches(0.2), 0, W - Inches(0.4), H), SMALL),
    stretch("near", "half an inch off", photos("navy", Inches(0.6), 0, W, H), SMALL),
    stretch("near", "as it was", photos("navy", Inches(1), Inches(1), Inches(2), Inches(1)), SMALL),
    stretch("near", "another picture", photos("red", 0, 0, W, H), SMALL),
    stretch(
        "near",
        "no picture before",
        photos("navy", 0, 0, W, H),
        deck(lambda d: d.slides.add_slide(d.slide_layouts[6]), name="gold.pptx", of=Presentation),
    ),
    stretch("broken", "no slide", deck(of=Presentation), SMALL),
    stretch("broken", "no package", file("a.pptx", b""), SMALL),
]

portrait = of("check_slide_orientation_Portrait")
PORTRAIT = [
    portrait("right", "higher", deck(put(lambda d: d, slide_width=H, slide_height=W))),
    portrait("near", "wider", deck()),
    portrait("near", "square", deck(put(lambda d: d, slide_width=H))),
    portrait("broken", "no package", file("a.pptx", b"")),
]


def swapped(made: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """The same file with its first two slides swapped in order."""

    def edited(folder: Path) -> Path:
        path = made(folder)
        with zipfile.ZipFile(path) as archive:
            members = {item: archive.read(item) for item in archive.namelist()}
        root = etree.fromstring(members["ppt/presentation.xml"])
        displayed = root.find(f"{{{P}}}sldIdLst")
        assert displayed is not None
        displayed.insert(0, displayed[1])
        members["ppt/presentation.xml"] = etree.tostring(root)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return path

    return edited


transition = of("check_transition")
TRANSITIONS = [
    transition("right", "there", deck(changing(0, "<p:dissolve/>")), DISSOLVE),
    transition("right", "shown first", swapped(deck(changing(1, "<p:dissolve/>"))), DISSOLVE, 0, 1),
    transition("near", "shown next", swapped(deck(changing(0, "<p:dissolve/>"))), DISSOLVE, 1, 0),
    transition("near", "another", deck(changing(0, "<p:fade/>")), DISSOLVE),
    transition("near", "on another slide", deck(changing(1, "<p:dissolve/>")), DISSOLVE),
    transition("near", "on no slide", deck(), {"slide_idx": 7, "transition_type": "dissolve"}),
    transition("broken", "missing", nowhere, DISSOLVE),
]


numbers = of("check_page_number_colors")
NUMBERS = [
    numbers("right", "red", deck(number("C9211E")), {"color": "red"}),
    numbers("right", "black", deck(number("101010")), {"color": "black"}),
    numbers("near", "orange", deck(number("FFD000")), {"color": "red"}),
    numbers("near", "blue", deck(number("0000FF"), titles(RED)), {"color": "red"}),
    numbers("near", "a red title", deck(titles(RED)), {"color": "red"}, 1, 0),
    numbers("broken", "no package", file("a.pptx", b""), {"color": "red"}),
]

BLUE = {"rgb": [0, 0, 255], "original_rgb": [255, 255, 255]}
fill = of("evaluate_presentation_fill_to_rgb_distance")
FILLED = [
    fill("right", "all", deck(*(ground(each, "0000FF") for each in range(3))), BLUE),
    fill("near", "two of three", deck(ground(0, "0000FF"), ground(1, "0000FF")), BLUE, 2 / 3),
    fill("near", "none", deck(), BLUE),
    fill("near", "as it was", deck(*(ground(each, "FFFFFF") for each in range(3))), BLUE),
    fill("near", "black", deck(*(ground(each, "000000") for each in range(3))), BLUE, 1 - 3**-0.5),
    fill(
        "right",
        "of the theme",
        deck(*(ground(each, MSO_THEME_COLOR.ACCENT_1) for each in range(3))),
        {"rgb": [0x4F, 0x81, 0xBD]},
        0,
        1,
    ),
    fill("broken", "no slide", deck(of=Presentation), BLUE),
    fill("broken", "no package", file("a.pptx", b""), BLUE),
]

CASES = [*STRETCHED, *PORTRAIT, *TRANSITIONS, *NUMBERS, *FILLED]


@judge(CASES)
def test_the_verdicts_on_slides(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_slides_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


@pytest.mark.parametrize(
    ("metric", "rule"),
    [
        ("check_transition", {"slide_idx": 0, "transition_type": "fade] | //x"}),
        ("evaluate_presentation_fill_to_rgb_distance", {"rgb": [0, 0]}),
    ],
)
def test_a_malformed_rule_is_refused_at_load(metric: str, rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=metric):
        bind_metric(metric, {}).check_expected(rule)
