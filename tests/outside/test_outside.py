"""One episode in each program that cannot share our packages, with its own package."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ambidex.host import ROOT
from ambidex.host.integrations.harbor_tasks import write_harbor_tasks
from ambidex.tasks.load import load_suite
from tests.outside.conftest import TASK, WITHIN, Outside
from tests.support.served import ALL

ENVIRONMENT = "ambidex_desktop.harbor:AmbidexEnvironment"
WORDS = "a\nb\nc\n"


def harbor(outside: Outside, tasks: Path, agent: str) -> float:
    """The mean reward of an agent on these tasks."""
    jobs = tasks.parent / "jobs"
    command = ("-m", "harbor.cli.main", "run", "-p", str(tasks), "-a", agent, "-n", "1", "-y")
    outside.run("harbor", *command, "--env", ENVIRONMENT, "-o", str(jobs))
    [result] = jobs.glob("*/*/result.json")
    found = json.loads(result.read_text())
    assert found["exception_info"] is None
    return float(found["verifier_result"]["rewards"]["reward"])


@pytest.mark.parametrize(
    ("agent", "reward"),
    [("oracle", 1.0), ("nop", 0.0), ("tests.outside.guest_agent:GuestAgent", 1.0)],
)
def test_harbor_plays_a_task_of_ours(
    outside: Outside, tmp_path: Path, agent: str, reward: float
) -> None:
    write_harbor_tasks(load_suite(ROOT / "tasks" / "demo", ALL, (TASK,)), tmp_path / "tasks")
    assert harbor(outside, tmp_path / "tasks", agent) == reward


def test_harbor_plays_a_task_with_a_dockerfile_of_packages_and_files(
    outside: Outside, tmp_path: Path
) -> None:
    folder = tmp_path / "tasks" / "count"
    for name in ("environment", "solution", "tests"):
        (folder / name).mkdir(parents=True)
    (folder / "instruction.md").write_text("Write the number of lines of /data/words.txt.")
    (folder / "task.toml").write_text('[environment]\nnetwork_mode = "no-network"\n')
    (folder / "environment" / "words.txt").write_text(WORDS)
    (folder / "environment" / "Dockerfile").write_text(
        "FROM debian:12\nRUN apt-get install -y curl\nWORKDIR /app\nCOPY words.txt /data/\n"
    )
    solve = "#!/bin/sh\nwc -l </data/words.txt >/app/count.txt\n"
    (folder / "solution" / "solve.sh").write_text(solve)
    test = '#!/bin/sh\n[ "$(cat /app/count.txt)" = 3 ] && echo 1 >/logs/verifier/reward.txt\n'
    (folder / "tests" / "test.sh").write_text(test)
    assert harbor(outside, tmp_path / "tasks", "oracle") == 1.0


def test_verifiers_plays_an_episode(outside: Outside) -> None:
    assert "mean reward: 1.000" in outside.run("verifiers", "examples/rl_verifiers.py", "1")


def test_openenv_plays_an_episode(outside: Outside) -> None:
    with openenv_server(outside) as url:
        assert outside.run("openenv", "examples/rl_openenv.py", url, "1") == "mean reward: 1.000\n"


@contextmanager
def openenv_server(outside: Outside) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    argv = ("-m", "uvicorn", "ambidex_desktop.openenv:app", "--factory", "--port", str(port))
    environment = outside.environment()
    process = subprocess.Popen(
        [outside.python("openenv"), *argv], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + WITHIN
        while not _answers(port):
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)  # polling interval; the wait is bounded
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == os.EX_OK
