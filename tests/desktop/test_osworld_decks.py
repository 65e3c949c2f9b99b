"""OSWorld's metrics on presentations that Impress itself saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pptx.enum.dml import MSO_THEME_COLOR

from ambidex.evaluators.osworld import Verdicts
from ambidex.evaluators.osworld.registry import bind_metric
from ambidex.host.client.guest import Guest
from tests.evaluators.osworld.decks import (
    DISSOLVE,
    RED,
    bulleted,
    cell_font,
    changing,
    coloured,
    deck,
    font,
    ground,
    inside,
    number,
    put,
    themed,
)

MADE: dict[str, Callable[[Path], Path]] = {
    "plain": deck(name="plain.pptx"),
    "accent": deck(themed(font, MSO_THEME_COLOR.ACCENT_1), name="accent.pptx"),
    "bulleted": deck(bulleted, name="bulleted.pptx"),
    "cell": deck(put(cell_font, bold=True), name="cell.pptx"),
    "dissolve": deck(changing(0, "<p:dissolve/>"), name="dissolve.pptx"),
    "ground": deck(*(ground(item, RED) for item in range(3)), name="ground.pptx"),
    "grouped": deck(
        put(lambda d: inside(d).text_frame.paragraphs[0].runs[0].font, bold=True),
        name="grouped.pptx",
    ),
    "number": deck(number(RED), name="number.pptx"),
    "red": deck(coloured(font, RED), name="red.pptx"),
}


@dataclass(frozen=True)
class Saved:
    """Decks as generated, as saved by Impress, and as saved by it a second time."""

    folder: Path

    def __call__(self, name: str, times: int = 1) -> Path:
        return self.folder / str(times) / f"{name}.pptx"


@pytest.fixture(scope="module")
def saved(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    decks_at = Saved(tmp_path_factory.mktemp("decks"))
    for times in (0, 1, 2):
        decks_at("", times).parent.mkdir()
    for name, result in MADE.items():
        path = result(decks_at(name, 0).parent)
        guest.put(f"~/decks/0/{name}.pptx", path.read_bytes())
    for times in (1, 2):
        # A profile of its own: the office of the tools goes on beside it.
        command = (
            'cd "$HOME/decks" && soffice "-env:UserInstallation=file://$HOME/decks/profile" '
            f"--headless --convert-to pptx --outdir {times} {times - 1}/*.pptx"
        )
        ran = guest.run(["sh", "-c", command], timeout=400)
        assert ran.returncode == 0, ran
        for name in MADE:
            decks_at(name, times).write_bytes(guest.get(f"~/decks/{times}/{name}.pptx"))
    return decks_at


def compared(one: Path, other: Path) -> Verdicts:
    return bind_metric("compare_pptx_files", {})(one, other)


@pytest.mark.parametrize("name", MADE)
def test_a_deck_saved_again_by_impress_is_equal(saved: Saved, name: str) -> None:
    result = compared(saved(name, 2), saved(name, 1))
    assert (result.compat.value, result.strict.value) == (1, 1), result


@pytest.mark.parametrize("name", ["red", "accent", "bulleted", "cell", "ground", "grouped"])
def test_an_edited_deck_differs_from_the_original(saved: Saved, name: str) -> None:
    for one, other in ((name, "plain"), ("plain", name)):
        result = compared(saved(one), saved(other))
        assert result.strict.value == 0, result


def test_only_strict_sees_a_theme_colour_that_impress_kept(saved: Saved) -> None:
    result = compared(saved("plain"), saved("accent"))
    assert (result.compat.value, result.strict.value) == (1, 0), result
    assert "4F81BD" in result.strict.reason


def test_transitions_backgrounds_and_numbers_are_found_in_files_saved_by_impress(
    saved: Saved,
) -> None:
    for metric, name, rule in (
        ("check_transition", "dissolve", DISSOLVE),
        ("check_page_number_colors", "number", {"color": "red"}),
        (
            "evaluate_presentation_fill_to_rgb_distance",
            "ground",
            {"rgb": [255, 0, 0], "original_rgb": [255, 255, 255]},
        ),
    ):
        for deck_name, verdict in ((name, 1), ("plain", 0)):
            result = bind_metric(metric, {})(saved(deck_name), rule)
            assert result.strict.value == verdict, (metric, deck_name, result)
