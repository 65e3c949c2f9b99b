"""The paper's figures: read as printed, and checked for consistency."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.report.paper import inconsistencies, model_of, paper, rows_of

FACTS = Path(__file__).parents[4] / "shared" / "osworld-mcp-results.json"


def test_the_tables_have_seven_models_with_and_without_tools_at_both_limits() -> None:
    lines = [row for row in paper().rows if row.table == 1]
    assert len(lines) == 7 * 2 * 2
    assert {(row.condition, row.steps) for row in lines} == {
        ("gui", 15),
        ("gui", 50),
        ("hybrid", 15),
        ("hybrid", 50),
    }
    assert len([row for row in paper().rows if row.table == 2]) == 3
    best = rows_of("Claude-4-Sonnet", condition="hybrid", steps=50)[0]
    both = best.groups["all"]
    assert (both.accuracy, both.tir, both.acs) == (43.3, 36.3, 20.1)
    assert best.spread
    assert best.spread.accuracy.interval == (41.2, 45.4)


def test_figures_are_inconsistent_only_in_the_known_misprints() -> None:
    # Agent-S2.5, GUI, 50 steps, ACS: (250 · 21.1 + 111 · 8.4) / 361 = 17.2, printed 20.2.
    found = {(m.table, m.model, m.condition, m.steps, m.what): m for m in inconsistencies()}
    assert found.keys() == {
        (1, "Agent-S2.5", "gui", 50, "acs"),
        (1, "Gemini-2.5-Pro", "hybrid", 15, "accuracy"),
        (2, "Gemini-2.5-Pro", "hybrid", 15, "accuracy"),
        (1, "Gemini-2.5-Pro", "hybrid", 50, "accuracy"),
        (1, "Gemini-2.5-Pro", "hybrid", 50, "acs"),
    }
    miss = found[1, "Agent-S2.5", "gui", 50, "acs"]
    assert (miss.printed, round(miss.computed, 1)) == (20.2, 17.2)
    named = {(m.table, m.model, m.condition, m.steps, m.metric) for m in paper().misprints}
    assert named == found.keys()


def test_each_misprint_has_the_printed_figure() -> None:
    for wrong in paper().misprints:
        row = next(
            row
            for row in paper().rows
            if (row.table, row.model, row.condition, row.steps)
            == (wrong.table, wrong.model, wrong.condition, wrong.steps)
        )
        assert getattr(row.groups[wrong.group], wrong.metric) == wrong.printed, wrong
        assert wrong.implied != wrong.printed


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("claude-sonnet-4", "Claude-4-Sonnet"),
        ("anthropic/claude-sonnet-4-20250514", "Claude-4-Sonnet"),
        ("vertex_ai/claude-sonnet-4@20250514", "Claude-4-Sonnet"),
        ("openai/o3-2025-04-16", "OpenAI o3"),
        ("o3-mini", None),
        ("claude-sonnet-4-5", None),
        ("openrouter/qwen/Qwen2.5-VL-72B-Instruct", "Qwen2.5-VL"),
        ("gemini/gemini-2.5-pro", "Gemini-2.5-Pro"),
        ("gemini-2.5-flash", None),
    ],
)
def test_a_model_is_recognized_by_its_vendor_s_name_and_a_sibling_is_not(
    name: str, found: str | None
) -> None:
    assert model_of(name) == found


def test_no_name_stands_for_two_models() -> None:
    names = [name for model in paper().models for name in (model.name.lower(), *model.known_as)]
    doubled = {name for name in names if names.count(name) > 1}
    # A model's own name may be among the vendors'.
    assert all(len({model_of(name)}) == 1 for name in doubled)
    assert {model.name for model in paper().models} == {row.model for row in paper().rows}
    for model in paper().models:
        assert {model_of(name) for name in (model.name, *model.known_as)} == {model.name}


def test_an_unknown_model_is_refused_with_a_list_of_models() -> None:
    with pytest.raises(UsageError, match="no model 'gpt-9'") as caught:
        rows_of("gpt-9")
    assert "Claude-4-Sonnet" in caught.value.hint


@pytest.mark.skipif(not FACTS.is_file(), reason=f"the paper's tables are not at {FACTS}")
def test_every_figure_is_as_it_was_transcribed() -> None:
    facts = json.loads(FACTS.read_bytes())
    groups = {"tool_beneficial": "tool-beneficial", "non_tool_beneficial": "other"}
    count = 0
    for said in (*facts["rows"], *facts["ablation"]):
        condition = "gui" if said["actions"] == "gui" else "hybrid"
        setting = {
            "w/ Tools Shuffle": "tools in shuffled order",
            "w/o Tools RAG": "all tools on offer",
            "Base (MCP)": "as in table 1",
        }.get(said.get("setting", ""), "")
        (row,) = (
            row
            for row in rows_of(
                said["model"], condition=condition, steps=said["steps"], table=said["table"]
            )
            if row.setting == setting
        )
        ours = row.groups[groups.get(said["subset"], "all")]  # type: ignore[index]
        assert (ours.accuracy, ours.tir, ours.acs) == (said["accuracy"], said["tir"], said["acs"])
        if "accuracy_std" in said:
            assert row.spread
            assert row.spread.acs.sd == said["acs_std"]
            assert list(row.spread.accuracy.interval) == said["accuracy_ci95"]
        count += 1
    assert count == 3 * len(paper().rows)
