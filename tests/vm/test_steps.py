"""Checkpoints of real machines: a fork has the complete state that was saved.

Two machines go through operations that hypothesis draws: they act, are saved as checkpoints, revert
to checkpoints and are killed, and checkpoints are deleted. A `Desk` is a machine's expected state.
AMBIDEX_TEST_OPERATIONS sets the number of operations.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.vm import Machine, MachineError
from ambidex.vm.building.image import open_image
from ambidex.vm.checkpoints.collection import delete_checkpoint, list_checkpoints
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.machines.reaper import processes_with
from ambidex.vm.provider import LibvirtProvider
from tests.support.killed import kill

OPERATIONS = int(os.environ.get("AMBIDEX_TEST_OPERATIONS", "30"))
EDITOR = "typed.txt"
WITNESS = r"""
import os, json, socketserver, subprocess
from pathlib import Path
import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi
Atspi.init()
count = 0

def multi(node):
    return node.get_state_set().contains(Atspi.StateType.MULTI_LINE)

def typed(node):
    if node is None:
        return None
    if node.get_role() == Atspi.Role.TEXT and multi(node):
        return node.get_text(0, node.get_character_count())
    children = (node.get_child_at_index(number) for number in range(node.get_child_count()))
    return next((text for text in map(typed, children) if text is not None), None)

def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=-3, text=True).stdout

class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        global count
        if self.rfile.readline() == b"count\n":
            count += 1
            self.wfile.write(b"{}")
            return
        desktop = Atspi.get_desktop(0)
        apps = [desktop.get_child_at_index(number) for number in range(desktop.get_child_count())]
        titles = [line.split(None, 3)[3] for line in output("wmctrl", "-l").splitlines()]
        self.wfile.write(json.dumps({
            "files": {path.name: path.read_text() for path in Path("desk").iterdir()},
            "clipboard": output("xclip", "-o", "-selection", "clipboard"),
            "windows": sorted(title for title in titles if title.startswith("window ")),
            "text": next(typed(app) for app in apps if app and app.get_name() == "gedit"),
            "count": count,
        }).encode())

os.chdir(Path.home())
Path("desk").mkdir()
socketserver.UnixStreamServer("/tmp/witness", Answer).serve_forever()
"""
"""A program that counts in its memory and reports the desktop's state."""


@dataclass(frozen=True)
class Desk:
    """The expected state of a desktop."""

    files: tuple[tuple[str, str], ...] = ()
    clipboard: str = "nothing yet"
    windows: frozenset[str] = frozenset()
    text: str = ""
    count: int = 0


def ask(guest: Guest, word: str) -> dict[str, Any]:
    answer = guest.run(["socat", "-t30", "-", "UNIX-CONNECT:/tmp/witness"], input=f"{word}\n")
    assert answer.returncode == 0, answer
    payload: dict[str, Any] = json.loads(answer.stdout)
    return payload


def read_desk(guest: Guest) -> Desk:
    payload = ask(guest, "look")
    files, windows = payload.pop("files"), payload.pop("windows")
    return Desk(**payload, files=tuple(sorted(files.items())), windows=frozenset(windows))


def tool(guest: Guest, name: str, **arguments: object) -> None:
    result = guest.call(ToolCall(uuid4().hex, name, arguments))
    assert not result.error, result.text


def furnish(guest: Guest) -> Desk:
    """Open the editor and start the witness."""
    guest.put(f"~/{EDITOR}", b"")
    guest.run(["gedit", EDITOR], background=True, cwd="/home/user")
    guest.wait_window(EDITOR, timeout=240)
    guest.run(["python3", "-c", WITNESS], background=True)
    wait = "until [ -S /tmp/witness ]; do sleep 0.1; done"
    assert guest.run(["sh", "-c", wait], timeout=120).returncode == 0
    copy(guest, Desk().clipboard)
    return Desk()


def copy(guest: Guest, text: str) -> None:
    own_clipboard = 'printf %s "$0" | xclip -i -selection clipboard >/dev/null 2>&1'
    assert guest.run(["sh", "-c", own_clipboard, text]).returncode == 0


def write(guest: Guest, desk: Desk, number: int) -> Desk:
    name, text = f"file-{number % 4}", f"text {number}"
    guest.put(f"~/desk/{name}", text.encode())
    return replace(desk, files=tuple(sorted({**dict(desk.files), name: text}.items())))


def cut(guest: Guest, desk: Desk, number: int) -> Desk:
    copy(guest, f"clip {number}")
    return replace(desk, clipboard=f"clip {number}")


def window(guest: Guest, desk: Desk, number: int) -> Desk:
    """Open a window, or close it."""
    title = f"window {number % 3}"
    if title not in desk.windows:
        guest.run(["xev", "-name", title], background=True)
        guest.wait_window(title, timeout=60)
        return replace(desk, windows=desk.windows | {title})
    # The brackets keep pkill from ending the shell itself, whose command line has the pattern.
    close = f'pkill -f "[x]ev -name {title}"; while wmctrl -l | grep -q "{title}"; do :; done'
    assert guest.run(["sh", "-c", close], timeout=60).returncode == 0
    return replace(desk, windows=desk.windows - {title})


def type_on(guest: Guest, desk: Desk, number: int) -> Desk:
    tool(guest, "computer_activate_window", title=EDITOR)
    tool(guest, "computer_type", text=f"{number} ")
    return replace(desk, text=f"{desk.text}{number} ")


def count(guest: Guest, desk: Desk, number: int) -> Desk:
    ask(guest, "count")
    return replace(desk, count=desk.count + 1)


ACTS = (write, cut, window, type_on, count)
KINDS = ["act"] * 4 + ["keep"] * 3 + ["fork"] * 3 + ["drop", "kill"]


class Model:
    """Two machines and their checkpoints, with the expected state of each."""

    def __init__(self, pair: tuple[OwnedMachine[Instance], ...], folder: Path) -> None:
        self.machines = pair
        self.folder = folder
        self.desks: list[Desk | None] = [None, None]
        self.steps: dict[Path, Desk] = {}
        self.done: list[str] = []
        machine = self.machines[0]
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            self.desks[0] = furnish(guest)
        self.keep(0)

    def do(self, kind: str, which: int, number: int) -> None:
        """Perform an operation, or the nearest one that is possible at present."""
        desk = self.desks[which]
        if kind == "fork" or desk is None:
            self.fork(which, number)
        elif kind == "act":
            self.act(which, desk, number)
        elif kind == "keep" or len(self.steps) < 2:
            self.keep(which)
        elif kind == "drop":
            self.drop(number)
        else:
            kill(self.machines[which].instance)
            self.desks[which] = None
            self.done.append(f"kill {which}")

    def act(self, which: int, desk: Desk, number: int) -> None:
        machine, act = self.machines[which], ACTS[number % len(ACTS)]
        with Guest(machine.endpoint, machine.token) as guest:
            self.desks[which] = act(guest, desk, number)
        self.done.append(f"{act.__name__} {which} {number}")

    def keep(self, which: int) -> None:
        step = self.folder / str(len(self.done))
        self.machines[which].snapshot(step)
        desk = self.desks[which]
        assert desk is not None
        self.steps[step] = desk
        self.done.append(f"keep {which} {step.name}")

    def fork(self, which: int, number: int) -> None:
        step = sorted(self.steps)[number % len(self.steps)]
        self.machines[which].revert(step)
        self.desks[which] = self.steps[step]
        self.done.append(f"fork {which} {step.name}")
        for index in range(2):  # the other machine must be undisturbed
            self.check(index)

    def drop(self, number: int) -> None:
        step = sorted(self.steps)[number % len(self.steps)]
        delete_checkpoint(step)
        del self.steps[step]
        self.done.append(f"drop {step.name}")

    def check(self, which: int) -> None:
        if self.desks[which] is not None:
            machine = self.machines[which]
            with Guest(machine.endpoint, machine.token) as guest:
                assert read_desk(guest) == self.desks[which], self.done


def own(machines: Source) -> OwnedMachine[Instance]:
    machine = machines.make()
    assert isinstance(machine, OwnedMachine)
    return machine


OPERATION = st.tuples(st.sampled_from(KINDS), st.integers(0, 1), st.integers(0, 999))


@given(drawn=st.lists(OPERATION, min_size=OPERATIONS, max_size=OPERATIONS))
@settings(
    max_examples=1,
    phases=[Phase.generate],
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_fork_has_the_saved_state_and_the_other_machine_is_undisturbed(
    machines: Source, tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, int, int]]
) -> None:
    assume(len({kind for kind, _, _ in drawn}) > 2)  # skip the simplest example, of one kind
    folder = tmp_path_factory.mktemp("trial") / "snapshots"
    with ExitStack() as stack:
        pair = tuple(stack.enter_context(closing(own(machines))) for _ in range(2))
        model = Model(pair, folder)
        for kind, which, number in drawn:
            model.do(kind, which, number)
        for which in range(2):
            model.check(which)
        names = [pair[which].instance.name for which in range(2) if model.desks[which] is not None]
        print("; ".join(model.done))
    for step in model.steps:
        delete_checkpoint(step)
    assert list_checkpoints(folder) == ()
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) == 0
    ended = time.monotonic() + 30
    while any(map(processes_with, names)) and time.monotonic() < ended:
        time.sleep(0.1)  # machines are ended in the background
    assert not any(map(processes_with, names))


@pytest.fixture(scope="module")
def steps(machines: Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of a desktop with the editor and the witness."""
    folder = tmp_path_factory.mktemp("checkpoints")
    with closing(machines.make()) as machine:
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            furnish(guest)
        machine.snapshot(folder / "1")
    return folder


IDENTITY = "cat /etc/machine-id; head -c 16 /dev/urandom | base64; date +%s"


def test_forks_of_one_checkpoint_have_different_identities(machine: Machine, steps: Path) -> None:
    identities = set()
    for _ in range(2):
        before = time.time()
        machine.revert(steps / "1")
        with Guest(machine.endpoint, machine.token) as guest:
            *own, clock = guest.run(["sh", "-c", IDENTITY]).stdout.split()
        assert before - 5 < int(clock) < time.time() + 5
        identities.update([machine.endpoint, machine.token, machine.vnc, *own])
    assert len(identities) == 10


def test_a_checkpoint_names_its_parent(machine: Machine, steps: Path) -> None:
    machine.revert(steps / "1")
    machine.snapshot(steps / "2")
    machine.snapshot(steps / "3")
    parents = {step.name: step.parent for step in list_checkpoints(steps)}
    assert parents == {"1": None, "2": steps / "1", "3": steps / "2"}
    machine.revert("ready")
    machine.snapshot(steps / "4")
    assert list_checkpoints(steps)[-1].parent is None


def test_a_refused_checkpoint_leaves_the_machine_unchanged(machine: Machine, steps: Path) -> None:
    machine.revert("ready")
    with Guest(machine.endpoint, machine.token) as guest:
        guest.put("~/still-here.txt", b"yes")
        with pytest.raises(MachineError, match="not a checkpoint"):
            machine.revert(steps / "nowhere")
        assert guest.get("~/still-here.txt") == b"yes"


def test_a_snapshot_of_a_fork_of_a_checkpoint_is_self_contained(
    machine: Machine, steps: Path
) -> None:
    machine.revert(steps / "1")
    with Guest(machine.endpoint, machine.token) as guest:
        desk = type_on(guest, Desk(), 7)
    machine.snapshot("of-a-step")
    machine.revert("ready")
    machine.revert("of-a-step")
    with Guest(machine.endpoint, machine.token) as guest:
        assert read_desk(guest) == desk
        desk = type_on(guest, desk, 8)
    machine.snapshot(steps / "over")  # it can be the base snapshot of checkpoints
    machine.revert(steps / "over")
    with Guest(machine.endpoint, machine.token) as guest:
        assert read_desk(guest) == desk


def test_a_machine_whose_process_may_not_be_traced_is_saved_as_a_whole(
    machines: Source, tmp_path: Path
) -> None:
    image = open_image(machines.image.split(":")[0])
    with (
        LibvirtProvider(spares=0, way="whole") as provider,
        provider.machine(image) as machine,
    ):
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            desk = type_on(guest, write(guest, furnish(guest), 3), 5)
            machine.snapshot(tmp_path / "1")
            assert read_desk(guest) == desk  # it keeps running
            type_on(guest, desk, 6)
        machine.revert(tmp_path / "1")
        with Guest(machine.endpoint, machine.token) as guest:
            assert read_desk(guest) == desk
            desk = type_on(guest, desk, 9)
        machine.snapshot(tmp_path / "2")
        machine.revert(tmp_path / "2")
        with Guest(machine.endpoint, machine.token) as guest:
            assert read_desk(guest) == desk
