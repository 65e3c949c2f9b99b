"""The agent that saves what is open in every window, and touches every file: no task is done by
that, unless its check only looks at whether a file was saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex.host import Decision, Observation
from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.null.scripted import Scripted, calls

__all__ = ["AGENT", "SaveEverything"]

LIST = "computer_window_list"
SAVE = ("computer_activate_window", "computer_key")

TOUCH = """
find . -type f -exec touch {} +
find . -maxdepth 3 -type f | head -500 | while read -r file; do
    cp -p "$file" .null-copy && cat .null-copy >"$file"
done
rm -f .null-copy
"""


class SaveEverything:
    """One step lists the windows, the next one saves in each of them, and a script writes every
    file again with the content that it has."""

    def __init__(self) -> None:
        self._listed = False
        self._saved = False
        self._script = Scripted(TOUCH)

    def step(self, observation: Observation) -> Decision:
        """The next step of the three."""
        offered = {tool.name for tool in observation.tools}
        if not self._listed and LIST in offered:
            self._listed = True
            return Decision(calls=calls((LIST, {})))
        if self._listed and not self._saved and offered.issuperset(SAVE):
            self._saved = True
            titles = _titles(observation.results[0].value if observation.results else None)
            presses = [press for title in titles for press in _saving(title)]
            return Decision(calls=calls(*presses))
        return self._script.step(observation)


def _titles(windows: Any) -> list[str]:
    """The titles in the answer of `computer_window_list`."""
    found = windows if isinstance(windows, list) else []
    titles = [window.get("title") for window in found if isinstance(window, Mapping)]
    return [title for title in titles if isinstance(title, str) and title]


def _saving(title: str) -> list[tuple[str, dict[str, Any]]]:
    """Save in the window; Return keeps the document's format where the application asks."""
    return [
        ("computer_activate_window", {"title": title}),
        ("computer_key", {"keys": ["ctrl", "s"]}),
        ("computer_key", {"keys": ["enter"]}),
    ]


AGENT = AgentKind(lambda request: SaveEverything())
