"""The bench of retrieval: its requests, its ranks and the recall that it prints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import retrieved
from ambidex.host.models.search import ranked
from ambidex.host.records.config import Exposure
from bench.__main__ import app
from bench.retrieval import command
from bench.retrieval.ranks import REQUESTS, Rank, rank_requests, read_requests, recall
from tests.support.served import ALL

OURS = {name: tool for name, tool in ALL.items() if tool.source != "stock"}


def test_every_request_names_an_existing_tool_and_occurs_once() -> None:
    requests = read_requests(REQUESTS, OURS)
    assert {len(said) for said in requests.values()} == {3}
    asked = Counter(request.casefold() for said in requests.values() for request in said)
    assert asked.most_common(1)[0][1] == 1


def test_requests_of_a_tool_that_does_not_exist_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "requests.toml"
    path.write_text('calc_fly = ["Fly to the last cell"]\n')
    with pytest.raises(UsageError, match="calc_fly"):
        read_requests(path, OURS)


def test_the_bench_ranks_as_the_exposure_offers() -> None:
    tools = list(OURS.values())
    exposure = Exposure(policy="retrieved", top=5)
    offered = retrieved(exposure, tools, "Freeze the header row")
    (names,) = ranked(tools, ["Freeze the header row"])
    assert set(names[:5]) == offered
    ranks = rank_requests({name: ["Freeze the header row"] for name in OURS}, OURS)
    assert {each.tool for each in ranks if each.rank <= 5} == offered
    assert sorted(each.rank for each in ranks) == list(range(1, len(tools) + 1))


def test_recall_is_the_share_of_tools_that_are_among_the_first() -> None:
    ranks = [Rank("…", "calc_save", "calc", rank, "calc_undo") for rank in (1, 2, 10, 40)]
    found = recall(ranks)
    assert (found.requests, found.at_1, found.at_5, found.at_20) == (4, 0.25, 0.5, 0.75)
    assert found.mean_reciprocal_rank == pytest.approx((1 + 1 / 2 + 1 / 10 + 1 / 40) / 4)


def alike(texts: Sequence[str]) -> list[list[float]]:
    """An embedder to which every text means the same."""
    return [[1.0]] * len(texts)


def test_the_ranks_of_a_custom_embedder_are_written_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "read_catalogue", lambda: OURS)
    requests, out = tmp_path / "requests.toml", tmp_path / "ranks.jsonl"
    requests.write_text('vlc_play = ["Resume playback"]\n')
    words = ["retrieval", "--requests", str(requests), "--out", str(out)]
    app(words, result_action="return_value")
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        {"request": "Resume playback", "tool": "vlc_play", "app": "vlc", "rank": 1}
        | {"first": "vlc_play"}
    ]
    app([*words, "--embedder", f"{__name__}:alike"], result_action="return_value")
    (by_name,) = map(json.loads, out.read_text().splitlines())
    assert by_name["first"] == min(OURS)
    assert by_name["rank"] == sorted(OURS).index("vlc_play") + 1
