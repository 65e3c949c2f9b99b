"""Sandboxes: the desktop of an image in Linux namespaces, at native speed.

A sandbox has the same files as a virtual machine (the image's tree, read-only, under an overlay in
memory), the same user, session and guest server. Its display is an X server that speaks VNC. It
shares the host's kernel, and its processes cannot be saved: a revert ends it and takes a fresh one.

    provider   makes and owns sandboxes, and implements vm.Machine on them
    instance   one running sandbox, as seen from the host
    enter      mounts the file system, then runs bubblewrap: python -m ambidex.vm.sandbox.enter
    inside     process 1 of a sandbox: starts the X server, the session and the guest
    limits     limits on memory and processes
    kept       snapshots of a sandbox's files
"""

from __future__ import annotations
