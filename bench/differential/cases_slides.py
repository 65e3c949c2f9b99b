"""Cases of the metrics on presentations."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.enum.text import MSO_UNDERLINE, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Cm, Emu, Inches, Pt

from ambidex.evaluators.osworld import Value
from bench.differential import NO_FILE, NOTHING, Case, Cases, Given
from bench.differential.packings import spoiled

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
WORDS = ["Plan", "Product Comparison", "Elaborate on what you want to discuss.", "One", "two", "",
         " ", "Ann\nBo", "é"]  # fmt: skip
SWITCHES = [
    "number_of_slides", "shape", "text", "indent", "font_name", "font_size", "font_bold",
    "font_italic", "color_rgb", "font_underline", "strike_through", "alignment", "run_count",
    "bullets", "background_color", "note",
]  # fmt: skip
MOVES = ["title_bottom_position", "table_bottom_position", "right_position", "top_position",
         "shape_for_shift_size", "image_size", "modify_height"]  # fmt: skip
TASKS: list[dict[str, Any]] = [
    {}, {"examine_shape": False}, {"examine_bullets": False},
    {"examine_shape": False, "examine_modify_height": True},
    {"examine_shape": False, "examine_right_position": True},
    {"examine_shape": False, "examine_top_position": True},
    {"examine_shape": False, "examine_title_bottom_position": True},
    {"examine_shape": False, "examine_table_bottom_position": True},
    {"examine_shape": False, "examine_image_size": True},
    {"examine_shape": False, "examine_shape_for_shift_size": True},
    {"examine_number_of_slides": False}, {"examine_alignment": False}, {"examine_text": False},
    {"examine_font_name": False, "examine_font_size": False}, {"approximately_tolerance": 0.05},
]  # fmt: skip


@cache
def picture(colour: str) -> bytes:
    """A small picture."""
    content = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(content, "PNG")
    return content.getvalue()


def deck(random: Random) -> Any:
    """A few slides with texts, pictures, a table, a group."""
    made = Presentation()
    for number in range(random.choice([1, 2, 3, 3])):
        slide = made.slides.add_slide(made.slide_layouts[random.choice([1, 5, 6])])
        for shape in slide.placeholders:
            if shape.has_text_frame and random.random() < 0.8:
                _write(random, shape.text_frame)
        for _ in range(random.choice([0, 1, 1, 2])):
            _shape(random, slide, number)
        if random.random() < 0.4:
            slide.notes_slide.notes_text_frame.text = random.choice(["Say hello", "", "x "])
        if random.random() < 0.3:
            _ground(random, slide)
    return made


def _shape(random: Random, slide: Any, number: int) -> None:
    at = [Cm(random.choice([0, 2, 8, 13])) for _ in range(2)]
    size = [Cm(random.choice([3, 4, 10])) for _ in range(2)]
    kind = random.choice(["box", "box", "picture", "table", "group", "line", "form", "freeform"])
    if kind == "table" or (number == 2 and random.random() < 0.3):
        table = slide.shapes.add_table(2, 2, *at, *size).table
        for cell in table.iter_cells():
            _write(random, cell.text_frame)
    elif kind == "picture":
        slide.shapes.add_picture(io.BytesIO(picture(random.choice(["navy", "red"]))), *at, *size)
    elif kind == "group":
        group = slide.shapes.add_group_shape()
        _write(random, group.shapes.add_textbox(*at, *size).text_frame)
    elif kind == "line":
        slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, *at, *size)
    elif kind == "form":
        _write(random, slide.shapes.add_shape(MSO_SHAPE.OVAL, *at, *size).text_frame)
    elif kind == "freeform":
        builder = slide.shapes.build_freeform(*at)
        builder.add_line_segments([(Cm(5), Cm(5)), (Cm(9), Cm(2))])
        builder.convert_to_shape()
    else:
        _write(random, slide.shapes.add_textbox(*at, *size).text_frame)


def _write(random: Random, frame: Any) -> None:
    frame.text = random.choice(WORDS)
    for _ in range(random.choice([0, 0, 1])):
        frame.add_paragraph().text = random.choice(WORDS)
    for paragraph in frame.paragraphs:
        if random.random() < 0.3:
            paragraph.add_run().text = random.choice(["more", "", " "])
        for run in paragraph.runs:
            for _ in range(random.choice([0, 0, 1])):
                _dress(random, run)


def _dress(random: Random, run: Any) -> None:
    font = run.font
    match random.randrange(8):
        case 0:
            font.bold = random.choice([True, False, None])
        case 1:
            font.italic = random.choice([True, False, None])
        case 2:
            font.underline = random.choice([True, False, None, MSO_UNDERLINE.DOUBLE_LINE])
        case 3:
            font.size = random.choice([Pt(12), Pt(20), None])
        case 4:
            font.name = random.choice(["Arial", "Liberation Sans", None])
        case 5:
            font.color.rgb = random.choice([RGBColor(255, 0, 0), RGBColor(0, 0, 255)])
        case 6:
            font.color.theme_color = random.choice(
                [MSO_THEME_COLOR.ACCENT_1, MSO_THEME_COLOR.ACCENT_2]
            )
        case _:
            font._element.set("strike", random.choice(["sngStrike", "noStrike", "dblStrike"]))


def _ground(random: Random, slide: Any) -> None:
    fill = random.choice([slide, slide.slide_layout.slide_master]).background.fill
    if random.random() < 0.2:
        fill.gradient()
        return
    fill.solid()
    if random.random() < 0.2:
        fill.fore_color.theme_color = MSO_THEME_COLOR.ACCENT_1
    else:
        fill.fore_color.rgb = random.choice([RGBColor(255, 0, 0), RGBColor(0, 255, 0)])


def _paragraphs(made: Any) -> list[Any]:
    return [
        paragraph
        for slide in made.slides
        for shape in slide.shapes
        if shape.has_text_frame
        for paragraph in shape.text_frame.paragraphs
    ]


def _shapes(made: Any) -> list[Any]:
    return [shape for slide in made.slides for shape in slide.shapes]


def edit(random: Random, made: Any) -> str:
    """Make a small change, and return its name."""
    paragraphs, shapes = _paragraphs(made), _shapes(made)
    runs = [run for each in paragraphs for run in each.runs]
    tables = [each.table for each in shapes if each.has_table]
    edits: dict[str, Callable[[], object]] = {"nothing": lambda: None}
    if runs:
        run = random.choice(runs)
        edits["the look of a run"] = lambda: _dress(random, run)
        edits["the text of a run"] = lambda: setattr(run, "text", random.choice(["new", " ", ""]))
    if paragraphs:
        paragraph = random.choice(paragraphs)
        edits["the level"] = lambda: setattr(paragraph, "level", random.choice([0, 1, 2]))
        edits["the alignment"] = lambda: setattr(
            paragraph, "alignment", random.choice([None, PP_ALIGN.LEFT, PP_ALIGN.CENTER])
        )
        edits["an empty run"] = lambda: setattr(paragraph.add_run(), "text", "")
        edits["a bullet"] = lambda: _bullet(random, paragraph)
    if shapes:
        shape = random.choice(shapes)
        side = random.choice(["left", "top", "width", "height"])
        edits["a place"] = lambda: setattr(
            shape,
            side,
            Emu(int((getattr(shape, side) or 0) * random.choice([1.001, 1.004, 1.02, 2]))),
        )
        edits["a place far away"] = lambda: setattr(shape, side, Cm(random.choice([0, 11, 13, 20])))
        edits["one shape fewer"] = lambda: shape._element.getparent().remove(shape._element)
        if shape.has_text_frame:
            edits["another paragraph"] = lambda: setattr(
                shape.text_frame.add_paragraph(), "text", random.choice(["", "new"])
            )
    if tables:
        cell = random.choice(list(random.choice(tables).iter_cells()))
        edits["a cell"] = lambda: _write(random, cell.text_frame)
    if len(made.slides):
        slide = random.choice(list(made.slides))
        edits["the background"] = lambda: _ground(random, slide)
        edits["the notes"] = lambda: setattr(
            slide.notes_slide.notes_text_frame, "text", random.choice(["other", "", " "])
        )
        edits["another shape"] = lambda: _shape(random, slide, 1)
        edits["no place for notes"] = lambda: _without_notes(slide)
    edits["another slide"] = lambda: made.slides.add_slide(made.slide_layouts[6])
    note = random.choice(list(edits))
    edits[note]()
    return note


def _without_notes(slide: Any) -> None:
    frame = slide.notes_slide.notes_placeholder
    if frame is not None:
        frame._element.getparent().remove(frame._element)


def _bullet(random: Random, paragraph: Any) -> None:
    properties = paragraph._p.get_or_add_pPr()
    for each in properties.findall(f"{{{A}}}buChar"):
        properties.remove(each)
    if random.random() < 0.8:
        mark = random.choice(["-", "*"])
        properties.append(parse_xml(f'<a:buChar xmlns:a="{A}" char="{mark}"/>'))


def saved(made: Any, path: Path) -> Path:
    """The file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.save(path)
    return path


def decks(random: Random, folder: Path) -> Iterator[Case]:
    """Two presentations that differ in one or two small things."""
    while True:
        made = deck(random)
        expected = saved(made, folder / "expected.pptx")
        if random.random() < 0.9:
            made = Presentation(str(expected))
        notes = [edit(random, made) for _ in range(random.choice([0, 1, 1, 1, 2]))]
        result = saved(made, folder / "result.pptx")
        options: dict[str, Any] = dict(random.choice(TASKS))
        for name in SWITCHES + MOVES:
            if random.random() < 0.06:
                options[f"examine_{name}"] = random.choice([True, False, False, None])
        note = ", ".join(notes) or "equal"
        one: Value = result
        given: Value | Given = expected
        if random.random() < 0.1:
            one, given = expected, result
        chance = random.random()
        if chance < 0.04:
            note = f"the result {spoiled(random, result)}"
        elif chance < 0.07:
            note = f"the expected {spoiled(random, expected)}"
        elif chance < 0.09:
            given = random.choice([NO_FILE, NOTHING])
            note = f"{given.value} expected"
        elif chance < 0.11:
            one, note = None, "no result"
        yield Case("compare_pptx_files", one, given, options, note)


def single(
    metric: str, ask: Callable[[Random], Any], change: Callable[[Random, Any, Path], str]
) -> Cases:
    """Cases of a metric on one presentation with a rule; without one, `ask` gives NOTHING."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        while True:
            path = folder / "deck.pptx"
            made = deck(random)
            note = change(random, made, path)
            if not path.exists():
                saved(made, path)
            result: Value = path
            if random.random() < 0.05:
                note = f"the result {spoiled(random, path)}"
            elif random.random() < 0.03:
                result, note = None, "no result"
            yield Case(metric, result, ask(random), {}, note)

    return cases


def _turned(random: Random, made: Any, path: Path) -> str:
    made.slide_width, made.slide_height = (
        Inches(random.choice([5, 7.5, 10])), Inches(random.choice([5, 7.5, 10]))
    )  # fmt: skip
    return f"{made.slide_width} wide, {made.slide_height} high"


def _grounds(random: Random, made: Any, path: Path) -> str:
    for slide in made.slides:
        if random.random() < 0.8:
            _ground(random, slide)
    if random.random() < 0.05:
        ids = made.slides._sldIdLst
        for each in list(ids):
            ids.remove(each)
        return "no slides"
    return "backgrounds"


def _transitions(random: Random, made: Any, path: Path) -> str:
    for slide in made.slides:
        for _ in range(random.choice([0, 1, 1, 2])):
            kind = random.choice(["dissolve", "fade", "push"])
            inner = f"<p:{kind}/>" if random.random() < 0.8 else ""
            slide._element.append(parse_xml(f'<p:transition xmlns:p="{P}">{inner}</p:transition>'))
    return "transitions"


def _numbers(random: Random, made: Any, path: Path) -> str:
    saved(made, path)
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    name = "ppt/slideMasters/slideMaster1.xml"
    colours = [random.choice(["FF0000", "0000FF", "00FF00", "000000", "101010", "ff0000", "C8320A",
                              "12", "zz0000"]) for _ in range(3)]  # fmt: skip
    note = []
    part = members[name].decode()
    for place, colour in zip(("sldNum", "dt", ""), colours, strict=True):
        fill = f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'
        if random.random() < 0.5:
            continue
        note.append(place or "shape")
        if place:
            at = part.find(f'type="{place}"')
            text = part.find("<a:endParaRPr", at)
            run = part.find("<a:rPr", at)
            where = min(each for each in (text, run, len(part)) if each > 0)
            if where < len(part):
                part = (
                    (
                        part[:where]
                        + f'<a:r><a:rPr lang="en">{fill}</a:rPr><a:t>x</a:t></a:r>'
                        + part[where:]
                    )
                    if part[where:].startswith("<a:endParaRPr")
                    else part
                )
        else:
            part = part.replace("</p:spPr>", f"{fill}</p:spPr>", 1)
    members[name] = part.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return ", ".join(note) or "no colour"


CASES: dict[str, Cases] = {
    "compare_pptx_files": decks,
    "check_slide_orientation_Portrait": single(
        "check_slide_orientation_Portrait", lambda _: NOTHING, _turned
    ),
    "check_transition": single(
        "check_transition",
        lambda random: {
            "slide_idx": random.choice([0, 0, 1, 2, 5]),
            "transition_type": random.choice(["dissolve", "dissolve", "fade"]),
        },
        _transitions,
    ),
    "check_page_number_colors": single(
        "check_page_number_colors",
        lambda random: {"color": random.choice(["red", "red", "blue", "green", "black", "pink"])},
        _numbers,
    ),
    "evaluate_presentation_fill_to_rgb_distance": single(
        "evaluate_presentation_fill_to_rgb_distance",
        lambda random: random.choice(
            [
                {"rgb": [255, 0, 0]},
                {"rgb": [0, 0, 255], "original_rgb": [0, 255, 0]},
                {"rgb": [0, 255, 0], "original_rgb": None},
            ]
        ),
        _grounds,
    ),
}
