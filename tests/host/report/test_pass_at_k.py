"""pass@1 over runs with its deviations, by application and over all; the figures of MCPMark."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ambidex.host.models.prices import Tokens, read_prices
from ambidex.host.records.rows import Row
from ambidex.host.report.pass_at_k import passes
from ambidex.host.report.report_lines import lines
from ambidex.host.report.text_report import as_json, tables
from tests.support.played import row, run_of

MATRIX = {
    ("files", "f1"): (1, 1, 1, 1),
    ("files", "f2"): (1, 0, 1, 0),
    ("forge", "g1"): (0, 0, 0, 1),
    ("forge", "g2"): (0, 0, 0, 0),
}
"""Whether each of four runs solved each task."""


def rows_of(matrix: Mapping[tuple[str, str], tuple[int, ...]]) -> list[Row]:
    return [
        row(task, beneficial=True, score=score, trial=trial, domain=domain)
        for (domain, task), scores in matrix.items()
        for trial, score in enumerate(scores, 1)
    ]


def test_a_matrix_computed_by_hand() -> None:
    files, forge, both = passes(rows_of(MATRIX), {"f1", "f2", "g1", "g2"}, planned=4)
    assert (files.name, forge.name, both.name) == ("files", "forge", "all")
    assert files.rates == (1.0, 0.5, 1.0, 0.5)
    assert (files.pass_1, files.population_sd) == (0.75, 0.25)
    assert files.sample_sd == pytest.approx((4 * 0.25**2 / 3) ** 0.5)
    assert forge.rates == (0.0, 0.0, 0.0, 0.5)
    assert both.rates == (0.5, 0.25, 0.5, 0.5)
    assert both.pass_1 == 7 / 16
    assert both.population_sd == pytest.approx((3 * 0.0625**2 / 4 + 0.1875**2 / 4) ** 0.5)
    assert both.largest is not None
    assert (both.largest.k, both.largest.pass_any, both.largest.pass_all) == (4, 3 / 4, 1 / 4)
    assert both.largest.average == both.pass_1, "avg@k is pass@1 where every run is complete"
    assert both.runs == "4"


def test_a_single_run_has_no_deviation_and_is_named_as_such() -> None:
    first = [each for each in rows_of(MATRIX) if each.trial == 1]
    single = passes(first, {each.task for each in first}, planned=1)[-1]
    assert (single.pass_1, single.population_sd, single.sample_sd) == (0.5, None, None)
    assert single.runs == "single run"


def test_a_run_with_a_gap_is_not_part_of_pass_at_1() -> None:
    gap = [each for each in rows_of(MATRIX) if (each.task, each.trial) != ("g2", 4)]
    files, forge, both = passes(gap, {"f1", "f2", "g1", "g2"}, planned=4)
    assert (files.runs, forge.runs, both.runs) == ("4", "3 of 4 complete", "3 of 4 complete")
    assert both.rates == (0.5, 0.25, 0.5)


def test_both_deviations_are_labelled_in_the_report(tmp_path: Path) -> None:
    found = lines([run_of(tmp_path / "r", rows_of(MATRIX))])
    console = Console(width=220, file=io.StringIO(), record=True)
    console.print(tables(found))
    text = console.export_text()
    assert "population sd" in text
    assert "sample sd" in text
    (said,) = as_json(found)
    assert [part["name"] for part in said["passes"]] == ["files", "forge", "all"]
    assert said["passes"][2]["pass_1"] == 7 / 16


DATA = Path(__file__).parents[4] / "shared" / "reference-data" / "mcpmark" / "paper_results.json"
with_paper = pytest.mark.skipif(not DATA.is_file(), reason=f"MCPMark's figures are not at {DATA}")


def matrix_of(model: Mapping[str, Any], counts: Mapping[str, int]) -> Iterator[Row]:
    """Rows that give the figures of each service in the paper. Which of the runs solved a task is
    not published, so it is made up."""
    runs = model["runs"]
    for service, printed in model["by_service"].items():
        n = counts[service]
        solved = round(printed["pass1"] / 100 * n * runs)
        some = round(printed["pass4"] / 100 * n) if runs > 1 else solved
        every = round(printed["pass_hat_4"] / 100 * n) if runs > 1 else solved
        each = [runs] * every + [1] * (some - every) + [0] * (n - some)
        left = solved - sum(each)
        for at in cycle(range(every, some)) if left else ():
            if left and each[at] < runs - 1:
                each[at] += 1
                left -= 1
            if not left:
                break
        for number, times in enumerate(each):
            for trial in range(1, runs + 1):
                yield row(
                    f"{service}-{number}",
                    beneficial=True,
                    score=trial <= times,
                    trial=trial,
                    domain=service,
                )


@with_paper
def test_overall_is_the_mean_of_the_services_weighted_by_tasks_for_every_model_of_the_paper() -> (
    None
):
    paper = json.loads(DATA.read_bytes())
    assert len(paper["models"]) == 20
    for model in paper["models"]:
        rows = list(matrix_of(model, paper["task_counts"]))
        tasks = {each.task for each in rows}
        assert len(tasks) == 127
        *services, overall = passes(rows, tasks, model["runs"])
        for service in services:
            printed = model["by_service"][service.name]["pass1"]
            assert 100 * (service.pass_1 or 0) == pytest.approx(printed, abs=0.006)
        assert 100 * (overall.pass_1 or 0) == pytest.approx(model["pass1"], abs=0.006)
        if model["runs"] > 1:
            assert overall.largest is not None
            assert 100 * overall.largest.pass_any == pytest.approx(model["pass4"], abs=0.006)
            assert 100 * overall.largest.pass_all == pytest.approx(model["pass_hat_4"], abs=0.006)


@with_paper
def test_table_2_has_the_population_deviation_and_table_3_the_sample_deviation() -> None:
    paper = json.loads(DATA.read_bytes())
    table_2 = next(model for model in paper["models"] if model["model"] == "gpt-5 (medium)")
    table_3 = next(
        entry
        for entry in paper["reasoning_effort"]
        if (entry["model"], entry["effort"]) == ("gpt-5", "medium")
    )
    for service, printed in table_2["by_service"].items():
        mean, sample = table_3[service]
        n = paper["task_counts"][service]
        solved = rates_with(mean, sample, n)
        matrix = {
            (service, f"t{task}"): tuple(int(task < count) for count in solved) for task in range(n)
        }
        (found,) = passes(rows_of(matrix), {task for _, task in matrix}, planned=4)
        assert 100 * (found.pass_1 or 0) == pytest.approx(printed["pass1"], abs=0.006)
        assert 100 * (found.population_sd or 0) == pytest.approx(
            printed["pass1_std_population"], abs=0.006
        ), service
        assert 100 * (found.sample_sd or 0) == pytest.approx(sample, abs=0.006), service


def rates_with(mean: float, sample: float, n: int) -> tuple[int, ...]:
    """Tasks solved in each of four runs of n tasks, with that mean and sample deviation in
    percent."""
    total = round(mean / 100 * n * 4)
    for a in range(n + 1):
        for b in range(a, n + 1):
            for c in range(b, n + 1):
                d = total - a - b - c
                if not c <= d <= n:
                    continue
                variance = sum((100 * x / n - mean) ** 2 for x in (a, b, c, d)) / 3
                if abs(variance**0.5 - sample) < 0.006:
                    return a, b, c, d
    raise AssertionError("no four runs have these figures")


@with_paper
def test_the_costs_of_table_9_follow_from_its_tokens_and_the_price_list() -> None:
    paper, prices = json.loads(DATA.read_bytes()), read_prices()
    compared = 0
    for model in paper["models"]:
        used = model["usage_per_task"]
        tokens = Tokens(input=round(1000 * used["input_k"]), output=round(1000 * used["output_k"]))
        name = model["model"].partition(" ")[0]
        cost = prices.cost(name, tokens)
        # Of Gemini's two prices, by the length of a prompt, the paper takes the higher one.
        if cost is not None and not name.startswith("gemini"):
            assert cost == pytest.approx(used["cost_usd"], abs=0.011), model["model"]
            compared += 1
    assert compared >= 5
