"""Exported episodes: as a page, as a video, and replayed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import av
import pytest

from ambidex.host import Decision, Observation, Stop, ToolCall
from ambidex.host.cli.export import export
from ambidex.host.errors import UsageError
from ambidex.host.travel.divergence import compare_episodes, first_difference
from ambidex.tasks import Suite
from tests.support.suites import config_of, run_in, suite

__all__ = ["suite"]


class Clicks:
    """Clicks at these places, then is done; says something that could break a page."""

    def __init__(self, *places: tuple[int, int]) -> None:
        self._places = list(places)

    def step(self, observation: Observation) -> Decision:
        if not self._places:
            return Decision("</script><b>bold</b>", stop=Stop.DONE)
        x, y = self._places.pop(0)
        return Decision("on", (ToolCall(f"{id(self)}{x}{y}", "computer_click", {"x": x, "y": y}),))


def played(folder: Path, suite: Suite, *places: tuple[int, int]) -> Path:
    config = config_of(suite)
    run_in(folder, suite, config, make_agent=lambda name, task, briefing: Clicks(*places))
    return folder / "cell.1"


def test_an_exported_page_contains_the_whole_episode_and_loads_nothing(
    suite: Suite, tmp_path: Path
) -> None:
    trial = played(tmp_path / "run", suite, (3, 4), (5, 6))
    assert export(trial, html=tmp_path / "episode.html") == 0
    page = (tmp_path / "episode.html").read_text()
    [kept] = re.findall(r'id="episode">(.*?)</script>', page, re.DOTALL)
    episode = json.loads(kept)
    assert [line["number"] for line in episode["lines"]] == [1, 2, 3]
    assert episode["lines"][2]["thought"] == "</script><b>bold</b>"
    named = {line[key] for line in episode["lines"] for key in ("before", "after")} - {""}
    assert episode["frames"].keys() == named
    assert not re.search(r'(src|href)="(?!#)', page)
    assert "import {" not in page
    assert "{{" not in page.replace(kept, "")


def test_a_video_shows_each_step(suite: Suite, tmp_path: Path) -> None:
    trial = played(tmp_path / "run", suite, (3, 4), (5, 6))
    assert export(trial, mp4=tmp_path / "episode.mp4") == 0
    with av.open(str(tmp_path / "episode.mp4")) as film:
        [stream] = film.streams.video
        assert stream.codec_context.name == "h264"
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(stream)]
    assert len(frames) == 10 + 8 + 10 + 8 + 10
    assert frames[0].shape[1] == 1280


@pytest.mark.parametrize("named", [{}, {"html": Path("no/such/place.html")}])
def test_an_impossible_export_is_refused_with_the_reason(
    suite: Suite, tmp_path: Path, named: dict[str, Path]
) -> None:
    trial = played(tmp_path / "run", suite)
    with pytest.raises(UsageError):
        export(trial, **named)
    with pytest.raises(UsageError, match="no trajectory"):
        export(tmp_path, html=tmp_path / "x.html")


def test_a_damaged_trial_is_named_when_it_is_exported(suite: Suite, tmp_path: Path) -> None:
    trial = played(tmp_path / "run", suite, (3, 4))
    for frame in (trial / "frames").iterdir():
        frame.write_bytes(b"no picture")
    for file in ({"html": tmp_path / "x.html"}, {"mp4": tmp_path / "x.mp4"}):
        with pytest.raises(UsageError, match=r"cell\.1 cannot be exported"):
            export(trial, **file)


def test_equal_episodes_do_not_differ(suite: Suite, tmp_path: Path) -> None:
    one = played(tmp_path / "one", suite, (3, 4), (5, 6))
    two = played(tmp_path / "two", suite, (3, 4), (5, 6))
    found = compare_episodes(one, two)
    assert [each.share for each in found] == [0.0, 0.0]
    assert first_difference(found) is None


def test_the_first_differing_screen_is_named(suite: Suite, tmp_path: Path) -> None:
    one = played(tmp_path / "one", suite, (3, 4), (5, 6), (7, 8))
    two = played(tmp_path / "two", suite, (3, 4), (15, 16))
    found = compare_episodes(one, two)
    assert [each.step for each in found if each.share] == [2]
    assert found[1].box == (5, 6, 16, 17)
    assert found[2].share is None
