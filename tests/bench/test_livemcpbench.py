"""LiveMCPBench's released data gives the published figures, to the printed digit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ambidex.evaluators.verdict_text import read_status
from ambidex.host.errors import UsageError
from ambidex.host.report.agreement import Confusion
from ambidex.tasks.livemcpbench.released import (
    Conversation,
    StoredVerdict,
    activity,
    by_status_line,
    by_substring,
    read_conversations,
    read_verdicts,
)
from bench.livemcpbench.command import (
    CONVERSATIONS,
    VERDICTS,
    catalogue_counts,
    livemcpbench,
    readings,
)
from bench.livemcpbench.liars import AGENTS, believed
from tests.support.livemcpbench import LIVEMCPBENCH, needs_livemcpbench
from tests.support.tables import every_case

EXECUTED = '{"server_name": "s", "tool_name": "read", "params": {}}'


def stored(judge: str) -> StoredVerdict:
    return StoredVerdict(task_id="t", judge=judge, judge_reason="why", reward=0)


@every_case(
    ("judge", "substring", "line"),
    [
        ("success", True, True),
        ("failure", False, False),
        ('Thoughts: done\nStatus: "success"', True, True),
        ('Thoughts: not done successfully\nStatus: "failure"', True, False),
        ('Thoughts: not done\nStatus: "failure"', False, False),
    ],
)
def test_the_two_readings_of_a_stored_verdict(judge: str, substring: bool, line: bool) -> None:
    verdict = stored(judge)
    assert (by_substring(verdict), by_status_line(verdict)) == (substring, line)


def message(role: str, *calls: tuple[str, object]) -> dict[str, Any]:
    functions = [{"name": name, "arguments": json.dumps(value)} for name, value in calls]
    return {"role": role, "tool_calls": [{"function": function} for function in functions]}


def test_each_definition_of_a_step_is_counted_apart() -> None:
    read = ("execute-tool", {"server_name": "s", "tool_name": "read"})
    messages = [
        message("system"),
        message("user"),
        message("assistant", ("route", {"query": "files"})),
        message("tool"),
        message("assistant", read, read, ("execute-tool", "no object")),
        message("tool"),
        message("assistant"),
    ]
    long = Conversation.model_validate({"task_id": "a", "messages": messages})
    short = Conversation.model_validate({"task_id": "b", "messages": messages[:2]})
    means = activity([long, short])
    assert (means.tasks, means.messages, means.turns) == (2, 4.5, 1.5)
    assert (means.tools, means.executions, means.routes) == (1.0, 1.5, 0.5)


def test_a_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"lacks tools.*, trajectories.*, human_labels.*"):
        livemcpbench(tmp_path)


def two(value: float | None) -> float:
    assert value is not None
    return round(100 * value, 2)


def row(counts: Confusion) -> dict[str, float]:
    """A judge's figures as `expected_metrics.json` names them."""
    return {
        "success_rate": two(counts.success),
        "human_agreement": two(counts.agreement),
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "tn": counts.tn,
        "f1": two(counts.f1),
    }


@needs_livemcpbench
def test_the_catalogue_has_its_published_counts() -> None:
    expected = json.loads((LIVEMCPBENCH / "expected_metrics.json").read_text())["catalogue"]
    counts = catalogue_counts(LIVEMCPBENCH)
    assert counts.pop("all") == (70, 527, 510)
    assert {name: one[0] for name, one in counts.items()} == expected["servers_by_category"]
    assert {name: one[1] for name, one in counts.items()} == expected["tools_by_category"]


@needs_livemcpbench
def test_the_stored_verdicts_give_both_columns_of_the_expected_figures() -> None:
    expected = json.loads((LIVEMCPBENCH / "expected_metrics.json").read_text())
    both = readings(LIVEMCPBENCH)
    substring, line = both["substring"], both["status line"]
    verdicts = read_verdicts(LIVEMCPBENCH / VERDICTS)
    assert sum(map(len, verdicts.values())) == 950
    assert all(read_status(v.text) != "undecided" for own in verdicts.values() for v in own)
    assert all(by_substring(v) is bool(v.reward) for own in verdicts.values() for v in own)
    for name, own in expected["judges"].items():
        assert row(substring.of_judge(name)) == own["published_substring_rule"], name
        assert row(line.of_judge(name)) == own["status_line_rule"], name
        pairs = zip(substring.judges[name], line.judges[name], strict=True)
        assert sum(a is not b for a, b in pairs) == own["verdicts_read_differently"], name
    for reading, key in ((substring, "published_rule"), (line, "status_line_rule")):
        votes = expected["majority_of_10_at_least_5_votes"]
        assert two(reading.votes.agreement) == votes[key]
        assert two(sum(reading.best) / 95) == expected["any_of_10_matches_human"][key]


@needs_livemcpbench
def test_the_released_conversations_give_the_expected_means() -> None:
    expected = json.loads((LIVEMCPBENCH / "expected_metrics.json").read_text())
    means = activity(read_conversations(LIVEMCPBENCH / CONVERSATIONS))
    names = {
        "steps_messages": means.messages,
        "assistant_turns": means.turns,
        "tools_distinct_names": means.tools,
        "execute": means.executions,
        "route": means.routes,
    }
    rounded = {name: round(value, 2) for name, value in names.items()}
    assert rounded == expected["trajectory_stats_claude_sonnet_4"]


@needs_livemcpbench
def test_the_command_prints_the_papers_figures(capsys: pytest.CaptureFixture[str]) -> None:
    livemcpbench(LIVEMCPBENCH)
    printed = capsys.readouterr().out
    figures = ("81.05", "87.32", "77.89", "97.89", "0.8864", "p 1.000", "p 0.839")
    assert [figure for figure in (*figures, "20.09", "9.53") if figure not in printed] == []
    for name in AGENTS:
        passed = "90" if name == "the recorded agent" else "0"
        assert re.search(rf"{name} +│ {passed} +│ 95 ", printed), name


def test_a_judge_that_always_says_yes_believes_only_output_of_successful_executions() -> None:
    calls = [
        {"id": "1", "function": {"name": "route", "arguments": '{"query": "sum"}'}},
        {"id": "2", "function": {"name": "execute-tool", "arguments": EXECUTED}},
    ]
    steps = {"Steps": "1. read\n2. sum up", "Tools": "1. read"}
    conversation = Conversation.model_validate(
        {
            "task_id": "t",
            "Annotator Metadata": steps,
            "messages": [
                {"role": "assistant", "tool_calls": calls},
                {"role": "tool", "tool_call_id": "1", "content": "The sum is 42, says read."},
                {"role": "tool", "tool_call_id": "2", "content": "The numbers: 40 and 2."},
                {"role": "assistant", "content": "The sum is 42."},
            ],
        }
    )
    verdicts = {name: believed(conversation, agent, "points") for name, agent in AGENTS.items()}
    assert verdicts == {name: name == "the recorded agent" for name in AGENTS}
    assert all(believed(conversation, agent, "status") for agent in AGENTS.values())
