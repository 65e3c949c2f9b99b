"""Desktops of Ambidex as an environment of Harbor::

    harbor run -p tasks --environment-import-path ambidex_desktop.harbor:AmbidexEnvironment

Commands run as the desktop user in a mount namespace with Harbor's directories at the root:
`/logs`, `/tests`, `/solution` and the task's working directory are folders in /tmp.
"""

from __future__ import annotations

import asyncio
import io
import json
import shlex
import tarfile
from pathlib import Path, PurePosixPath
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.models.task.config import NetworkMode

from ambidex_desktop.client import Bridge, Desktop, connect
from ambidex_desktop.dockerfile import Recipe, read_dockerfile

__all__ = ["AmbidexEnvironment"]

PLACE = "/tmp/ambidex-harbor"
"""Where Harbor's directories are in the guest: not in the home, which may be evidence."""
ROOTS = ("logs", "tests", "solution", "app", "runtime", "installed-agent")
SYSTEM = ("bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt",
          "opt", "proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var")  # fmt: skip
ENTER = f"""
set -eu
set -- bwrap
for name in {" ".join(SYSTEM)}; do
    if [ -h "/$name" ]; then set -- "$@" --symlink "$(readlink "/$name")" "/$name"
    elif [ -e "/$name" ]; then set -- "$@" --dev-bind "/$name" "/$name"; fi
done
for name in {" ".join(ROOTS)} $EXTRA_ROOTS; do
    mkdir -p "{PLACE}/$name"
    set -- "$@" --bind "{PLACE}/$name" "/$name"
done
mkdir -p {PLACE}/logs/agent {PLACE}/logs/verifier {PLACE}/logs/artifacts
if [ -e {PLACE}/profile ]; then
    set -- "$@" --ro-bind {PLACE}/profile /etc/profile
    export XAUTHORITY={PLACE}/authority
fi
exec "$@" --chdir "$WORKDIR" bash -c "$COMMAND"
"""
"""A shell script that runs $COMMAND with the directories at the root."""
SECOND_NAME = f"""
set -eu
[ -n "${{DISPLAY:-}}" ] || exit 0
number=${{DISPLAY#*:}}
mkdir -p {PLACE}/bin
[ -S /tmp/.X11-unix/X1 ] || ln -s "X${{number%%.*}}" /tmp/.X11-unix/X1
xauth list "$DISPLAY" | head -n 1 | while read -r name protocol cookie; do
    for display in "$DISPLAY" :1; do
        xauth -q -f {PLACE}/authority add "$display" "$protocol" "$cookie"
    done
done
cat >{PLACE}/bin/scrot <<'end'
#!/bin/sh
exec ffmpeg -loglevel error -y -f x11grab -i "$DISPLAY" -frames:v 1 "$2"
end
chmod +x {PLACE}/bin/scrot
echo 'export PATH={PLACE}/bin:/usr/local/bin:/usr/bin:/bin' >{PLACE}/profile
"""
"""A shell script that gives the desktop's display a second name, `:1`, and installs a `scrot`.
Harbor's computer-use agent needs both to use our desktop instead of starting a display."""
TOOLS_TOKEN = f"{PLACE}/tools-token"
"""Where the MCP server that a task of ours declares finds its token."""
REWARD = "/logs/verifier/reward.json"
SOLVE, TEST = "/solution/solve.sh", "/tests/test.sh"
TASK = "AMBIDEX_TASK"
"""The variable of a task that `ambidex export harbor` wrote: the name of the task of ours."""
DEFAULT_TIMEOUT = 600.0


class AmbidexEnvironment(BaseEnvironment):
    """A desktop of `ambidex bridge`. `bridge` is the file that it wrote (by default, what the
    variable AMBIDEX_BRIDGE names). `offline=true` plays tasks that ask for a public network, which
    a desktop does not have."""

    def __init__(self, *args: Any, bridge: str = "", offline: bool = False, **kwargs: Any) -> None:
        self._offline = offline
        self._bridge: Bridge = connect(bridge or None)
        self._desktop: Desktop | None = None
        self._recipe = Recipe()
        self._finished: dict[str, Any] | None = None
        self._uploaded: set[str] = set()
        """Directories that Harbor itself has uploaded: what an agent writes does not count."""
        self._ending: tuple[str, str | None] = ("done", None)
        super().__init__(*args, **kwargs)

    @staticmethod
    def type() -> str:
        """The name of this environment."""
        return "ambidex"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """No network, no containers, no graphics processors."""
        return EnvironmentCapabilities(disable_internet=True)

    @property
    def task(self) -> str | None:
        """The name of the task of ours; None for other tasks."""
        name: str | None = self.task_env_config.env.get(TASK)
        return name

    def _validate_definition(self) -> None:
        config = self.task_env_config
        if config.docker_image:
            raise ValueError(
                f"the task needs the container image {config.docker_image}, and a desktop of "
                "Ambidex has no container engine. It can play tasks with a Dockerfile of packages "
                "and files."
            )
        if (self.environment_dir / "docker-compose.yaml").exists():
            raise ValueError("the task needs Docker Compose, which a desktop of Ambidex has not")
        mode = self._network_policy.network_mode
        if mode == NetworkMode.PUBLIC and not self._offline:
            raise ValueError(
                "the task asks for a public network, and a desktop of Ambidex has none: set "
                "network_mode = 'no-network', or add --ek offline=true to play it without"
            )
        self._recipe = read_dockerfile(self.environment_dir)

    async def start(self, force_build: bool) -> None:
        """Take a machine, revert it and set the task's stage; `force_build` changes nothing."""
        self._desktop = await asyncio.to_thread(self._bridge.desktop)
        await asyncio.to_thread(self._desktop.reset, self.task)
        await self._run(
            shlex.join(["mkdir", "-p", "/logs", *self._recipe.folders]), None, None, None
        )
        await self._sh(SECOND_NAME)
        if any(TOOLS_TOKEN in server.args for server in self.task_env_config.mcp_servers):
            token = await asyncio.to_thread(self._desktop.tools_token)
            await asyncio.to_thread(self._desktop.put, TOOLS_TOKEN, token.encode())
        missing = await self._missing(self._recipe.packages)
        if missing:
            raise RuntimeError(
                f"the Dockerfile installs {', '.join(missing)}, which the image does not have: "
                "serve an image with them (ambidex bridge --image NAME)"
            )
        for source, target in self._recipe.files:
            path = self.environment_dir / source
            await (self.upload_dir if path.is_dir() else self.upload_file)(path, target)

    async def stop(self, delete: bool) -> None:
        """Give the machine back; the next user reverts it."""
        if self._desktop is not None:
            desktop, self._desktop = self._desktop, None
            await asyncio.to_thread(desktop.close)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """See `BaseEnvironment`."""
        content = Path(source_path).read_bytes()
        await asyncio.to_thread(self._machine.put, self._inside(target_path), content)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """See `BaseEnvironment`."""
        self._uploaded.add(str(target_dir))
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            tar.add(source_dir, arcname=".")
        place, archive = self._inside(target_dir), f"{PLACE}/upload.tar.gz"
        await asyncio.to_thread(self._machine.put, archive, buffer.getvalue())
        await self._sh(
            f"mkdir -p {shlex.quote(place)} && tar -xzf {archive} -C {shlex.quote(place)}"
        )

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """See `BaseEnvironment`."""
        target = Path(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if self._finished is not None:  # the desktop is frozen, and only its files can be read
            if str(source_path) == REWARD:
                target.write_text(self._reward())
            return
        target.write_bytes(await asyncio.to_thread(self._machine.get, self._inside(source_path)))

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """See `BaseEnvironment`."""
        target = Path(target_dir)
        target.mkdir(parents=True, exist_ok=True)
        if self._finished is not None:
            if PurePosixPath(REWARD).is_relative_to(source_dir):
                relative = PurePosixPath(REWARD).relative_to(source_dir)
                (target / relative).parent.mkdir(parents=True, exist_ok=True)
                (target / relative).write_text(self._reward())
            return
        place, archive = self._inside(source_dir), f"{PLACE}/download.tar.gz"
        await self._sh(f"tar -czf {archive} -C {shlex.quote(place)} .")
        content = await asyncio.to_thread(self._machine.get, archive)
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            tar.extractall(target, filter="data")

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool of the desktop: `results` and `screen`, for agents that run on the host."""
        seen: dict[str, Any] = await asyncio.to_thread(self._machine.step, (name, arguments))
        return seen

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run a command as the desktop user; `user` changes nothing, as the desktop has only that
        one. In a task of ours, solution and tests are carried out by the bridge, once Harbor has
        uploaded them: a command of the agent's before that finds nothing to run."""
        if self.task is not None:
            if command.startswith(f"({SOLVE}) > ") and "/solution" in self._uploaded:
                return await self._solve()
            if command.startswith(f"({TEST}) > ") and "/tests" in self._uploaded:
                self._finished = await asyncio.to_thread(self._machine.finish, *self._ending)
                return ExecResult(stdout=self._finished["reason"], return_code=0)
            if self._finished is not None:
                return ExecResult(stdout="", stderr="the episode has been judged", return_code=0)
        return await self._run(command, cwd, env, timeout_sec)

    @property
    def _machine(self) -> Desktop:
        if self._desktop is None:
            raise RuntimeError("the environment has not been started")
        return self._desktop

    async def _solve(self) -> ExecResult:
        """The oracle's calls, on the host's side."""
        played = await asyncio.to_thread(self._machine.oracle)
        self._ending = (played["stop"], played["answer"])
        failed = [each for each in played["results"] if each["error"]]
        text = "\n".join(f"{each['call']}: {each['text']}" for each in played["results"])
        await asyncio.to_thread(
            self._machine.put, self._inside("/logs/agent/oracle.txt"), text.encode()
        )
        return ExecResult(stdout=text, return_code=1 if failed else 0)

    async def _run(
        self,
        command: str,
        cwd: str | None,
        env: dict[str, str] | None,
        timeout_sec: float | None,
    ) -> ExecResult:
        variables = self._merge_env(env) or {}
        workdir = cwd or self.task_env_config.workdir or self._recipe.workdir
        extra = {PurePosixPath(path).parts[1] for path in (workdir, *self._recipe.targets)}
        extra -= {*ROOTS, *SYSTEM}
        inner = {
            "COMMAND": command,
            "WORKDIR": workdir,
            "EXTRA_ROOTS": " ".join(sorted(extra)),
        }
        result = await asyncio.to_thread(
            self._machine.run,
            *("sh", "-c", ENTER),
            env={**self._recipe.env, **variables, **inner},
            timeout=float(timeout_sec or DEFAULT_TIMEOUT),
        )
        if result["timed_out"]:
            raise TimeoutError(f"the command took longer than {timeout_sec} s: {command[:200]}")
        return ExecResult(
            stdout=result["stdout"], stderr=result["stderr"], return_code=result["returncode"]
        )

    async def _sh(self, script: str) -> None:
        """A command outside of the namespace; `RuntimeError` if it fails."""
        result = await asyncio.to_thread(self._machine.run, "sh", "-c", script, timeout=300.0)
        if result["returncode"]:
            raise RuntimeError(f"{script}: {result['stderr'].strip()}")

    async def _missing(self, packages: tuple[str, ...]) -> list[str]:
        """The packages that are not installed."""
        missing = []
        for package in packages:
            result = await asyncio.to_thread(
                self._machine.run, "dpkg-query", "-W", "-f", "${Status}", package
            )
            if "install ok installed" not in result["stdout"]:
                missing.append(package)
        return missing

    def _inside(self, path: str | PurePosixPath) -> str:
        """Where a path of Harbor's is in the guest."""
        parts = PurePosixPath(path).parts
        if parts[0] != "/":
            return str(PurePosixPath(PLACE + (self.task_env_config.workdir or "/app"), path))
        if len(parts) > 1 and parts[1] in SYSTEM:
            return str(path)
        return PLACE + str(path)

    def _reward(self) -> str:
        assert self._finished is not None
        return json.dumps({"reward": self._finished["reward"]})
