"""Sandboxes: the desktop of an image in Linux namespaces, at the speed of this machine.

The same files as in a virtual machine (an image's tree, read-only, under an overlay in memory), the
same user, session and guest server; an X server that speaks VNC as the display. A sandbox shares
this machine's kernel, and its processes cannot be frozen: a revert ends it and takes a fresh one.

    provider   makes sandboxes and owns them; a vm.Machine is one after another of them
    instance   one running sandbox, seen from this machine
    enter      becomes bubblewrap on a file system of its own: python -m ambidex.vm.sandbox.enter
    inside     process 1 in there: the X server, the session, the guest
    limits     how much memory and how many processes it may have
    kept       files of a sandbox kept under a name
"""

from __future__ import annotations
