"""`python3 -m ambidex.guest`: open the door."""

from __future__ import annotations

import argparse
import ctypes
import os
import socket
from pathlib import Path

from ambidex.guest import DEFAULT_PORT

FIRST_GIVEN = 3
"""Number of the first socket that whoever started us may have handed over, as systemd does it:
LISTEN_FDS says how many.
"""
PR_SET_DUMPABLE = 4
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4


def arguments() -> argparse.Namespace:
    """The command line; each flag has a variable of the environment, for the unit file."""
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
    keeps = "folder of ours that keeps a renewed token over a restart, default: %(default)s"
    parser.add_argument("--state", type=Path, default=Path(state), help=keeps)
    return parser.parse_args()


def lock() -> None:
    """No process of another account reads our memory, and no process that we start inherits our
    capabilities.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)


def sockets(host: str, port: int) -> list[socket.socket]:
    """Our own address, and those that were opened for us elsewhere; none of them is listening."""
    own = socket.socket()
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.bind((host, port))
    given = range(FIRST_GIVEN, FIRST_GIVEN + int(os.environ.pop("LISTEN_FDS", "0")))
    return [own, *(socket.socket(fileno=number) for number in given)]


def main() -> None:
    """Listen until ended."""
    asked = arguments()
    lock()
    # FastMCP reads a file .env in the current folder, which must not be one of the desktop user's.
    os.environ["FASTMCP_ENV_FILE"] = "/dev/null"
    os.chdir("/")
    import uvicorn

    from ambidex.guest.account import Account
    from ambidex.guest.door import door
    from ambidex.guest.guard import Token
    from ambidex.guest.journal import Journal

    journal = Journal.installed()
    token = Token.read(asked.token, asked.state / "token")
    config = uvicorn.Config(
        door(Account.named(asked.user), token, journal),
        log_config=None,
        access_log=False,
        ws="none",
        timeout_keep_alive=600,
        timeout_graceful_shutdown=3,
        server_header=False,
    )
    uvicorn.Server(config).run(sockets(asked.host, asked.port))


if __name__ == "__main__":
    main()
