"""Process 1 of a sandbox: starts what a virtual machine's system starts for a desktop, keeps it
running, and ends with whoever holds the other end of its line; the kernel then ends all the rest.

`python3 -I -S inside.py TAG LINE`: LINE is the number of a socket. The first message on it says
what the sandbox is to be; later ones are `stop` and `go`, for as long as its files are copied.
Runs on the image's own Python with the standard library alone.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import resource
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

UNIT = Path("/opt/ambidex/guest/ambidex-guest.service")
SESSION = Path("/usr/share/xsessions/gnome-flashback-metacity.desktop")
PARTS = Path("/usr/share/gnome-session/sessions") / f"{SESSION.stem}.session"
SETTINGS = "org.gnome.SettingsDaemon"
NOT_HERE = (
    *("Color", "PrintNotifications", "Rfkill", "Sharing", "Smartcard", "UsbProtection", "Wacom"),
    *("Wwan", "Power"),
)
"""Parts of the session's settings that are about hardware; the last ends without logind, which the
session takes for a failure of its own.
"""
AUTOSTART = Path("/etc/xdg/autostart")
LOGS = Path("/var/log/ambidex")
DISPLAY, COOKIE = ":0", Path("/run/ambidex-display/authority")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
SYSTEM = {"PATH": f"/usr/local/sbin:/usr/sbin:/sbin:{PATH}", "LANG": "C.UTF-8"}
FOR_FORKS = {"CAP_SYS_TIME", "CAP_SYS_ADMIN"}
"""What the guest's unit asks for to give a forked machine a clock and randomness of its own."""
MESSAGE = 1 << 16
AGAIN_AFTER = 0.5
"""Seconds until what ended is started again."""
LAST_WORDS = 2000
"""Bytes of its log that are shown when something ends."""
Words = list[str]


def say(text: str) -> None:
    """A line for the console."""
    print(text, flush=True)


@dataclass
class Service:
    """A program that is kept running; one that is not started again takes the sandbox along."""

    name: str
    start: Callable[[IO[bytes]], subprocess.Popen[bytes]]
    again: bool = False
    process: subprocess.Popen[bytes] | None = None
    due: float = 0.0

    @property
    def log(self) -> Path:
        """What it prints; only root may read it."""
        return LOGS / f"{self.name}.log"

    def run(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self.process = self.start(log)
        self.due = 0.0

    def last_words(self) -> str:
        """The end of its log."""
        return self.log.read_bytes()[-LAST_WORDS:].decode(errors="replace").strip()


@dataclass(frozen=True)
class Asked:
    """The first message: what this sandbox is to be."""

    user: str
    screen: tuple[int, int]
    token: str
    password: str
    machine_id: str
    processes: int
    """That a user may have, where nothing else bounds them; 0 is no bound."""
    guest: int
    """Number of the listening socket that the guest is to serve as well."""
    display: int
    """Number of the listening socket that the X server is to take viewers from."""


class Inside:
    """The system of a sandbox."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.user = pwd.getpwnam(asked.user)
        self.runtime = Path(f"/run/user/{self.user.pw_uid}")
        as_user = self.as_user
        self.services = [
            Service("bus", self.system_bus),
            Service("display", self.display),
            Service("guest", self.guest, again=True),
            Service("session-bus", lambda log: self.run(self.session_bus(), log, as_user())),
            Service("sound", lambda log: self.run(self.sound(), log, as_user()), again=True),
            Service("session", self.session, again=True),
        ]

    def prepare(self) -> None:
        """What a system makes at its start. Kept files may hold whatever somebody left there: root
        follows no path that the user could have bent.
        """
        root, guest = pwd.getpwuid(0), pwd.getpwnam("ambidex")
        Path("/etc/machine-id").write_text(self.asked.machine_id + "\n")
        for left in (Path("/tmp/.X0-lock"), Path("/tmp/.X11-unix/X0")):
            left.unlink(missing_ok=True)  # of the display that they were kept from
        for path, owner, mode in (
            (LOGS, root, 0o700),
            (Path("/tmp/.X11-unix"), root, 0o1777),
            (Path("/tmp/.ICE-unix"), root, 0o1777),
            (Path("/run/lock"), root, 0o1777),
            (Path("/run/dbus"), pwd.getpwnam("messagebus"), 0o755),
            (Path("/run/user"), root, 0o755),
            (self.runtime, self.user, 0o700),
            (Path("/run/ambidex"), guest, 0o700),
            (COOKIE.parent, root, 0o700),
        ):
            path.mkdir(exist_ok=True)
            os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)
            os.chmod(path, mode)
        write(Path("/etc/ambidex/token"), self.asked.token.encode(), guest)
        parts = PARTS.read_text()
        for each in NOT_HERE:
            parts = parts.replace(f"{SETTINGS}.{each};", "")
            (AUTOSTART / f"{SETTINGS}.{each}.desktop").unlink(missing_ok=True)
        PARTS.write_text(parts)
        add = ["add", DISPLAY, "MIT-MAGIC-COOKIE-1", os.urandom(16).hex()]
        subprocess.run(["xauth", "-q", "-f", str(COOKIE), *add], check=True, env=SYSTEM)
        write(Path(self.user.pw_dir) / ".Xauthority", COOKIE.read_bytes(), self.user)

    def bound(self) -> None:
        """What every process inside inherits."""
        if self.asked.processes:
            many = self.asked.processes
            resource.setrlimit(resource.RLIMIT_NPROC, (many, many))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, files), files))

    def run(
        self, words: Words, log: IO[bytes], env: dict[str, str], **more: Any
    ) -> subprocess.Popen[bytes]:
        """Start a program; as the user, where the environment is theirs."""
        if env.get("USER") == self.asked.user:
            groups = os.getgrouplist(self.asked.user, self.user.pw_gid)
            who = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": groups}
            more = {**who, "cwd": self.user.pw_dir, **more}
        more = {"stdin": subprocess.DEVNULL, "start_new_session": True, "cwd": "/", **more}
        return subprocess.Popen(words, stdout=log, stderr=log, env=env, **more)

    def as_user(self) -> dict[str, str]:
        """The environment of a login."""
        user = self.user
        lines = Path("/etc/environment").read_text().splitlines()
        pairs = (line.partition("=") for line in lines if "=" in line and line[0] != "#")
        return {
            **{name: value.strip('"') for name, _, value in pairs},
            **{"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name},
            **{"SHELL": user.pw_shell, "PATH": PATH, "XDG_RUNTIME_DIR": str(self.runtime)},
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime / 'bus'}",
        }

    def system_bus(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """The bus of the system, at the usual place. No service is behind it: those of a desktop
        are about hardware, logins and powers, and refuse without systemd.
        """
        words = ["dbus-daemon", "--system", "--nofork", "--nopidfile"]
        return self.run(words, log, SYSTEM, user="messagebus", group="messagebus")

    def display(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """The X server; returns when it takes connections."""
        width, height = self.asked.screen
        password = COOKIE.with_name("password")
        hidden = subprocess.run(
            ["tigervncpasswd", "-f"], input=self.asked.password.encode(), capture_output=True,
            check=True, env=SYSTEM,
        )  # fmt: skip
        password.touch(mode=0o600)
        password.write_bytes(hidden.stdout)
        ready, wrote = os.pipe()
        words = ["Xtigervnc", DISPLAY, "-inetd", "-geometry", f"{width}x{height}", "-depth", "24"]
        words += ["-SecurityTypes", "VncAuth", "-PasswordFile", str(password), "-AlwaysShared"]
        # Any X client could set these anew while it runs, the password file among them.
        words += ["-AllowOverride", ""]
        words += ["-AcceptSetDesktopSize=0", "-desktop", "ambidex", "-auth", str(COOKIE)]
        words += ["-nolisten", "tcp", "-noreset", "-s", "0", "-displayfd", str(wrote)]
        words += ["-Log", "*:stdout:30"]  # for an inetd, it closes its standard error
        process = self.run(words, log, SYSTEM, stdin=self.asked.display, pass_fds=[wrote])
        os.close(wrote)
        with os.fdopen(ready) as number:
            number.readline()  # whole: it ends when it cannot write all of it
        return process

    def guest(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """The guest server, as its unit says."""
        lines = (line.partition("=") for line in UNIT.read_text().splitlines())
        unit: dict[str, list[str]] = {}
        for name, _, value in lines:
            unit.setdefault(name, []).extend(shlex.split(value))
        powers = [each for each in unit["AmbientCapabilities"] if each not in FOR_FORKS]
        names = ",".join(["-all", *(f"+{each[4:].lower()}" for each in powers)])
        own = dict(pair.split("=", 1) for pair in unit["Environment"])
        user = unit["User"][0]
        words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        words += [f"--inh-caps={names}", f"--ambient-caps={names}", *unit["ExecStart"]]
        env = {**SYSTEM, **own, "AMBIDEX_USER": self.asked.user, "LISTEN_FDS": "1"}
        return self.run(words, log, env, pass_fds=[self.asked.guest])

    def session_bus(self) -> Words:
        """The bus of the session."""
        address = f"unix:path={self.runtime / 'bus'}"
        return ["dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile"]

    def sound(self) -> Words:
        """The sound server; without a card it plays to nobody."""
        return ["pulseaudio", "--daemonize=no", "--log-target=stderr", "--exit-idle-time=-1"]

    def session(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """The desktop, as a display manager starts it."""
        entry = SESSION.read_text().splitlines()
        command = next(line[5:] for line in entry if line.startswith("Exec="))
        desktops = next(line[13:] for line in entry if line.startswith("DesktopNames="))
        env = {
            **self.as_user(),
            **{"DISPLAY": DISPLAY, "XAUTHORITY": f"{self.user.pw_dir}/.Xauthority"},
            **{"XDG_SESSION_TYPE": "x11", "XDG_SESSION_CLASS": "user"},
            **{"DESKTOP_SESSION": SESSION.stem, "XDG_SESSION_DESKTOP": SESSION.stem},
            **{"GDMSESSION": SESSION.stem},
            "XDG_CURRENT_DESKTOP": desktops.strip(";").replace(";", ":"),
        }
        return self.run(["/etc/X11/Xsession", command], log, env)

    def reap(self) -> bool:
        """Take in whoever ended; false when that ends the sandbox."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return True
            for service in self.services:
                if service.process is not None and service.process.pid == pid:
                    service.process.returncode = status
                    say(f"{service.name} ended ({status}); it last said: {service.last_words()}")
                    if not service.again:
                        return False
                    service.due = time.monotonic() + AGAIN_AFTER

    def serve(self, line: socket.socket) -> None:
        """Keep things running until the line is closed, or what cannot be replaced has ended."""
        woken, wake = os.pipe()
        for end in (woken, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for service in self.services:
            service.run()
            say(f"{service.name} started")
        while self.reap():
            due = [each.due for each in self.services if each.due]
            wait = max(0.0, min(due) - time.monotonic()) if due else None
            readable, _, _ = select.select([line.fileno(), woken], [], [], wait)
            if woken in readable:
                os.read(woken, 4096)
            if line.fileno() in readable:
                message = line.recv(MESSAGE)
                if not message:
                    return
                os.kill(-1, signal.SIGSTOP if message == b"stop" else signal.SIGCONT)
                line.send(message)
            for service in self.services:
                if service.due and service.due <= time.monotonic():
                    service.run()


def write(path: Path, content: bytes, owner: pwd.struct_passwd) -> None:
    """A file that only its owner may read, in place of whatever was there."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)
        os.fchown(file.fileno(), owner.pw_uid, owner.pw_gid)


def received(line: socket.socket) -> Asked:
    """The first message, its sockets moved to where they are wanted: systemd's first number is for
    the guest's.
    """
    said = json.loads(line.recv(MESSAGE))
    high = {
        name: fcntl.fcntl(said[name], fcntl.F_DUPFD_CLOEXEC, 10) for name in ("guest", "display")
    }
    for name in high:
        os.close(said[name])
    os.dup2(high["guest"], 3, inheritable=False)
    os.close(high["guest"])
    return Asked(**{**said, "screen": tuple(said["screen"]), **high, "guest": 3})


def main() -> None:
    """Be the system until the end."""
    line = socket.socket(fileno=fcntl.fcntl(int(sys.argv[2]), fcntl.F_DUPFD_CLOEXEC, 10))
    os.close(int(sys.argv[2]))
    os.umask(0o022)
    inside = Inside(received(line))
    inside.prepare()
    inside.bound()
    inside.serve(line)


if __name__ == "__main__":
    main()
