"""Starts an image's services in its files, fills them with a firm, logs the desktop user's browsers
in, and stops the services again.

`python3 -I -S inside.py PLAN`, in namespaces with a network of their own. The plan has the firm,
the declarations of the services, the programs that fill them and the one that logs in. Runs on the
image's own Python with only the standard library.
"""

from __future__ import annotations

import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

READY_WITHIN, END_WITHIN = 180.0, 60.0
"""Seconds for a service to become ready, and to end."""
POLL_INTERVAL = 0.2
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
Declared = Mapping[str, Any]


def start(service: Declared) -> subprocess.Popen[bytes]:
    """Start a service as its systemd unit does."""
    account = pwd.getpwnam(service["account"])
    for path in service["runtime"]:
        os.makedirs(path, exist_ok=True)
        os.chown(path, account.pw_uid, account.pw_gid)
    return subprocess.Popen(
        service["argv"],
        env={"PATH": PATH, "LANG": "C.UTF-8", "HOME": account.pw_dir, **service["environment"]},
        user=account.pw_uid,
        group=account.pw_gid,
        extra_groups=os.getgrouplist(account.pw_name, account.pw_gid),
        cwd="/",
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def is_ready(probe: Declared) -> bool:
    """Whether a service answers."""
    if probe["run"]:
        account = pwd.getpwnam("ambidex")
        asked = subprocess.run(probe["run"], user=account.pw_uid, group=account.pw_gid, check=False)
        return asked.returncode == 0
    try:
        if probe["http"]:
            with urllib.request.urlopen(probe["http"], timeout=5):
                return True
        with socket.create_connection(("127.0.0.1", probe["tcp"]), timeout=5):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False


def wait_until_ready(service: Declared, process: subprocess.Popen[bytes]) -> None:
    """Wait until a service answers; exit if it does not."""
    deadline = time.monotonic() + READY_WITHIN
    while not is_ready(service["ready"]):
        if process.poll() is not None:
            sys.exit(f"{service['name']} ended with {process.returncode}")
        if time.monotonic() > deadline:
            sys.exit(f"{service['name']} does not answer after {READY_WITHIN:g} s")
        time.sleep(POLL_INTERVAL)


def end(service: Declared, process: subprocess.Popen[bytes]) -> None:
    """End a service, and wait for it."""
    # PostgreSQL waits for its clients at SIGTERM.
    process.send_signal(signal.SIGINT if service["account"] == "postgres" else signal.SIGTERM)
    try:
        process.wait(END_WITHIN)
    except subprocess.TimeoutExpired:
        sys.exit(f"{service['name']} does not end")


def fill(name: str, program: str, firm: Declared) -> None:
    """Run the program that fills a service; exit if it fails."""
    began = time.monotonic()
    argv = ["/usr/bin/python3", "-I", program]
    ended = subprocess.run(argv, input=json.dumps(firm).encode(), check=False)
    if ended.returncode:
        sys.exit(f"filling {name} failed: {ended.returncode}")
    print(f"{name} is filled after {time.monotonic() - began:.1f} s", flush=True)


def needed(services: Sequence[Declared], fillers: Mapping[str, str]) -> list[Declared]:
    """Those that are filled, and those that they need, in the order in which they start."""
    names: set[str] = set()
    for service in reversed(services):
        if service["name"] in fillers or service["name"] in names:
            names |= {service["name"], *service["after"]}
    return [service for service in services if service["name"] in names]


def main() -> None:
    """Fill all of them."""
    plan = json.loads(Path(sys.argv[1]).read_text())
    running: list[tuple[Declared, subprocess.Popen[bytes]]] = []
    fillers = plan["fillers"]
    for service in needed(plan["services"], fillers):
        running.append((service, start(service)))
        wait_until_ready(*running[-1])
        print(f"{service['name']} is ready", flush=True)
    for service, _ in running:
        if service["name"] in fillers:
            fill(service["name"], fillers[service["name"]], plan["firm"])
    fill("browser", plan["browser"], plan["firm"])
    for service, process in reversed(running):
        end(service, process)


if __name__ == "__main__":
    main()
