"""What passports state of models, null agents and machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.agents import agent_maker
from ambidex.host.passport import canonical
from ambidex.host.passport.building import build, endpoint_class
from ambidex.host.records.config import ModelConfig, adopt, locked
from ambidex.host.records.environment import this_environment
from ambidex.host.runs.null import read_null_run
from ambidex.host.runs.runner import plan, run_jobs
from ambidex.tasks import Suite
from tests.support.peer import PeerMachine
from tests.support.played import row, run_of
from tests.support.suites import config_of
from tests.support.suites import suite as suite
from tests.support.tables import every_case


@every_case(
    "address, where",
    [
        ("", "vendor"),
        ("http://127.0.0.1:8000/v1", "loopback"),
        ("http://[::1]:8000/v1", "loopback"),
        ("http://localhost/v1", "loopback"),
        ("http://10.1.2.3/v1", "private network"),
        ("http://gpu:8000/v1", "private network"),
        ("http://gpu.lan/v1", "private network"),
        ("https://api.example.com/v1", "public host"),
        ("https://8.8.8.8/v1", "public host"),
    ],
)
def test_an_endpoint_is_stated_by_its_class(address: str, where: str) -> None:
    assert endpoint_class(ModelConfig(name="m", base_url=address)) == where


def test_a_model_s_address_and_key_are_not_stated(tmp_path: Path) -> None:
    model = ModelConfig(name="m", base_url="http://10.1.2.3/v1", key="SECRET", temperature=0.5)
    days = ("2026-01-02", "2026-01-01", "2026-01-02")
    rows = [
        row("a", beneficial=True, score=1, trial=at, model="m", started=f"{day}T00:00:00+00:00")
        for at, day in enumerate(days, 1)
    ]
    run = run_of(tmp_path / "run", rows, model=model, agents=["a"])
    passport = build(run)
    (stated,) = passport.models
    assert (stated.endpoint, stated.days) == ("private network", ("2026-01-01", "2026-01-02"))
    assert stated.parameters["temperature"] == 0.5
    assert b"10.1.2.3" not in canonical(passport)
    assert b"SECRET" not in canonical(passport)


def test_tasks_that_null_agents_solved_are_left_out_of_a_second_report(tmp_path: Path) -> None:
    nulls = [
        row(task, beneficial=True, score=score, agent="says_done")
        for task, score in (("a", 1), ("b", 0))
    ]
    null = read_null_run(run_of(tmp_path / "null", nulls))
    rows = [row(task, beneficial=True, score=1, strict=0) for task in "ab"]
    passport = build(run_of(tmp_path / "run", rows), null)
    (line,) = passport.numbers_without_solvable
    assert isinstance(line, dict)
    assert (line["excluded"], line["planned"]) == (["a"], 1)
    assert passport.tasks["a"].solved_by_null == ("says_done",)
    assert passport.verdicts_differ == ("f: 1, strict 0", "f: 1, strict 0")
    assert build(run_of(tmp_path / "more", [*rows, row("c", beneficial=True, score=1)]), null).null


def test_a_run_states_its_accelerator_and_guest_code_and_old_environments_keep_their_digest(
    suite: Suite, tmp_path: Path
) -> None:
    plain = this_environment("image:1")
    told = this_environment("image:1", "tcg", "abc")
    assert plain.digest != told.digest
    old = plain.model_dump(exclude={"accelerator", "guest_code"})
    assert type(plain).model_validate(old).digest == plain.digest
    config = config_of(suite)
    with locked(tmp_path / "run"):
        adopt(tmp_path / "run", config)
        make = agent_maker(config, lambda _: pytest.fail("no model here"))
        run_jobs(
            plan(config.agents, 1, suite),
            config,
            suite,
            tmp_path / "run",
            PeerMachine,
            make,
            environment=told,
        )
    machine = build(tmp_path / "run").machine
    assert (machine.accelerators, machine.guest_code) == (("tcg",), ("abc",))
