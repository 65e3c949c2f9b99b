"""OSWorld's metrics on pictures, written by OpenCV; window dumps and palettes by hand."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path

import cv2
import matplotlib
import numpy as np
from cv2.typing import MatLike as Pixels
from PIL import Image, ImageDraw, ImageFont

from ambidex.evaluators.osworld.pictures.pictures import window_dump
from tests.evaluators.osworld.asked import Case, agrees, file, judge, lacking, nowhere, of

MODULES = ("images", "image_edits", "image_contents")


def scene(width: int = 160, height: int = 120, seed: int = 1) -> Pixels:
    """A picture with structure: coloured boxes on a gradient (channels blue, green, red)."""
    noise = np.random.default_rng(seed)
    image = np.empty((height, width, 3), np.uint8)
    image[:] = np.linspace(60, 180, width, dtype=np.uint8)[None, :, None]
    for _ in range(25):
        x, y = int(noise.integers(0, width - 20)), int(noise.integers(0, height - 20))
        colour = [int(integer) for integer in noise.integers(30, 220, 3)]
        cv2.rectangle(image, (x, y), (x + 18, y + 14), colour, -1)
    return image


def saved(image: Pixels, name: str = "result.png") -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        path = folder / name
        assert cv2.imwrite(str(path), image)
        return path

    return made


def with_alpha(image: Pixels, alpha: Pixels | int) -> Pixels:
    plane = np.empty((*image.shape[:2], 1), np.uint8)
    plane[..., 0] = alpha
    return np.concatenate([image, plane], axis=2)


def palette(image: Pixels, colours: int = 64) -> Callable[[Path], Path]:
    content = io.BytesIO()
    Image.fromarray(image[..., ::-1]).quantize(colours).save(content, "PNG")
    return file("palette.png", content.getvalue())


def plain(colour: tuple[int, int, int], width: int = 100, height: int = 80) -> Pixels:
    image = np.empty((height, width, 3), np.uint8)
    image[:] = colour
    return image


SCENE = scene()
GOLD = saved(SCENE, "gold.png")
OTHER = saved(scene(seed=2), "other.png")
TORN = file("torn.png", b"\x89PNG\r\n\x1a\n and no more")
HALF: Pixels = np.where(np.arange(160)[None, :] < 80, 255, 0).astype(np.uint8)[[0] * 120]
HIDDEN = with_alpha(scene(seed=2), 0)
"""Another picture under full transparency."""
VEILED = with_alpha(SCENE, HALF)
"""The scene with a transparent right half that keeps the scene's hidden colours."""

compare = of("compare_images")
COMPARED = [
    compare("right", "the same", saved(SCENE), GOLD),
    compare("right", "smaller", saved(cv2.resize(SCENE, (120, 90))), GOLD, (0.9, 1), 1),
    compare("near", "another scene", OTHER, GOLD, (0.05, 0.8), 0),
    compare("near", "hidden by transparency", saved(VEILED), GOLD, 1, 0),
    compare("near", "no nearer than before", OTHER, GOLD, 0, 0, reference_base_result=0.8),
    compare("right", "above the base", saved(SCENE), GOLD, 1, 1, reference_base_result=0.5),
    compare("broken", "torn", TORN, GOLD),
    compare("broken", "too small", saved(plain((1, 2, 3), 5, 5)), GOLD),
]


def dotted(image: Pixels) -> Pixels:
    """The same picture with one pixel changed."""
    other = image.copy()
    other[0, 0] = 0
    return other


OPAQUE = saved(with_alpha(scene(seed=2), 255))
listed = of("compare_image_list")
LISTED = [
    listed("right", "the same", [saved(SCENE)], [GOLD]),
    listed("right", "no list", saved(SCENE), GOLD),
    listed("near", "one pixel", saved(dotted(SCENE)), GOLD),
    listed("near", "one too few", [saved(SCENE)], [GOLD, OTHER], 1, 0),
    listed("near", "opaque", OPAQUE, saved(with_alpha(SCENE, 255), "a.png"), 1, 0),
    listed("broken", "torn", [TORN], [GOLD]),
    listed("broken", "one missing", [None], [GOLD]),
]


def structures(name: str, *more: Case) -> list[Case]:
    """Cases for the metrics that expect the same picture."""
    case = of(name)
    return [
        case("right", "the same", saved(SCENE), GOLD),
        case("right", "nearly the same", saved(cv2.GaussianBlur(SCENE, (3, 3), 0.3)), GOLD),
        case("near", "another scene", OTHER, GOLD),
        case("near", "hidden by transparency", saved(VEILED), GOLD, 1, 0),
        case("broken", "torn", TORN, GOLD),
        case("broken", "missing", nowhere, GOLD),
        *more,
    ]


sim, resized = of("check_structure_sim"), of("check_structure_sim_with_threshold")
SMALL = saved(cv2.resize(SCENE, (40, 30)))
STRUCTURES = [
    *structures(
        "check_structure_sim",
        sim("near", "another size", saved(cv2.resize(SCENE, (120, 90))), GOLD),
        sim("right", "both cut out", saved(VEILED), saved(VEILED, "gold.png")),
    ),
    *structures("check_file_exists_and_structure_sim"),
    *structures(
        "check_structure_sim_with_threshold",
        resized("right", "another size", saved(cv2.resize(SCENE, (240, 180))), GOLD),
        resized("near", "a high threshold", SMALL, GOLD, ssim_threshold=0.99),
    ),
]

visible = of("check_structure_sim_resized")


def framed(image: Pixels) -> Pixels:
    """A picture in a transparent frame."""
    return cv2.copyMakeBorder(with_alpha(image, 255), 30, 10, 20, 5, cv2.BORDER_CONSTANT, value=0)


VISIBLE = [
    visible("right", "framed and larger", saved(framed(cv2.resize(SCENE, (240, 180)))), GOLD),
    visible("near", "squeezed", saved(cv2.resize(SCENE, (160, 180))), GOLD, 1, 0),
    visible("near", "another scene", OTHER, GOLD),
    visible("broken", "nothing visible", saved(HIDDEN), GOLD),
    visible("broken", "torn", TORN, GOLD),
]

mirror = of("check_image_mirror")
MIRRORED = [
    mirror("right", "mirrored", saved(SCENE[:, ::-1]), GOLD),
    mirror("near", "upside down", saved(SCENE[::-1]), GOLD),
    mirror("near", "not mirrored", saved(SCENE), GOLD),
    mirror("near", "hidden", saved(with_alpha(SCENE[:, ::-1], HALF)), GOLD, 1, 0),
    mirror("broken", "torn", TORN, GOLD),
]

indexed = of("check_palette_and_structure_sim")


def veiled_palette(folder: Path) -> Path:
    """The scene with transparent palette colours."""
    image = Image.fromarray(SCENE[..., ::-1]).quantize(64)
    image.save(folder / "veiled.png", transparency=bytes([0] * 40 + [255] * 24))
    return folder / "veiled.png"


INDEXED = [
    indexed("right", "a palette", palette(SCENE), GOLD),
    indexed("near", "no palette", saved(SCENE), GOLD),
    indexed("near", "another scene", palette(scene(seed=2)), GOLD),
    indexed("near", "hidden", veiled_palette, GOLD, 1, 0),
    indexed("broken", "torn", TORN, GOLD),
]

darker = of("check_brightness_decrease_and_structure_sim")
DARKER = [
    darker("right", "darker", saved((SCENE * 0.6).astype(np.uint8)), GOLD),
    darker("near", "brighter", saved((SCENE * 1.15).astype(np.uint8)), GOLD),
    darker("near", "the same", saved(SCENE), GOLD),
    darker("near", "upside down", saved((SCENE[::-1] * 0.6).astype(np.uint8)), GOLD),
    darker("right", "loosely", saved((SCENE[::-1] * 0.6).astype(np.uint8)), GOLD, threshold=0.5),
    darker("near", "hidden", saved(with_alpha((SCENE * 0.6).astype(np.uint8), HALF)), GOLD, 1, 0),
    darker("broken", "black", saved(plain((0, 0, 0), 160, 120)), GOLD),
    darker("broken", "torn", TORN, GOLD),
]


def saturated(factor: float, image: Pixels = SCENE) -> Pixels:
    planes = cv2.cvtColor(image, cv2.COLOR_BGR2HSV_FULL).astype(np.float32)
    planes[..., 1] = np.clip(planes[..., 1] * factor, 0, 255)
    return cv2.cvtColor(planes.astype(np.uint8), cv2.COLOR_HSV2BGR_FULL)


PALE = saved(saturated(0.6), "gold.png")
colourful = of("check_saturation_increase_and_structure_sim")
COLOURFUL = [
    colourful("right", "more", saved(saturated(0.75)), PALE),
    colourful("near", "less", saved(saturated(0.5)), PALE),
    colourful("near", "another scene", saved(saturated(0.9, scene(seed=2))), PALE),
    colourful("near", "hidden", saved(with_alpha(saturated(0.75), HALF)), PALE, 1, 0),
    colourful("broken", "torn", TORN, PALE),
]

contrast = of("check_contrast_increase_and_structure_sim")
STRONG = np.clip((SCENE.astype(np.int16) - 120) * 1.4 + 120, 0, 255).astype(np.uint8)
CONTRAST = [
    contrast("right", "more", saved(STRONG), GOLD),
    contrast("near", "the same", saved(SCENE), GOLD),
    contrast("near", "the same, with an alpha channel", saved(with_alpha(SCENE, 255)), GOLD, 1, 0),
    contrast("near", "another scene", saved(255 - STRONG), GOLD),
    contrast("broken", "torn", TORN, GOLD),
]

size = of("check_image_size")
CUT = file("cut.png", cv2.imencode(".png", SCENE)[1].tobytes()[:400])
SEEN = {"height": 120, "ignore_transparent": True}
SIZES = [
    size("right", "both", saved(SCENE), {"width": 160, "height": 120}),
    size("near", "cut off", CUT, {"width": 160, "height": 120}, 1, 0),
    size("right", "height alone", saved(SCENE), {"height": 120}),
    size("right", "without the frame", saved(framed(SCENE)), SEEN),
    size("near", "one pixel", saved(SCENE), {"height": 121}),
    size("near", "with the frame", saved(framed(SCENE)), {"height": 120}),
    size("near", "nothing visible", saved(HIDDEN), SEEN),
    size("broken", "torn", TORN, {"height": 120}),
]

weight = of("check_image_file_size")
WEIGHTS = [
    weight("right", "light", saved(SCENE), {"max_size": 100_000}),
    weight("near", "heavy", saved(SCENE), {"max_size": 100}),
    weight("broken", "empty", file("empty.jpeg", b""), {"max_size": 100}, 1, 0),
    weight("broken", "missing", nowhere, {"max_size": 100}),
]


def triangle(x: int, y: int, *, smooth: bool = False, side: int = 10) -> Pixels:
    image = plain((200, 200, 200))
    corners = np.array([[x, y - side], [x - side, y + side // 2], [x + side, y + side // 2]])
    cv2.fillPoly(image, [corners], (0, 220, 220), cv2.LINE_AA if smooth else cv2.LINE_8)
    return image


placed = of("check_triangle_position")
TRIANGLES = [
    placed("right", "in the middle", saved(triangle(50, 41))),
    placed("right", "in the middle, smooth", saved(triangle(50, 41, smooth=True)), None, (0, 1), 1),
    placed("near", "at the left", saved(triangle(20, 40)), None, 1, 0),
    placed("near", "large, at the left", saved(triangle(32, 40, side=25)), None, 1, 0),
    placed("broken", "one colour", saved(plain((9, 9, 9)))),
    placed("broken", "grey", saved(plain((9, 9, 9))[..., 0]), None),
    placed("broken", "torn", TORN),
]

left = of("check_textbox_on_leftside")


def written(x: int) -> Pixels:
    return cv2.putText(plain((255, 255, 255)), "Text", (x, 40), 0, 0.5, (0, 0, 0), 1)


UNDER = with_alpha(plain((0, 0, 0)), 0)
LEFT = [
    left("right", "at the left", saved(written(1))),
    left("near", "in the middle", saved(written(30))),
    left("near", "black under transparency", saved(UNDER), None, 1, 0),
    left("broken", "torn", TORN),
]

green = of("check_green_background")


def on_ground(colour: tuple[int, int, int], width: int, height: int) -> Pixels:
    image = plain(colour, width, height)
    cv2.rectangle(image, (10, 12), (22, 24), (0, 0, 0), -1)
    return image


def on_green(width: int, height: int) -> Callable[[Path], Path]:
    return saved(on_ground((0, 200, 0), width, height))


WHITE = (255, 255, 255)
SPOILT = on_ground((0, 200, 0), 40, 40)
SPOILT[39, 0] = (0, 0, 200)
OBJECT = saved(on_ground(WHITE, 40, 40), "gold.png")
WIDE = saved(on_ground(WHITE, 60, 40), "gold.png")
HIGH = saved(on_ground(WHITE, 40, 60), "gold.png")
GREEN = [
    green("right", "square", on_green(40, 40), OBJECT),
    green("right", "wide", on_green(60, 40), WIDE, 0, 1),
    green("right", "high", on_green(40, 60), HIGH, 0, 1),
    green("near", "one pixel", saved(SPOILT), OBJECT),
    green("near", "white", saved(on_ground(WHITE, 40, 40)), OBJECT),
    green("near", "smaller", on_green(30, 30), OBJECT),
    green("broken", "grey", saved(plain(WHITE)[..., 0]), OBJECT),
    green("broken", "torn", TORN, OBJECT),
]


FONT = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSansMono.ttf"


def terminal(text: str, size: int = 16) -> Pixels:
    """Light text on a dark background, as in a terminal."""
    image = Image.new("RGB", (640, 120), (48, 10, 36))
    font = ImageFont.truetype(str(FONT), size)
    ImageDraw.Draw(image).text((8, 8), f"user@desk:~$ {text}", (238, 238, 236), font)
    return np.asarray(image)[..., ::-1].copy()


def dump(image: Pixels, bits: int = 32, low_first: bool = True) -> bytes:
    """An X window dump as written by xwd."""
    height, width = image.shape[:2]
    spare = np.zeros((height, width, bits // 8 - 3), np.uint8)
    parts = [image, spare] if low_first else [spare, image[..., ::-1]]
    head = [0] * 25
    head[0:6] = 107, 7, 2, 24, width, height
    head[7], head[11], head[12], head[19] = int(not low_first), bits, width * bits // 8, 2
    return (
        struct.pack(">25I", *head) + b"window\0" + b"\1" * 24 + np.concatenate(parts, 2).tobytes()
    )


said = of("compare_image_text")
LS = {"type": "text", "text": "ls"}
READ = [
    *(said("right", f"at {n} points", saved(terminal("ls", n)), LS) for n in (13, 22)),
    said("right", "there", saved(terminal("ls")), LS),
    said("right", "in a window dump", file("ls.png", dump(terminal("ls"))), LS),
    said("near", "in another word", saved(terminal("open tools now")), LS, 1, 0),
    said("near", "not there", saved(terminal("user home")), LS),
    said("broken", "torn", TORN, LS),
    said("broken", "a dump cut off", file("ls.png", dump(SCENE)[:-1]), LS),
]

CASES = [
    *COMPARED, *LISTED, *STRUCTURES, *VISIBLE, *MIRRORED, *INDEXED, *DARKER, *COLOURFUL, *CONTRAST,
    *SIZES, *WEIGHTS, *TRIANGLES, *LEFT, *GREEN, *READ,
]  # fmt: skip


@judge(CASES)
def test_the_verdicts_on_pictures(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_pictures_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


def test_a_window_dump_is_read_in_every_layout() -> None:
    for bits, low_first in ((32, True), (32, False), (24, True), (24, False)):
        actual = window_dump(dump(SCENE, bits, low_first))
        assert actual is not None
        assert np.array_equal(np.asarray(actual)[..., ::-1], SCENE), (bits, low_first)
    assert window_dump(b"\x89PNG" + bytes(200)) is None
