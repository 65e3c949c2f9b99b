"""`python3 -m ambidex.guest`: runs the guest server."""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import socket
from pathlib import Path

from ambidex.guest import DEFAULT_PORT

FIRST_PASSED_SOCKET = 3
"""Number of the first socket passed by our parent, as in systemd's socket activation.

LISTEN_FDS is their count.
"""
HEADLESS_MARKER = "/etc/ambidex/headless"
"""Exists on a machine without a desktop."""
PR_SET_DUMPABLE = 4
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4


def parse_arguments() -> argparse.Namespace:
    """Parse the command line; most flags have an environment variable for the unit file."""
    get = os.environ.get
    about = "The guest server of Ambidex: /mcp and /harness on one port."
    parser = argparse.ArgumentParser(prog="python3 -m ambidex.guest", description=about)
    port = int(get("AMBIDEX_PORT", str(DEFAULT_PORT)))
    parser.add_argument("--port", type=int, default=port, help="default: %(default)s")
    host = get("AMBIDEX_HOST", "0.0.0.0")
    parser.add_argument("--host", default=host, help="address to listen on, default: %(default)s")
    user = get("AMBIDEX_USER", "user")
    parser.add_argument("--user", default=user, help="the desktop user, default: %(default)s")
    places = "$CREDENTIALS_DIRECTORY/ambidex.token, then /etc/ambidex/token"
    parser.add_argument("--token", type=Path, help=f"file with the token, default: {places}")
    state = get("RUNTIME_DIRECTORY", "/run/ambidex")
    about_state = "folder that stores a renewed token across restarts, default: %(default)s"
    parser.add_argument("--state", type=Path, default=Path(state), help=about_state)
    return parser.parse_args()


def protect_process() -> None:
    """Prevent other accounts from reading our memory, and children from inheriting capabilities."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)


def sockets(host: str, port: int) -> list[socket.socket]:
    """The sockets to serve: one bound to this address, and those passed by our parent."""
    own = socket.socket()
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.bind((host, port))
    count = int(os.environ.pop("LISTEN_FDS", "0"))
    passed = range(FIRST_PASSED_SOCKET, FIRST_PASSED_SOCKET + count)
    return [own, *(socket.socket(fileno=number) for number in passed)]


def main() -> None:
    """Serve until terminated."""
    options = parse_arguments()
    protect_process()
    # Nothing that is imported becomes garbage: looking for it takes a sixth of the time to start.
    gc.disable()
    from ambidex.guest.account import Account
    from ambidex.guest.processes import Processes

    processes = Processes(Account.named(options.user))
    processes.launch()
    from pydantic import BaseModel

    # Of the protocol's hundreds of messages, each is built when it is first needed.
    BaseModel.model_config["defer_build"] = True
    # FastMCP reads a file .env in the current folder, which the desktop user must not control.
    os.environ["FASTMCP_ENV_FILE"] = "/dev/null"
    os.chdir("/")
    import uvicorn

    from ambidex.guest.door import door
    from ambidex.guest.guard import Token
    from ambidex.guest.journal import Journal

    journal = Journal.installed()
    token = Token.read(options.token, options.state / "token")
    config = uvicorn.Config(
        door(processes, token, journal, desktop=not os.path.exists(HEADLESS_MARKER)),
        log_config=None,
        access_log=False,
        ws="none",
        timeout_keep_alive=600,
        timeout_graceful_shutdown=3,
        server_header=False,
    )
    gc.freeze()
    gc.enable()
    uvicorn.Server(config).run(sockets(options.host, options.port))


if __name__ == "__main__":
    main()
