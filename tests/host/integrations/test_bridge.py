"""Desks over HTTP, asked by the client for other environments."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ambidex.host.integrations.background import serving
from ambidex.host.integrations.desk import DeskOptions
from ambidex.host.integrations.desk_server import Desks, desk_app
from ambidex.host.integrations.harbor_tasks import write_harbor_tasks
from ambidex.tasks import Suite
from ambidex_desktop.client import Bridge, BridgeError, connect
from ambidex_desktop.dockerfile import read_dockerfile
from tests.support.peer import PeerMachine
from tests.support.suites import suite

__all__ = ["suite"]

SET = ("calc_set_cell_value", {"cell": "B2", "value": 42})


@pytest.fixture
def bridge(suite: Suite) -> Iterator[Bridge]:
    with (
        closing(PeerMachine()) as machine,
        Desks([machine], suite.tasks, DeskOptions(settle=0.0)) as desks,
        serving(desk_app(desks, "secret"), "the bridge") as url,
    ):
        yield Bridge(url, "secret")


def test_an_episode_is_played_over_the_bridge(bridge: Bridge) -> None:
    assert [task["name"] for task in bridge.tasks()] == ["cell", "impossible"]
    with bridge.desktop() as desktop:
        begun = desktop.reset("cell")
        assert begun["instruction"] == "Set B2 to 42 and save."
        assert base64.b64decode(begun["screen"]).startswith(b"\x89PNG")
        assert "calc_save" in [tool["name"] for tool in begun["tools"]]
        assert desktop.step(SET, ("calc_save", {}))["outcome"] is None
        outcome = desktop.step(stop="done")["outcome"]
        assert (outcome["reward"], outcome["stop"]) == (1.0, "done")


def test_the_oracle_is_played_by_the_bridge(bridge: Bridge) -> None:
    with bridge.desktop() as desktop:
        desktop.reset("cell")
        assert desktop.oracle()["stop"] == "done"
        assert desktop.finish()["score"] == 1.0


def test_a_fork_is_a_desktop_of_its_own(bridge: Bridge) -> None:
    with bridge.desktop() as desktop:
        desktop.reset("cell")
        desktop.step(SET)
        with desktop.fork() as fork:
            fork.step(("calc_save", {}))
            assert fork.finish()["score"] == 1.0
        assert desktop.finish()["score"] == 0.0


def test_many_programs_wait_for_one_machine_while_another_works(bridge: Bridge) -> None:
    waiting = 45  # more than the server has threads
    playing = 5

    def play(number: int) -> float:
        with bridge.desktop() as desktop:
            if number >= playing:
                return 0.0
            desktop.reset("cell")
            desktop.step(SET, ("calc_save", {}))
            return float(desktop.finish()["score"])

    with ThreadPoolExecutor(waiting) as programs:
        scores = list(programs.map(play, range(waiting)))
    assert scores == [1.0] * playing + [0.0] * (waiting - playing)


def test_a_program_that_left_while_it_waited_gets_no_machine(bridge: Bridge) -> None:
    with bridge.desktop(), pytest.raises(BridgeError, match="timed out"):
        bridge.ask("POST", "/desks", timeout=0.5)
    with bridge.desktop() as desktop:
        assert desktop.reset("cell")["instruction"]


def test_files_are_written_and_read(bridge: Bridge) -> None:
    with bridge.desktop() as desktop:
        desktop.reset()
        desktop.put("/home/user/a b.txt", b"x")
        assert desktop.get("/home/user/a b.txt") == b"x"
        assert desktop.run("echo", "hello")["returncode"] == 0


def test_what_cannot_be_done_is_refused_with_the_reason(bridge: Bridge, tmp_path: Path) -> None:
    with pytest.raises(BridgeError, match="needs the server's token"):
        Bridge(bridge.url, "wrong").tasks()
    with pytest.raises(BridgeError, match="no bridge answers"):
        Bridge("http://127.0.0.1:1", "").tasks()
    with pytest.raises(BridgeError, match="does not name a bridge"):
        connect(str(tmp_path / "none.json"))
    desktop = bridge.desktop()
    with pytest.raises(BridgeError, match="no task 'none'"):
        desktop.reset("none")
    with pytest.raises(BridgeError, match="there is no episode"):
        desktop.step(SET)
    desktop.close()
    with pytest.raises(BridgeError, match="there is no desk"):
        desktop.step(SET)


def test_a_dockerfile_of_packages_and_files_is_read(tmp_path: Path) -> None:
    (tmp_path / "data.csv").touch()
    (tmp_path / "Dockerfile").write_text(
        "FROM debian:12\nENV A=1 B='2 3'\nWORKDIR /work\n"
        "RUN apt-get update && apt-get install -y --no-install-recommends \\\n"
        "    git=1:2.3 curl && rm -rf /var/lib/apt/lists/* && mkdir -p /data\n"
        "# a comment\nCOPY data.csv /data/\nCOPY . in\n"
    )
    recipe = read_dockerfile(tmp_path)
    assert recipe.packages == ("git", "curl")
    assert recipe.files == (("data.csv", "/data/data.csv"), (".", "/work/in"))
    assert recipe.env == {"A": "1", "B": "2 3"}
    assert (recipe.folders, recipe.workdir) == (("/data",), "/work")


@pytest.mark.parametrize(
    "line",
    ["FROM python:3.13", "RUN pip install x", "COPY --from=build /a /b", "ENTRYPOINT serve"],
)
def test_a_dockerfile_that_needs_a_container_engine_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "Dockerfile").write_text(f"{line}\n")
    with pytest.raises(ValueError, match="Ambidex"):
        read_dockerfile(tmp_path)


def test_a_suite_is_written_as_task_folders_of_harbor(suite: Suite, tmp_path: Path) -> None:
    assert write_harbor_tasks(suite, tmp_path / "tasks") == 2
    folder = tmp_path / "tasks" / "cell"
    assert (folder / "instruction.md").read_text() == "Set B2 to 42 and save.\n"
    assert 'AMBIDEX_TASK = "cell"' in (folder / "task.toml").read_text()
    assert read_dockerfile(folder / "environment").packages == ()
    assert (folder / "solution" / "solve.sh").stat().st_mode & 0o111
