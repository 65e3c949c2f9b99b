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
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.host import ROOT
from ambidex.host.integrations.harbor_tasks import write_harbor_tasks
from ambidex.tasks.load import load_suite
from tests.outside.conftest import TASK, WITHIN, Outside
from tests.support.served import ALL
from tests.support.serving import serve

ENVIRONMENT = "ambidex_desktop.harbor:AmbidexEnvironment"
WORDS = "a\nb\nc\n"


def harbor(outside: Outside, tasks: Path, agent: str, *options: str) -> float:
    """The mean reward of an agent on these tasks."""
    jobs = tasks.parent / "jobs"
    command = ("-m", "harbor.cli.main", "run", "-p", str(tasks), "-a", agent, "-n", "1", "-y")
    outside.run("harbor", *command, "--env", ENVIRONMENT, "-o", str(jobs), *options)
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


def test_harbors_computer_use_agent_plays_on_the_desktop(outside: Outside, tmp_path: Path) -> None:
    write_harbor_tasks(load_suite(ROOT / "tasks" / "demo", ALL, (TASK,)), tmp_path / "tasks")
    file = tmp_path / "tasks" / TASK / "task.toml"
    # The agent does not support MCP.
    text, rest = file.read_text().split("[[environment.mcp_servers]]")
    file.write_text(text + rest[rest.index("[environment.healthcheck]") :])
    with computer_model() as address:
        options = {
            "provider": "litellm",
            "api_base": f"{address}/v1",
            "enable_images": "true",
            "desktop_width": "1920",
            "desktop_height": "1080",
        }
        words = [word for name, value in options.items() for word in ("--ak", f"{name}={value}")]
        assert harbor(outside, file.parents[1], "computer-1", "-m", "openai/toy", *words) == 1.0


SETTINGS = (
    "org.gnome.desktop.interface color-scheme prefer-dark",
    "org.gnome.desktop.interface text-scaling-factor 1.25",
    "org.gnome.desktop.notifications show-banners false",
)
ACTIONS = [
    {"type": "keypress", "keys": ["alt", "F2"]},
    {"type": "wait"},  # until the dialog is open
    {"type": "type", "text": f"sh -c '{'; '.join(f'gsettings set {each}' for each in SETTINGS)}'"},
    {"type": "keypress", "keys": ["Return"]},
    {"type": "wait"},
    {"type": "done", "result": "done"},
]


@contextmanager
def computer_model() -> Iterator[str]:
    """A model that answers with these actions, the last one again when it is asked to confirm."""
    left = list(ACTIONS)

    async def complete(request: Request) -> Response:
        parts = (await request.json())["messages"][-1]["content"]
        assert any(part["type"] == "image_url" for part in parts)
        action = left.pop(0) if len(left) > 1 else left[0]
        content = json.dumps({"analysis": "", "plan": "", "action": action})
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "toy"}
        return JSONResponse({**answer, "choices": [choice], "usage": usage})

    with serve(Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])) as at:
        yield at


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
