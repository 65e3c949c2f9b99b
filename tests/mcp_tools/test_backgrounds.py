"""Removing backgrounds: pixels connected to the edge, and the picture that remains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.os.backgrounds import connected_to_edge, cut_out


def spread(mask: list[list[bool]]) -> set[tuple[int, int]]:
    """The same by a flood fill, pixel by pixel."""
    height, width = len(mask), len(mask[0])
    result = set[tuple[int, int]]()
    todo = [
        (x, y) for y in range(height) for x in range(width)
        if x in (0, width - 1) or y in (0, height - 1)
    ]  # fmt: skip
    while todo:
        x, y = todo.pop()
        if (x, y) in result or not (0 <= x < width and 0 <= y < height) or not mask[y][x]:
            continue
        result.add((x, y))
        todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return result


@st.composite
def masks(draw: st.DrawFn) -> list[list[bool]]:
    width = draw(st.integers(1, 12))
    row = st.lists(st.booleans(), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=12))


@given(masks())
def test_pixels_connected_to_the_edge_are_those_a_flood_fill_reaches(
    mask: list[list[bool]],
) -> None:
    width = len(mask[0])
    raw = bytes(255 * pixel for row in mask for pixel in row)
    result = connected_to_edge(raw, width, len(mask))
    assert {(i % width, i // width) for i, pixel in enumerate(result) if pixel} == spread(mask)


def test_transparent_pixels_stay_transparent_and_enclosed_areas_stay() -> None:
    image = Image.new("RGBA", (9, 9), "white")
    image.paste((9, 9, 9, 255), (2, 2, 7, 7))
    image.paste("white", (4, 4, 5, 5))
    image.putpixel((3, 3), (9, 9, 9, 77))
    image.putpixel((0, 0), (0, 0, 0, 0))
    result, colour, part = cut_out(image, 10)
    assert colour == "#ffffff"
    assert part == pytest.approx((81 - 25) / 81)
    shown = [result.getpixel(item) for item in ((0, 0), (8, 4), (4, 4), (3, 3), (2, 2))]
    assert [pixel[3] for pixel in shown if isinstance(pixel, tuple)] == [0, 0, 255, 77, 255]


@pytest.mark.parametrize(
    ("colour", "code"), [((5, 5, 5, 255), "nothing_left"), ((5, 5, 5, 0), "no_background")]
)
def test_a_picture_without_an_object_is_refused(
    colour: tuple[int, int, int, int], code: str
) -> None:
    with pytest.raises(ToolError) as caught:
        cut_out(Image.new("RGBA", (8, 8), colour), 0)
    assert caught.value.code == code


def test_a_large_noisy_picture_is_cut_out() -> None:
    image = Image.effect_noise((1500, 1000), 60).convert("RGBA")
    image.paste((255, 0, 0, 255), (400, 300, 600, 500))
    result, _, part = cut_out(image, 60)
    assert result.getpixel((500, 400)) == (255, 0, 0, 255)
    assert 0.2 < part < 0.97
