"""Installs the guest server on a running Ubuntu or Debian desktop over SSH."""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import paramiko

from ambidex.vm import MachineError
from ambidex.vm.building.layer import pack_layer
from ambidex.vm.machines.door import new_token
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["Address", "parse_address", "provision"]

PACKAGES = ("python3", "python3-gi", "python3-tk", "gir1.2-atspi-2.0", "at-spi2-core")
"""Packages that the guest needs; `provision.sh` adds python3-uno if LibreOffice is installed."""

CONNECT_BOUND = 120.0
"""Seconds for each of the steps to log in: an emulated machine takes long to exchange keys."""
READY_BOUND = 300.0
SCRIPT = Path(__file__).with_name("provision.sh")


@dataclass(frozen=True)
class Address:
    """An SSH login."""

    user: str
    host: str
    port: int = 22


def parse_address(text: str) -> Address:
    """Parse `user@host` or `user@host:port`."""
    match = re.fullmatch(r"([^@\s]+)@(\[[^]]+]|[^:\s]+)(?::(\d+))?", text)
    if match is None:
        raise MachineError(f"not an SSH address: {text!r}", hint="user@host or user@host:port")
    return Address(match[1], match[2].strip("[]"), int(match[3] or 22))


def provision(
    address: Address,
    *,
    desktop_user: str,
    key: Path | None = None,
    password: str = "",
    accept_new_host: bool = False,
    say: Callable[[str], None],
) -> str:
    """Install the guest server on a machine, start it and wait until it is ready; its new token.

    Logs in as root, or as a user who may use sudo (with `password`). The machine's host key must be
    known, unless `accept_new_host` is set. An interrupted installation is repaired by another call.
    """
    with paramiko.SSHClient() as client:
        client.load_system_host_keys()
        policy = paramiko.AutoAddPolicy() if accept_new_host else paramiko.RejectPolicy()
        client.set_missing_host_key_policy(policy)
        try:
            client.connect(
                address.host,
                port=address.port,
                username=address.user,
                password=password or None,
                key_filename=str(key) if key else None,
                timeout=CONNECT_BOUND,
                banner_timeout=CONNECT_BOUND,
                auth_timeout=CONNECT_BOUND,
            )
        except (paramiko.SSHException, OSError) as error:
            reason = str(error)
            if reason == "No existing session":  # paramiko, after a timeout
                reason = f"the key exchange was not complete after {CONNECT_BOUND:g} s"
            raise MachineError(
                f"SSH to {address.user}@{address.host}:{address.port} failed: {reason}",
                hint="Try `ssh` by hand; for a host that is not known yet, use --accept-new-host.",
            ) from None
        remote = _Remote(client, address.user, password)
        python = remote.run("python3 -c 'import sys; print(*sys.version_info[:2], sep=\".\")'")
        say(f"{address.host}: Python {python}; packing the guest for it")
        token = new_token()
        with tempfile.TemporaryDirectory() as scratch:
            bundle = Path(scratch) / "ambidex.tar.gz"
            pack_layer(python, bundle, say=say)
            say(f"{address.host}: copying {bundle.stat().st_size >> 20} MiB")
            with client.open_sftp() as files:
                folder = remote.run("mktemp -d")
                files.put(str(bundle), f"{folder}/ambidex.tar.gz")
                files.put(str(SCRIPT), f"{folder}/provision.sh")
                with files.open(f"{folder}/token", "w") as out:
                    files.chmod(f"{folder}/token", 0o600)
                    out.write(token)
        say(f"{address.host}: installing")
        words = ["sh", f"{folder}/provision.sh", folder, desktop_user, *PACKAGES]
        remote.run_as_root(shlex.join(words))
        say(f"{address.host}: waiting for the guest")
        _wait_until_ready(remote)
    return token


class _Remote:
    """Runs commands on the other machine; `MachineError` with their output if they fail."""

    def __init__(self, client: paramiko.SSHClient, user: str, password: str) -> None:
        self._client = client
        self._user = user
        self._password = password

    def run(self, command: str, text: str = "") -> str:
        stdin, out, err = self._client.exec_command(command, timeout=READY_BOUND)
        if text:
            stdin.write(text + "\n")
        stdin.close()
        stdout, stderr = str(out.read(), errors="replace"), str(err.read(), errors="replace")
        status = out.channel.recv_exit_status()
        if status != 0:
            tail = (stderr or stdout).strip()[-1500:]
            raise MachineError(f"on the machine, {command[:120]!r} failed with {status}: {tail}")
        return stdout.strip()

    def run_as_root(self, command: str) -> str:
        if self._user == "root":
            return self.run(command)
        return self.run(f"sudo -S -p '' {command}", self._password)


def _wait_until_ready(remote: _Remote) -> None:
    health = (
        "python3 -c 'import urllib.request as u; "
        'r = u.Request("http://127.0.0.1:8770/harness/health", headers={"Authorization": '
        '"Bearer " + open("/etc/ambidex/token").read().strip()}); '
        "print(u.urlopen(r, timeout=10).status)'"
    )

    def probe() -> None:
        try:
            remote.run_as_root(health)
        except MachineError as error:
            raise NotYetError(str(error)[-300:]) from None

    wait_for(
        probe,
        bound=READY_BOUND,
        every=1.0,
        fail=lambda seen: MachineError(
            f"the guest did not become ready: {seen}",
            hint="Run `journalctl -u ambidex-guest` on the machine to see why.",
        ),
    )
