"""A test suite on code that an agent wrote: the code cannot influence its own verdict."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path
from typing import Any

import pytest

RUN = """
import json, sys
from ambidex.guest.evidence.suite import run
given = json.loads(sys.argv[1])
report = run(given, sys.stdin.buffer.read())
print(json.dumps(report))
"""
PLAY = "import sys; from ambidex.guest.evidence.player import main; main(*sys.argv[1:])"


def reported(folder: Path, code: str, suite: str, within: float = 30) -> dict[str, Any]:
    """The suite's report on the module `snake` with this code."""
    (folder / "snake.py").write_text(textwrap.dedent(code))
    address = f"ambidex-test-{uuid.uuid4().hex}"
    given = {"address": address, "modules": ["snake"], "function": "test", "within": within}
    with subprocess.Popen([sys.executable, "-c", PLAY, str(folder), address]) as player:
        done = subprocess.run(
            [sys.executable, "-c", RUN, json.dumps(given)],
            input=textwrap.dedent(suite).encode(),
            capture_output=True,
            check=True,
            timeout=60,
        )
        player.kill()
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


SNAKE = """
import random
SIZE = (4, 3)
class Snake:
    length = 1
    def __init__(self):
        self.body = [(0, 0)]
        self.food = {"at": (1, 0), "eaten": False}
        self.seen = {1, 2}
    def move(self, x, y=0):
        head = self.body[0]
        if not 0 <= head[0] + x < SIZE[0]:
            raise ValueError("the wall")
        self.body.insert(0, (head[0] + x, head[1] + y))
        return self
    def __len__(self):
        return len(self.body)
def drawn():
    return random.randint(1, 10**9)
def total(numbers, scale=1.0):
    return sum(numbers) * scale
"""

SUITE = """
import random
import snake
from snake import *
def test():
    made = Snake()
    assert isinstance(made, Snake) and Snake.length == 1 and SIZE == (4, 3)
    assert made.move(1, y=0).body == [(1, 0), (0, 0)] and len(made) == 2
    made.body.append((2, 2))
    made.body[0] = (3, 0)
    assert made.body == [(3, 0), (0, 0), (2, 2)] and (2, 2) in made.body
    assert isinstance(made.body, list) and [x for x, _ in made.body] == [3, 0, 2]
    made.food["eaten"] = True
    assert made.food == {"at": (1, 0), "eaten": True} and made.seen == {1, 2}
    assert total([1, 2, 3], scale=0.5) == 3.0
    random.seed(7)
    first = drawn()
    random.seed(7)
    assert drawn() == first
    snake.SIZE = (9, 9)
    assert snake.SIZE == (9, 9)
    try:
        made.move(99)
    except ValueError as error:
        assert str(error) == "the wall"
    else:
        raise AssertionError("no wall")
    return True
"""


def test_right_code_passes_a_suite_that_uses_it_in_every_way(tmp_path: Path) -> None:
    assert reported(tmp_path, SNAKE, SUITE) == {"passed": 1, "failed": 0, "errors": []}


def test_wrong_code_fails_it(tmp_path: Path) -> None:
    wrong = SNAKE.replace("* scale", "+ scale")
    said = reported(tmp_path, wrong, SUITE)
    assert said["passed"] == 0
    assert said["errors"][0].startswith("AssertionError")


FORGERIES = {
    "writes the report and ends": """
        import os
        for number in range(3, 30):
            try:
                os.write(number, b'{"passed": 1, "failed": 0, "errors": []}')
            except OSError:
                pass
        print('{"passed": 1, "failed": 0, "errors": []}', flush=True)
        os._exit(0)
        """,
    "replaces the suite": """
        import sys, types, builtins
        for module in list(sys.modules.values()):
            if hasattr(module, "test"):
                module.test = lambda: True
        builtins.AssertionError = Warning
        def total(numbers): return 0
        """,
    "is equal to everything": """
        class Yes:
            def __eq__(self, other): return True
            def __bool__(self): return True
            def __hash__(self): return 6
        def total(numbers): return Yes()
        """,
    "is a number that lies": """
        class Six(int):
            def __eq__(self, other): return True
            def __hash__(self): return 6
        def total(numbers): return Six(1)
        """,
    "answers nonsense": """
        import ambidex.guest.evidence.player as player
        player.send = lambda line, said: line.sendall(b"\\xff" * 100)
        def total(numbers): return 6
        """,
    "sends what it would have the suite run": """
        import ambidex.guest.evidence.player as player
        send = player.send
        def evil(line, said):
            send(line, {"value": {"pickle": "Y3Bvc2l4CnN5c3RlbQooUydleGl0JwpSLg=="}})
        player.send = evil
        def total(numbers): return 6
        """,
    "never answers": """
        import time
        def total(numbers): time.sleep(3600)
        """,
}


@pytest.mark.parametrize("code", FORGERIES.values(), ids=FORGERIES.keys())
def test_no_code_of_the_agent_s_makes_its_own_report(
    tmp_path: Path, code: str, request: pytest.FixtureRequest
) -> None:
    suite = """
    from snake import total
    def test():
        assert total([1, 2, 3]) == 6
        return True
    """
    within = 1 if "never" in request.node.callspec.id else 30
    said = reported(tmp_path, code, suite, within)
    assert said["passed"] == 0, said
