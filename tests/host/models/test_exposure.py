"""Tool exposure, on the guest's real catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ambidex.host import GUI, Frame, ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import check_exposure, offer_of, retrieved
from ambidex.host.models.search import knowledge
from ambidex.host.records.config import Exposure, offered
from ambidex.tasks import Task
from ambidex.tasks.load import load_suite
from tests.support.served import ALL, CATALOGUE
from tests.support.tables import every_case

NEUTRAL = {"os", "files", "filesystem", "git", "gnome"}
"""Apps without windows."""
FRAME = Frame.of((2, 1), bytes(6))


@pytest.fixture(scope="module")
def task() -> Task:
    suite = load_suite(Path("tasks/demo"), CATALOGUE, ("calc-budget-formulas",))
    return suite.tasks[0]


def shown(
    exposure: Exposure, task: Task, focused: str = "", seed: int = 1, condition: str = "hybrid"
) -> list[ToolSpec]:
    tools = offered(tuple(CATALOGUE.values()), condition)  # type: ignore[arg-type]
    return list(offer_of(exposure, tools, task, seed)(replace(FRAME, focused=focused)))


def names(tools: Sequence[ToolSpec]) -> list[str]:
    return [tool.name for tool in tools]


def test_every_policy_shows_mouse_and_keyboard_first(task: Task) -> None:
    hands = sorted(name for name, tool in CATALOGUE.items() if tool.app == GUI)
    for policy in ("all", "app", "retrieved", "named"):
        assert names(shown(Exposure(policy=policy), task))[: len(hands)] == hands


def test_all_are_shown_by_name_or_shuffled_by_the_seed(task: Task) -> None:
    by_name = [tool for tool in shown(Exposure(), task) if tool.app != GUI]
    assert names(by_name) == sorted(names(by_name))
    assert len(by_name) + sum(tool.app == GUI for tool in CATALOGUE.values()) == len(CATALOGUE)
    shuffled = Exposure(order="shuffled")
    assert names(shown(shuffled, task, seed=1)) == names(shown(shuffled, task, seed=1))
    assert names(shown(shuffled, task, seed=1)) != names(shown(shuffled, task, seed=2))
    assert set(names(shown(shuffled, task))) == set(CATALOGUE)


def test_with_calc_focused_exactly_its_tools_and_those_of_no_window_are_shown(
    task: Task,
) -> None:
    apps = {tool.app for tool in shown(Exposure(policy="app"), task, "libreoffice-calc")}
    assert apps == {GUI, "calc", *NEUTRAL}
    calc = {name for name, tool in CATALOGUE.items() if tool.app == "calc"}
    assert calc <= set(names(shown(Exposure(policy="app"), task, "libreoffice-calc")))


def test_with_no_known_window_focused_only_tools_of_no_window_are_shown(task: Task) -> None:
    assert {tool.app for tool in shown(Exposure(policy="app"), task, "xterm")} == {GUI, *NEUTRAL}


def test_a_condition_without_tools_shows_none_whatever_the_policy(task: Task) -> None:
    for policy in ("all", "app", "retrieved", "named"):
        apps = {tool.app for tool in shown(Exposure(policy=policy), task, condition="gui")}
        assert apps == {GUI}


def test_retrieval_ranks_the_described_tool_first() -> None:
    tools = [tool for tool in CATALOGUE.values() if tool.app != GUI]
    for query, expected in (
        ("Freeze the first row of the sheet", "calc_freeze_panes"),
        ("Set the volume of the player to 50", "vlc_set_volume"),
        ("Commit the staged files", "git_commit"),
    ):
        names = retrieved(Exposure(policy="retrieved", top=10), tools, query)
        assert expected in names
        assert len(names) == 10


@every_case(
    ("query", "expected"),
    [
        ("Resume playback", "vlc_play"),
        ("Restore a file from the recycle bin", "os_list_trash"),
        ("Unstage the file", "git_reset"),
        ("Change the colour of the favorites", "writer_set_color"),
        ("work out 17 * 23", "os_calculator"),
        ("fontSize", "code_set_setting"),
        ("Put it into landscape", "impress_set_slide_orientation"),
    ],
)
def test_retrieval_finds_a_tool_by_users_words(query: str, expected: str) -> None:
    tools = [tool for tool in CATALOGUE.values() if tool.app != GUI]
    assert expected in retrieved(Exposure(policy="retrieved"), tools, query)


@every_case("query", ["", "the", "打开文件", "17"])
def test_a_query_without_words_ranks_by_name(query: str) -> None:
    tools = [CATALOGUE[name] for name in ("vlc_play", "calc_save", "git_add")]
    assert retrieved(Exposure(policy="retrieved", top=1), tools, query) == {"calc_save"}


@every_case(
    ("one", "other"),
    [
        ("colour", "colors"),
        ("centre", "centered"),
        ("initialise", "initializing"),
        ("copies", "copy"),
        ("formatting", "format"),
        ("settings", "setting"),
        ("drop-down", "dropdown"),
        ("tabSize", "sizes"),
        ("photographs", "picture"),
        ("favourite", "bookmarked"),
        ("a cell", "B7"),
        ("pictures", "sea.png"),
    ],
)
def test_inflections_and_spellings_of_a_word_find_the_same_tool(one: str, other: str) -> None:
    tools = [
        ToolSpec("a_rest", "a", "Does nothing.", {}, reads_only=True),
        ToolSpec("b_work", "b", f"Is about {one}.", {}, reads_only=True),
    ]
    assert retrieved(Exposure(policy="retrieved", top=1), tools, other) == {"b_work"}


def test_every_app_of_the_guest_has_users_words() -> None:
    assert knowledge().apps.keys() == {tool.app for tool in ALL.values()}


def test_retrieving_more_tools_than_exist_gives_all() -> None:
    tools = [tool for tool in CATALOGUE.values() if tool.app == "git"]
    assert len(retrieved(Exposure(policy="retrieved", top=99), tools, "x")) == len(tools)
    assert retrieved(Exposure(policy="retrieved"), [], "x") == set()


def volume(texts: Sequence[str]) -> NDArray[np.float64]:
    """A minimal embedder: it counts a single word."""
    return np.array([[1, text.lower().count("volume")] for text in texts], float)


def short(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0]]


def test_a_custom_embedder_replaces_bm25() -> None:
    tools = [tool for tool in CATALOGUE.values() if tool.app == "vlc"]
    exposure = Exposure(policy="retrieved", top=1, embedder=f"{__name__}:volume")
    assert retrieved(exposure, tools, "volume " * 20) == {"vlc_set_volume"}


def test_an_invalid_embedder_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot load embedder 'nowhere:nothing'"):
        check_exposure(Exposure(policy="retrieved", embedder="nowhere:nothing"))
    exposure = Exposure(policy="retrieved", embedder=f"{__name__}:short")
    with pytest.raises(UsageError, match="for 2 texts"):
        retrieved(exposure, [CATALOGUE["calc_save"]], "x")


def test_named_tools_come_with_the_configured_number_of_distractors(task: Task) -> None:
    useful = set(task.spec.useful_tools)
    alone = {tool.name for tool in shown(Exposure(policy="named"), task) if tool.app != GUI}
    assert alone == useful
    exposure = Exposure(policy="named", distractors=5)
    beside = {tool.name for tool in shown(exposure, task) if tool.app != GUI}
    assert useful < beside
    assert len(beside) == len(useful) + 5
    other = {tool.name for tool in shown(exposure, task, seed=2) if tool.app != GUI}
    assert beside != other


def test_distractors_without_named_tools_are_refused() -> None:
    with pytest.raises(UsageError, match="named"):
        check_exposure(Exposure(policy="all", distractors=3))


def test_reference_only_tools_are_those_of_the_paper(task: Task) -> None:
    tools = [tool for tool in shown(Exposure(reference_only=True), task) if tool.app != GUI]
    assert len(tools) == 158
    assert {tool.source for tool in tools} == {"reference", "mounted"}
