"""Cases of the metrics on pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps

from ambidex.evaluators.osworld import Value
from bench.differential import NO_FILE, NOTHING, Case, Cases, Given
from bench.differential.cases_values import REFUSED, rare
from bench.differential.mutants import asked, spoiled_text
from tests.evaluators.osworld.test_pictures import CASES as PICTURES

MODES = ["RGB"] * 8 + [
    "RGBA",
    "RGBA",
    "P",
    "P",
    "L",
    "LA",
    "1",
    "P transparent",
    "RGB transparent",
    "CMYK",
    "I;16",
    "PA",
]


def scene(random: Random) -> Image.Image:
    """Boxes of many colours on a gradient, or something simpler."""
    width, height = random.choice([(64, 48), (64, 48), (48, 48), (40, 64), (6, 9), (7, 7)])
    image = Image.linear_gradient("L").resize((width, height)).convert("RGB")
    draw = ImageDraw.Draw(image)
    for _ in range(random.choice([0, 6, 12])):
        x, y = random.randrange(width), random.randrange(height)
        colour = (random.randrange(256), random.randrange(256), random.randrange(256))
        draw.rectangle((x, y, x + width // 4, y + height // 4), fill=colour)
    if random.random() < 0.1:
        image = Image.new("RGB", (width, height), random.choice(["black", "white", "#20c020"]))
    return image


def triangle(random: Random, at: tuple[int, int]) -> Image.Image:
    """A triangle on a background of another colour, with a small object of a third."""
    image = Image.new("RGB", (100, 80), "white")
    draw = ImageDraw.Draw(image)
    x, y = at
    draw.polygon([(x, y - 6), (x - 6, y + 5), (x + 6, y + 5)], fill="yellow")
    if random.random() < 0.8:
        draw.rectangle((0, 0, random.randint(0, 2), 1), fill="red")
    return image


CHANGES: dict[str, Callable[[Random, Image.Image], Image.Image]] = {
    "equal": lambda _, image: image,
    "darker": lambda random, image: ImageEnhance.Brightness(image).enhance(
        random.choice([0.5, 0.9])
    ),
    "brighter": lambda _, image: ImageEnhance.Brightness(image).enhance(1.2),
    "saturated": lambda random, image: ImageEnhance.Color(image).enhance(random.choice([1.5, 0.5])),
    "contrast": lambda random, image: ImageEnhance.Contrast(image).enhance(
        random.choice([1.4, 0.7])
    ),
    "mirrored": lambda _, image: ImageOps.mirror(image),
    "mirrored otherwise": lambda _, image: ImageOps.flip(image),
    "inverted": lambda _, image: ImageOps.invert(image),
    "blurred": lambda random, image: image.filter(
        ImageFilter.GaussianBlur(random.choice([0.4, 2]))
    ),
    "larger": lambda _, image: image.resize((image.width * 2, image.height * 2)),
    "narrower": lambda _, image: image.resize((max(1, image.width // 2), image.height)),
    "framed": lambda _, image: ImageOps.expand(image, 3, "black"),
    "a pixel": lambda random, image: _pixel(random, image),
    "another": lambda random, _: scene(random),
    "green": lambda _, image: Image.new("RGB", image.size, "#20c020"),
}


def _pixel(random: Random, image: Image.Image) -> Image.Image:
    other = image.copy()
    other.putpixel((random.randrange(image.width), random.randrange(image.height)), (1, 2, 3))
    return other


def in_mode(random: Random, image: Image.Image, mode: str) -> Image.Image:
    """The picture converted to a mode; in modes with transparency, a part is transparent."""
    mask = Image.new("L", image.size, 255)
    ImageDraw.Draw(mask).rectangle(
        (0, 0, image.width // 3, image.height), fill=random.choice([0, 9])
    )
    match mode:
        case "RGBA" | "LA":
            other = image.convert(mode)
            if random.random() < 0.7:
                other.putalpha(mask)
            return other
        case "P" | "P transparent":
            return image.quantize(random.choice([4, 64]))
        case "PA":
            return image.convert("RGBA")
        case "I;16":
            return Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16) * 257)
        case "RGB transparent":
            return image
        case _:
            return image.convert(mode)


def stored(random: Random, path: Path, image: Image.Image) -> tuple[str, Path]:
    """Write the file in a random mode and format, and return their name."""
    mode = random.choice(MODES)
    other = in_mode(random, image, mode)
    ending = random.choice([".png"] * 5 + [".gif", ".bmp", ".jpg", ".webp", ".tiff"])
    options: dict[str, Any] = {}
    if mode == "P transparent":
        ending, options = random.choice([".png", ".gif"]), {"transparency": 0}
    if mode == "RGB transparent":
        ending, options = ".png", {"transparency": other.convert("RGB").getpixel((0, 0))}
    path = path.with_suffix(ending)
    try:
        other.save(path, **options)
    except (OSError, ValueError):
        path = path.with_suffix(".png")
        image.save(path)
        mode = "RGB"
    return f"{mode}{path.suffix}", path


def pairs(metric: str, wanted: list[str], options: dict[str, list[Any]] | None = None) -> Cases:
    """Two pictures, the first a changed copy of the second."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from asked(metric, folder, PICTURES)
        while True:
            image = scene(random)
            change = random.choice([*wanted, *wanted, *wanted, *CHANGES])
            first, result = stored(random, folder / "a", CHANGES[change](random, image))
            second, expected = stored(random, folder / "b", image)
            note = f"{change}: {first}, {second}"
            given: Value | Given = expected
            seen: Value = result
            if random.random() < 0.04:
                note = f"a file {spoiled_text(random, random.choice([result, expected]))}"
            elif random.random() < 0.03:
                note, given = "nothing expected", random.choice([NO_FILE, NOTHING])
            if metric == "compare_image_list" and random.random() < 0.5:
                other = stored(random, folder / "c", image)[1]
                lists: list[tuple[Value, Value]] = [
                    ([result, other], [expected, other]),
                    ([result], [expected, other]),
                    ([other, result], [other]),
                    ([other, None], [other, expected]),
                    (other, [other]),
                    ([other], other),
                    ([other], [other]),
                ]
                seen, given = random.choice(lists)
                note = "lists"
            chosen = {
                key: random.choice(each)
                for key, each in (options or {}).items()
                if random.random() < 0.5
            }
            yield Case(metric, seen, given, chosen, note)

    return cases


def sizes(random: Random, folder: Path) -> Iterator[Case]:
    """A picture, and the expected size."""
    yield from asked("check_image_size", folder, PICTURES)
    while True:
        image = scene(random)
        kind, path = stored(random, folder / "a", image)
        width = image.width - random.choice([0, 0, image.width // 3 + 1, 1])
        rules: dict[str, Any] = {"width": width, "height": image.height}
        rules = {key: rules[key] for key in random.sample(list(rules), random.randint(0, 2))}
        if random.random() < 0.5:
            rules["ignore_transparent"] = random.choice([True, False])
        said, rules = rare(random, rules)
        if random.random() < 0.05:
            kind = f"the file {spoiled_text(random, path)}"
        yield Case("check_image_size", path, rules, {}, said or kind)


def weights(random: Random, folder: Path) -> Iterator[Case]:
    """A file, and its maximum size."""
    yield from asked("check_image_file_size", folder, PICTURES)
    while True:
        kind, path = stored(random, folder / "a", scene(random))
        most = path.stat().st_size + random.choice([0, 1, -1, 1000])
        said, rules = rare(random, {"max_size": most})
        if random.random() < 0.1:
            kind = f"the file {spoiled_text(random, path)}"
        yield Case(
            "check_image_file_size", path if path.exists() else None, rules, {}, said or kind
        )


def triangles(random: Random, folder: Path) -> Iterator[Case]:
    """A triangle near the middle."""
    yield from asked("check_triangle_position", folder, PICTURES)
    while True:
        image = triangle(random, (50 + random.randint(-7, 7), 40 + random.randint(-6, 6)))
        path = folder / "a.png"
        mode = random.choice(["RGB", "RGB", "RGB", "RGBA", "P", "L"])
        image.convert(mode).save(path)
        if random.random() < 0.04:
            mode = f"the file {spoiled_text(random, path)}"
        yield Case("check_triangle_position", path, NOTHING, {}, mode)


def boxes(random: Random, folder: Path) -> Iterator[Case]:
    """Text near the left side."""
    yield from asked("check_textbox_on_leftside", folder, PICTURES)
    while True:
        image = Image.new("RGB", (100, 40), random.choice(["white", "white", "#808080", "#7f7f7f"]))
        x = random.randint(0, 12)
        ImageDraw.Draw(image).rectangle(
            (x, 10, x + 20, 20), fill=random.choice(["black", "#707070"])
        )
        kind, path = stored(random, folder / "a", image)
        if random.random() < 0.04:
            kind = f"the file {spoiled_text(random, path)}"
        yield Case("check_textbox_on_leftside", path, NOTHING, {}, kind)


REASONS: dict[str, str] = {"another rule": REFUSED}
CASES: dict[str, Cases] = {
    "compare_images": pairs(
        "compare_images",
        ["equal", "blurred", "inverted"],
        {"reference_base_result": [0.11, 0.54, 0, 1, None]},
    ),
    "compare_image_list": pairs("compare_image_list", ["equal", "a pixel", "larger"]),
    "check_structure_sim": pairs("check_structure_sim", ["equal", "blurred"]),
    "check_file_exists_and_structure_sim": pairs(
        "check_file_exists_and_structure_sim", ["equal", "blurred"]
    ),
    "check_structure_sim_with_threshold": pairs(
        "check_structure_sim_with_threshold",
        ["equal", "blurred", "larger"],
        {"ssim_threshold": [0.85, 0.5, 0, 1]},
    ),
    "check_structure_sim_resized": pairs("check_structure_sim_resized", ["larger", "framed"]),
    "check_image_mirror": pairs("check_image_mirror", ["mirrored", "mirrored otherwise"]),
    "check_palette_and_structure_sim": pairs(
        "check_palette_and_structure_sim", ["equal", "blurred"]
    ),
    "check_brightness_decrease_and_structure_sim": pairs(
        "check_brightness_decrease_and_structure_sim",
        ["darker", "brighter", "larger"],
        {"threshold": [0.03, 0.1, 0.01]},
    ),
    "check_saturation_increase_and_structure_sim": pairs(
        "check_saturation_increase_and_structure_sim", ["saturated"]
    ),
    "check_contrast_increase_and_structure_sim": pairs(
        "check_contrast_increase_and_structure_sim", ["contrast"]
    ),
    "check_green_background": pairs("check_green_background", ["green", "equal"]),
    "check_image_size": sizes,
    "check_image_file_size": weights,
    "check_triangle_position": triangles,
    "check_textbox_on_leftside": boxes,
}
