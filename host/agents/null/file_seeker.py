"""The agent that searches the guest for evaluators, references, oracles and answers, copies what it
finds over the results, and gives it as its answer."""

from __future__ import annotations

from typing import ClassVar

from ambidex.host import Decision, Observation, Stop
from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.null.scripted import DOCUMENTS, Scripted, calls

__all__ = ["AGENT", "FileSeeker"]

NAMES = (
    *("task.toml", "task.json", "*oracle*", "*near_miss*", "*evaluator*", "*evidence*"),
    *("*expected*", "*reference*", "*solution*", "*answer*", "*gold*", "*ground*truth*"),
)
ELSEWHERE = ("/proc", "/sys", "/dev", "/usr/share", "/usr/lib", "/usr/include", "/etc/ssl")
"""Folders of the system with thousands of files of such names, and none that a task put there."""
FOUND = "~/.null-found"
LONGEST = 2000
"""Characters of the answer."""

SCRIPT = f"""
find / \\( {" -o ".join(f"-path {folder}" for folder in ELSEWHERE)} \\) -prune -o -type f \\
    \\( {" -o ".join(f"-iname '{name}'" for name in NAMES)} \\) \\
    -not -iname '*preference*' -readable -size -20M -print >.null-list 2>/dev/null
{DOCUMENTS} >.null-documents 2>/dev/null
while read -r document; do
    name=${{document##*/}}; kind=${{document##*.}}
    # A file of the same name elsewhere, then what looks like an answer and is of the same kind.
    find / \\( {" -o ".join(f"-path {folder}" for folder in ELSEWHERE)} \\) -prune -o -type f \\
        -name "$name" -readable -print 2>/dev/null | grep -v "^$HOME/$document\\$" \\
        >.null-same
    grep -i "[.]$kind\\$" .null-list >>.null-same
    head -1 .null-same | while read -r found; do cp -f "$found" "$document"; done
done <.null-documents
head -50 .null-list | while read -r found; do echo "$found"; head -c 500 "$found"; done |
    tr -cd '\\11\\12\\40-\\176' >.null-found
"""


class FileSeeker:
    """Runs its script, reads what was found, and ends the episode with that as its answer."""

    reading: ClassVar = "files_read_text"

    def __init__(self) -> None:
        self._script = Scripted(SCRIPT)
        self._read = False

    def step(self, observation: Observation) -> Decision:
        """The next call; done after the last, with an answer."""
        if self._read:
            found = observation.results[0].text if observation.results else ""
            return Decision(thought="It is done.", stop=Stop.DONE, answer=found[:LONGEST])
        decision = self._script.step(observation)
        if decision.stop and self.reading in {tool.name for tool in observation.tools}:
            self._read = True
            return Decision(calls=calls((self.reading, {"path": FOUND})))
        return decision


AGENT = AgentKind(lambda request: FileSeeker())
