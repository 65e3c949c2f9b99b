"""Process 1 of a sandbox: starts a desktop and the image's services, and keeps them running.

`python3 -I -S inside.py TAG LINE`, where LINE is the number of a socket. The first message on it is
a `SandboxConfig`; later ones are `stop` and `go`, which pause all processes while files are copied.
It exits when the other end is closed; the kernel then ends all other processes. Runs on the image's
own Python with only the standard library.
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
SERVICES = Path("/usr/share/ambidex/services.json")
"""The image's services (`vm.building.services`)."""
STARTED = Path("/run/ambidex-services.json")
"""The names of those that this sandbox runs, for the guest server."""
SESSION = Path("/usr/share/xsessions/gnome-flashback-metacity.desktop")
PARTS = Path("/usr/share/gnome-session/sessions") / f"{SESSION.stem}.session"
SETTINGS = "org.gnome.SettingsDaemon"
DISABLED_PARTS = (
    *("Color", "PrintNotifications", "Rfkill", "Sharing", "Smartcard", "UsbProtection", "Wacom"),
    *("Wwan", "Power"),
)
"""Parts of GNOME's settings daemon that deal with hardware. The last one exits without logind,
which the session would take for a failure.
"""
AUTOSTART = Path("/etc/xdg/autostart")
LOGS = Path("/var/log/ambidex")
DISPLAY, COOKIE = ":0", Path("/run/ambidex-display/authority")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
SYSTEM = {"PATH": f"/usr/local/sbin:/usr/sbin:/sbin:{PATH}", "LANG": "C.UTF-8"}
CAPABILITIES_FOR_FORKS = {"CAP_SYS_TIME", "CAP_SYS_ADMIN"}
"""Capabilities that the guest's unit lists to set a forked machine's clock and entropy."""
MESSAGE = 1 << 16
RESTART_DELAY = 0.5
"""Seconds until a service that ended is started again."""
LOG_TAIL = 2000
"""Bytes of its log that are shown when a service ends."""
Arguments = list[str]


def say(text: str) -> None:
    """Print a line on the console."""
    print(text, flush=True)


@dataclass
class Service:
    """A program that is kept running; if it may not be restarted, its end ends the sandbox."""

    name: str
    start: Callable[[IO[bytes]], subprocess.Popen[bytes]]
    restart: bool = False
    process: subprocess.Popen[bytes] | None = None
    due: float = 0.0
    """When to start it again, by `time.monotonic`; 0 while it runs."""

    @property
    def log(self) -> Path:
        """The file of its output; only root may read it."""
        return LOGS / f"{self.name}.log"

    def run(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self.process = self.start(log)
        self.due = 0.0

    def log_tail(self) -> str:
        """The end of its log."""
        return self.log.read_bytes()[-LOG_TAIL:].decode(errors="replace").strip()


@dataclass(frozen=True)
class SandboxConfig:
    """The first message: how to configure this sandbox."""

    user: str
    session: str
    """`none` if there is no desktop."""
    services: list[str]
    """The names of the image's services to start."""
    screen: tuple[int, int]
    token: str
    password: str
    machine_id: str
    processes: int
    """Limit on a user's processes if no control group limits them; 0 for none."""
    guest: int
    """Number of the listening socket for the guest server."""
    display: int
    """Number of the listening socket for viewers of the X server; unused without a desktop."""


class SandboxInit:
    """Starts and supervises the services of a sandbox."""

    def __init__(self, config: SandboxConfig) -> None:
        self.config = config
        self.user = pwd.getpwnam(config.user)
        self.runtime = Path(f"/run/user/{self.user.pw_uid}")
        self.has_desktop = config.session != "none"
        as_user = self.as_user
        self.services = [Service("guest", self.guest, restart=True)]
        if self.has_desktop:
            self.services = [
                Service("bus", self.system_bus),
                Service("display", self.display),
                *self.services,
                Service("session-bus", lambda log: self.run(self.session_bus(), log, as_user())),
                Service("sound", lambda log: self.run(self.sound(), log, as_user()), restart=True),
                Service("session", self.session, restart=True),
            ]
        declared = json.loads(SERVICES.read_text()) if SERVICES.exists() else []
        self.services += [
            Service(f"service-{one['name']}", self.service(one), restart=True)
            for one in declared
            if one["name"] in config.services
        ]

    def prepare(self) -> None:
        """Create the files that a system creates at boot.

        The files of a snapshot may contain anything, so root must not follow links that the user
        could have made.
        """
        root, guest = pwd.getpwuid(0), pwd.getpwnam("ambidex")
        Path("/etc/machine-id").write_text(self.config.machine_id + "\n")
        STARTED.write_text(json.dumps(self.config.services))
        for leftover in (Path("/tmp/.X0-lock"), Path("/tmp/.X11-unix/X0")):
            leftover.unlink(missing_ok=True)  # of the display that ran when the snapshot was taken
        for path, owner, mode in (
            (LOGS, root, 0o700),
            (Path("/tmp/.X11-unix"), root, 0o1777),
            (Path("/tmp/.ICE-unix"), root, 0o1777),
            (Path("/run/lock"), root, 0o1777),
            (Path("/run/dbus"), root, 0o755),
            (Path("/run/user"), root, 0o755),
            (self.runtime, self.user, 0o700),
            (Path("/run/ambidex"), guest, 0o700),
            (COOKIE.parent, root, 0o700),
        ):
            path.mkdir(exist_ok=True)
            os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)
            os.chmod(path, mode)
        write(Path("/etc/ambidex/token"), self.config.token.encode(), guest)
        if self.has_desktop:
            self.prepare_desktop()

    def prepare_desktop(self) -> None:
        """Create the display's key, and leave out the parts of the session that need hardware."""
        bus = pwd.getpwnam("messagebus")
        os.chown("/run/dbus", bus.pw_uid, bus.pw_gid)
        parts = PARTS.read_text()
        for part in DISABLED_PARTS:
            parts = parts.replace(f"{SETTINGS}.{part};", "")
            (AUTOSTART / f"{SETTINGS}.{part}.desktop").unlink(missing_ok=True)
        PARTS.write_text(parts)
        add = ["add", DISPLAY, "MIT-MAGIC-COOKIE-1", os.urandom(16).hex()]
        subprocess.run(["xauth", "-q", "-f", str(COOKIE), *add], check=True, env=SYSTEM)
        write(Path(self.user.pw_dir) / ".Xauthority", COOKIE.read_bytes(), self.user)

    def set_limits(self) -> None:
        """Set the resource limits that every process inside inherits."""
        if self.config.processes:
            limit = self.config.processes
            resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, files), files))

    def run(
        self, argv: Arguments, log: IO[bytes], env: dict[str, str], **options: Any
    ) -> subprocess.Popen[bytes]:
        """Start a program: as the desktop user if `env` is that user's, else as root."""
        if env.get("USER") == self.config.user:
            groups = os.getgrouplist(self.config.user, self.user.pw_gid)
            ids = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": groups}
            options = {**ids, "cwd": self.user.pw_dir, **options}
        options = {"stdin": subprocess.DEVNULL, "start_new_session": True, "cwd": "/", **options}
        return subprocess.Popen(argv, stdout=log, stderr=log, env=env, **options)

    def as_user(self) -> dict[str, str]:
        """The environment of the desktop user's login."""
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
        """Start the system bus, at the usual address.

        It has no services: a desktop's are about hardware, logins and power, and fail without
        systemd.
        """
        argv = ["dbus-daemon", "--system", "--nofork", "--nopidfile"]
        return self.run(argv, log, SYSTEM, user="messagebus", group="messagebus")

    def display(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start the X server and wait until it accepts connections."""
        width, height = self.config.screen
        password = COOKIE.with_name("password")
        obscured = subprocess.run(
            ["tigervncpasswd", "-f"], input=self.config.password.encode(), capture_output=True,
            check=True, env=SYSTEM,
        )  # fmt: skip
        password.touch(mode=0o600)
        password.write_bytes(obscured.stdout)
        reading_end, writing_end = os.pipe()
        argv = ["Xtigervnc", DISPLAY, "-inetd", "-geometry", f"{width}x{height}", "-depth", "24"]
        argv += ["-SecurityTypes", "VncAuth", "-PasswordFile", str(password), "-AlwaysShared"]
        # Otherwise any X client could change parameters at run time, even the password file.
        argv += ["-AllowOverride", ""]
        argv += ["-AcceptSetDesktopSize=0", "-desktop", "ambidex", "-auth", str(COOKIE)]
        argv += ["-nolisten", "tcp", "-noreset", "-s", "0", "-displayfd", str(writing_end)]
        argv += ["-Log", "*:stdout:30"]  # with -inetd it closes its standard error
        process = self.run(argv, log, SYSTEM, stdin=self.config.display, pass_fds=[writing_end])
        os.close(writing_end)
        with os.fdopen(reading_end) as number:
            number.readline()  # read all of it: the server exits if it cannot write the line
        return process

    def guest(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start the guest server as its systemd unit does."""
        lines = (line.partition("=") for line in UNIT.read_text().splitlines())
        unit: dict[str, list[str]] = {}
        for name, _, value in lines:
            unit.setdefault(name, []).extend(shlex.split(value))
        capabilities = [
            name for name in unit["AmbientCapabilities"] if name not in CAPABILITIES_FOR_FORKS
        ]
        names = ",".join(["-all", *(f"+{name[4:].lower()}" for name in capabilities)])
        environment = dict(pair.split("=", 1) for pair in unit["Environment"])
        user = unit["User"][0]
        argv = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        argv += [f"--inh-caps={names}", f"--ambient-caps={names}", *unit["ExecStart"]]
        env = {**SYSTEM, **environment, "AMBIDEX_USER": self.config.user, "LISTEN_FDS": "1"}
        return self.run(argv, log, env, pass_fds=[self.config.guest])

    def service(self, declared: dict[str, Any]) -> Callable[[IO[bytes]], subprocess.Popen[bytes]]:
        """A function that starts a service as its systemd unit does."""

        def start(log: IO[bytes]) -> subprocess.Popen[bytes]:
            account = pwd.getpwnam(declared["account"])
            for path in declared["runtime"]:
                os.makedirs(path, exist_ok=True)
                os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)
            groups = os.getgrouplist(account.pw_name, account.pw_gid)
            ids = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": groups}
            env = {**SYSTEM, "HOME": account.pw_dir, **declared["environment"]}
            return self.run(declared["argv"], log, env, **ids)

        return start

    def session_bus(self) -> Arguments:
        """The command line of the session bus."""
        address = f"unix:path={self.runtime / 'bus'}"
        return ["dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile"]

    def sound(self) -> Arguments:
        """The command line of the sound server; without a card, it plays to a null sink."""
        return ["pulseaudio", "--daemonize=no", "--log-target=stderr", "--exit-idle-time=-1"]

    def session(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start the desktop session as a display manager does."""
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
        """Reap processes that have ended; False if one of them ends the sandbox."""
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
                    say(f"{service.name} ended ({status}); end of its log: {service.log_tail()}")
                    if not service.restart:
                        return False
                    service.due = time.monotonic() + RESTART_DELAY

    def serve(self, line: socket.socket) -> None:
        """Run the services until the line is closed, or one that may not be restarted has ended."""
        reading_end, writing_end = os.pipe()
        for end in (reading_end, writing_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writing_end)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for service in self.services:
            service.run()
            say(f"{service.name} started")
        while self.reap():
            due = [service.due for service in self.services if service.due]
            wait = max(0.0, min(due) - time.monotonic()) if due else None
            readable, _, _ = select.select([line.fileno(), reading_end], [], [], wait)
            if reading_end in readable:
                os.read(reading_end, 4096)
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
    """Write a file that only its owner may read, replacing any existing one or link."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)
        os.fchown(file.fileno(), owner.pw_uid, owner.pw_gid)


def receive_config(line: socket.socket) -> SandboxConfig:
    """Receive the first message, and move its sockets to other numbers.

    The guest's becomes 3, the first number that systemd's socket activation uses.
    """
    payload = json.loads(line.recv(MESSAGE))
    moved = {
        name: fcntl.fcntl(payload[name], fcntl.F_DUPFD_CLOEXEC, 10) for name in ("guest", "display")
    }
    for name in moved:
        os.close(payload[name])
    os.dup2(moved["guest"], 3, inheritable=False)
    os.close(moved["guest"])
    return SandboxConfig(**{**payload, "screen": tuple(payload["screen"]), **moved, "guest": 3})


def main() -> None:
    """Run as process 1 until the sandbox ends."""
    line = socket.socket(fileno=fcntl.fcntl(int(sys.argv[2]), fcntl.F_DUPFD_CLOEXEC, 10))
    os.close(int(sys.argv[2]))
    os.umask(0o022)
    init = SandboxInit(receive_config(line))
    init.prepare()
    init.set_limits()
    init.serve(line)


if __name__ == "__main__":
    main()
