"""A machine that is killed from outside."""

import os
import select
import signal

from ambidex.vm.machines.machine import Running


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
