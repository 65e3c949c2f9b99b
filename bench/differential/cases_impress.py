"""Cases of the metrics on Impress' settings and window, and on stretched pictures."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from pptx import Presentation
from pptx.util import Cm, Inches

from ambidex.evaluators.osworld import Value
from bench.differential import NO_FILE, NOTHING, Case, Cases
from bench.differential.cases_slides import picture, saved
from bench.differential.packings import spoiled

OOR = "http://openoffice.org/2001/registry"


def settings(metric: str, path: str, name: str, values: list[str | None], ask: Any) -> Cases:
    """Cases of a metric on LibreOffice's settings."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        while True:
            items = []
            for _ in range(random.choice([0, 1, 1, 1, 2])):
                props = "".join(
                    f'<prop oor:name="{random.choice([name, name, name, "Other"])}" oor:op="fuse">'
                    f"{'' if value is None else f'<value>{value}</value>'}</prop>"
                    for value in (random.choice(values) for _ in range(random.choice([1, 1, 2])))
                )
                where = random.choice([path, path, path, f"{path}/More", "/org.x"])
                items.append(f'<item oor:path="{where}">{props}</item>')
            file = folder / "registrymodifications.xcu"
            root = random.choice(["oor:items", "oor:items", "items"])
            nested = "".join(items)
            if random.random() < 0.1:
                nested = f"<group>{nested}</group>"
            file.write_text(
                f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns:oor="{OOR}">{nested}</{root}>'
            )
            note = f"{len(items)} items"
            result: Value = file
            if random.random() < 0.06:
                note = f"the result {spoiled(random, file)}"
            elif random.random() < 0.03:
                result, note = None, "no result"
            yield Case(metric, result, ask(random), {}, note)

    return cases


def panels(random: Random, folder: Path) -> Iterator[Case]:
    """Accessibility trees with and without the panel."""
    while True:
        name = random.choice(["Slides View", "slides view", "Slides View ", "Notes View"])
        tag = random.choice(["document-frame", "document-frame", "panel", "x:document-frame"])
        inner = f'<{tag} name="{name}"/>'
        tree = f'<desktop-frame xmlns:x="u"><application>{inner}</application></desktop-frame>'
        trees: list[str | None] = [tree, tree, tree, "", "<a", inner.replace("x:", ""), None]
        yield Case("check_left_panel", random.choice(trees), NOTHING, {}, f"{tag} {name!r}")


def stretched(random: Random, folder: Path) -> Iterator[Case]:
    """A picture that fills the slide, or nearly."""
    while True:
        made = Presentation()
        slide = made.slides.add_slide(made.slide_layouts[6])
        shown = slide.shapes.add_picture(io.BytesIO(picture("navy")), 0, 0, Cm(3), Cm(3))
        if random.random() < 0.2:
            shown._element.getparent().remove(shown._element)
        expected = saved(made, folder / "expected.pptx")
        off = [Inches(random.choice([0, 0, 0, 0.4, 0.5, 0.6, -0.6])) for _ in range(4)]
        made = Presentation(str(expected))
        shapes = made.slides[0].shapes
        note = "no picture"
        if len(shapes):
            shown = shapes[0]
            note = f"off by {[each.inches for each in off]}"
            shown.left, shown.top = off[0], off[1]
            assert made.slide_width is not None
            assert made.slide_height is not None
            shown.width, shown.height = made.slide_width + off[2], made.slide_height + off[3]
        if random.random() < 0.3:
            note += ", another picture"
            shapes.add_picture(io.BytesIO(picture(random.choice(["red", "navy"]))), 0, 0)
        if random.random() < 0.05:
            made = Presentation()
        result = saved(made, folder / "result.pptx")
        if random.random() < 0.05:
            note = f"the result {spoiled(random, result)}"
        given = random.choice([expected] * 20 + [NO_FILE, NOTHING])
        yield Case("check_image_stretch_and_center", result, given, {}, note)


CASES: dict[str, Cases] = {
    "check_image_stretch_and_center": stretched,
    "check_presenter_console_disable": settings(
        "check_presenter_console_disable",
        "/org.openoffice.Office.Impress/Misc/Start",
        "EnablePresenterScreen",
        ["false", "true", "False", " false", "", None],
        lambda _: NOTHING,
    ),
    "check_auto_saving_time": settings(
        "check_auto_saving_time",
        "/org.openoffice.Office.Common/Save/Document",
        "AutoSaveTimeIntervall",
        ["3", "3", "5", " 3\n", "+3", "03", "3.0", "x", "", None],
        lambda random: {"minutes": random.choice([3, 3, 5, 3.0, "3", None])},
    ),
    "check_left_panel": panels,
}
