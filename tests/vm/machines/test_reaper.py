import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

from ambidex.vm.machines.reaper import processes_with

PROJECT = Path(__file__).parents[3]
OWNER = """
import subprocess, sys, time
tag, folder = sys.argv[1:]
reaper = subprocess.Popen(
    [sys.executable, "-m", "ambidex.vm.machines.reaper", tag, folder],
    stdin=subprocess.PIPE,
    start_new_session=True,
)
machine = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)", tag], start_new_session=True
)
print("up", flush=True)
time.sleep(600)
"""


def wait_until_gone(tag: str) -> bool:
    deadline = time.monotonic() + 20
    while processes_with(tag) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not processes_with(tag)


def test_the_machines_of_an_owner_that_was_killed_are_ended(tmp_path: Path) -> None:
    tag = f"ambidex-{secrets.token_hex(6)}"
    folder = tmp_path / "machines"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, tag, str(folder)], cwd=PROJECT.parent, stdout=subprocess.PIPE
    ) as owner:
        try:
            assert owner.stdout is not None
            assert owner.stdout.readline() == b"up\n"
            # Here the owner's own command line has the tag too. A program that is just starting has
            # no command line for a moment.
            deadline = time.monotonic() + 20
            while len(processes_with(tag)) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(processes_with(tag)) == 2
        finally:
            os.kill(owner.pid, signal.SIGKILL)
    assert wait_until_gone(tag)
    deadline = time.monotonic() + 20
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not folder.exists()


def test_a_process_without_the_tag_is_left_alone() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as bystander:
        subprocess.run(
            [sys.executable, "-m", "ambidex.vm.machines.reaper", f"ambidex-{secrets.token_hex(6)}"],
            cwd=PROJECT.parent,
            input=b"closed",
            check=True,
        )
        alive = bystander.poll() is None
        bystander.kill()
    assert alive


def test_a_tag_that_is_too_short_is_refused() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "ambidex.vm.machines.reaper", "qemu"],
        cwd=PROJECT.parent,
        input=b"",
        capture_output=True,
    )
    assert process.returncode != 0
    assert b"the tag 'qemu' is too short" in process.stderr
