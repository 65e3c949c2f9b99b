"""The client of `ambidex bridge`: see `host/integrations/desk_server.py` for the requests."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

__all__ = ["BRIDGE", "BridgeError", "Desktop", "connect"]

BRIDGE = "AMBIDEX_BRIDGE"
"""The environment variable that names the file which `ambidex bridge --json FILE` wrote."""


class BridgeError(Exception):
    """The bridge refused a request, or does not answer."""


class Bridge:
    """The address of a bridge."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token
        # Proxies that the environment names are for other hosts.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(self, method: str, path: str, content: Any = None, timeout: float = 3600.0) -> Any:
        """The answer to a request: JSON, or the bytes of a file. `BridgeError` if it is refused."""
        data = content if isinstance(content, bytes) else json.dumps(content or {}).encode()
        headers = {"Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(
            f"{self.url}{path}", data if method != "GET" else None, headers, method=method
        )
        try:
            with self._opener.open(request, timeout=timeout) as response:
                body = response.read()
                if response.headers.get_content_type() != "application/json":
                    return body
                return json.loads(body)
        except urllib.error.HTTPError as error:
            try:
                message = json.loads(error.read())["error"]
            except (ValueError, KeyError, TypeError):
                message = str(error)
            raise BridgeError(message) from None
        except OSError as error:
            raise BridgeError(
                f"no bridge answers at {self.url} ({error}). Start one: ambidex bridge --json FILE"
            ) from None

    def tasks(self) -> list[dict[str, Any]]:
        """Name and instruction of each task."""
        answer: list[dict[str, Any]] = self.ask("GET", "/tasks")
        return answer

    def desktop(self) -> Desktop:
        """A desktop that is free; waits until there is one."""
        return Desktop(self, self.ask("POST", "/desks")["id"])


class Desktop:
    """One desktop. A context manager that gives it back."""

    def __init__(self, bridge: Bridge, id: str) -> None:
        self.bridge = bridge
        self.id = id

    def __enter__(self) -> Desktop:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give it back."""
        self._ask("", {}, "DELETE")

    def reset(self, task: str | None = None) -> dict[str, Any]:
        """Revert it and begin a task: `instruction`, `tools` and `screen` (PNG in base64)."""
        answer: dict[str, Any] = self._ask("/reset", {"task": task})
        return answer

    def step(
        self,
        *calls: tuple[str, dict[str, Any]],
        stop: str | None = None,
        answer: str | None = None,
        thought: str = "",
    ) -> dict[str, Any]:
        """Call tools, and end the episode if `stop` is `done` or `infeasible`: `results`, `screen`,
        and the `outcome` if the episode has ended."""
        named = [{"name": name, "arguments": arguments} for name, arguments in calls]
        body = {"calls": named, "stop": stop, "answer": answer, "thought": thought}
        seen: dict[str, Any] = self._ask("/step", body)
        return seen

    def finish(self, stop: str = "done", answer: str | None = None) -> dict[str, Any]:
        """Judge the present state: `reward`, `score`, `reason` and `stop`."""
        outcome: dict[str, Any] = self._ask("/finish", {"stop": stop, "answer": answer})
        return outcome

    def oracle(self) -> dict[str, Any]:
        """Make the calls of the task's reference solution: `results`, `stop` and `answer`."""
        answer: dict[str, Any] = self._ask("/oracle", {})
        return answer

    def fork(self) -> Desktop:
        """A second desktop in the present state of this one."""
        return Desktop(self.bridge, self._ask("/fork", {})["id"])

    def tools_token(self) -> str:
        """A token for the MCP server inside the guest, which offers all tools. Valid until the
        next reset."""
        token: str = self._ask("/tools_token", {})["token"]
        return token

    def run(
        self,
        *argv: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        input: str | None = None,
        timeout: float = 60.0,
    ) -> dict[str, Any]:
        """Run a program as the desktop user: `returncode`, `stdout`, `stderr`, `timed_out`."""
        body = {"argv": argv, "cwd": cwd, "env": env or {}, "input": input, "timeout": timeout}
        answer: dict[str, Any] = self._ask("/run", body)
        return answer

    def put(self, path: str, content: bytes) -> None:
        """Write a file as the desktop user."""
        self._ask(f"/file?path={quote(path, safe='')}", content, "PUT")

    def get(self, path: str) -> bytes:
        """The content of a file."""
        content: bytes = self._ask(f"/file?path={quote(path, safe='')}", None, "GET")
        return content

    def _ask(self, path: str, content: Any, method: str = "POST") -> Any:
        return self.bridge.ask(method, f"/desks/{self.id}{path}", content)


def connect(file: str | None = None) -> Bridge:
    """The bridge that a file of `ambidex bridge --json FILE` names; by default the file in the
    environment variable `AMBIDEX_BRIDGE`."""
    path = file or os.environ.get(BRIDGE)
    if not path:
        raise BridgeError(
            f"name the file of a bridge, or set {BRIDGE} (ambidex bridge --json FILE)"
        )
    try:
        access = json.loads(Path(path).read_text(encoding="utf-8"))
        return Bridge(access["url"], access["token"])
    except (OSError, ValueError, KeyError) as error:
        raise BridgeError(f"{path} does not name a bridge: {error}") from None
