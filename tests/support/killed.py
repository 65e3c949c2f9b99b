"""Machines and processes that are killed."""

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator

from ambidex.vm.machines.machine import Running

EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


def kill(instance: Running) -> None:
    """End the process that the machine ends with, and wait until it has ended: the signal is only
    sent, and on a busy host what is inside may answer until it has been taken.
    """
    process = os.pidfd_open(instance.pid())
    try:
        signal.pidfd_send_signal(process, signal.SIGKILL)
        assert select.select([process], [], [], 30)[0], f"{instance.name} has not ended"
    finally:
        os.close(process)


def killed_at_each_event(action: Callable[[], object]) -> Iterator[int]:
    """Run the action in a process that is killed at its first event, then in one that is killed at
    its second, and so on until one completes; yields after each death.
    """
    for last in range(1, 500):
        process = os.fork()
        if process == 0:
            remaining = last

            def count(event: str, _: object) -> None:
                nonlocal remaining
                if event in EVENTS:
                    remaining -= 1
                    if remaining == 0:
                        os.kill(os.getpid(), signal.SIGKILL)

            status = 1
            try:
                sys.addaudithook(count)
                action()
                status = 0
            finally:  # an exception must not reach the caller, which would go on in two processes
                if status:
                    traceback.print_exc()
                os._exit(status)
        status = os.waitpid(process, 0)[1]
        if not os.WIFSIGNALED(status):
            assert status == 0
            return
        yield last
    raise AssertionError("the action did not complete")
