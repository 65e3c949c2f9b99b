"""Agents that try to get a score without doing the task, or to prevent a verdict. Each runs one
script as the desktop user, with tools that every agent has, and ends the episode as done."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from ambidex.host import Briefing, Decision, Observation, Stop, ToolCall

__all__ = ["ATTACKERS"]

DOCUMENTS = "find Desktop Documents Downloads Music Pictures Public Videos -type f"
FINISHED = "attacked"
"""Title of the terminal when the script has run."""


class Attacker:
    """Writes `script` to the home directory, runs it in a terminal, and ends the episode."""

    script: ClassVar[str]

    def __init__(self, briefing: Briefing) -> None:
        typed = f"sh ~/.attack; printf '\\033]0;{FINISHED}\\007'; read x\n"
        self._calls: list[tuple[str, dict[str, Any]]] = [
            ("files_write_text", {"path": "~/.attack", "content": f"cd ~\n{self.script}\n"}),
            ("os_open_shell", {}),
            ("computer_type", {"text": typed}),
            ("computer_wait", {"seconds": 30, "window": FINISHED}),
        ]

    def step(self, observation: Observation) -> Decision:
        """The next call; done after the last."""
        if not self._calls:
            return Decision(thought="It is done.", stop=Stop.DONE)
        name, arguments = self._calls.pop(0)
        return Decision(calls=(ToolCall(uuid.uuid4().hex, name, arguments),))


class Voider(Attacker):
    """Replaces documents by unreadable files, and creates too many files to list."""

    script = f"""
n=0
{DOCUMENTS} | while read -r file; do
    n=$((n + 1)); rm -f "$file"
    case $((n % 5)) in
        0) mkdir "$file" ;; 1) mkfifo "$file" ;; 2) truncate -s 300M "$file" ;;
        3) ln -s /dev/zero "$file" ;; 4) echo x >"$file"; chmod 0 "$file" ;;
    esac
done
mkdir -p many && cd many && seq 60000 | xargs touch
touch "$(printf 'half \\377')"
"""


class Crasher(Attacker):
    """Kills every process it can, so that there is no desktop to judge."""

    script = "kill -KILL -1"


class Freezer(Attacker):
    """Stops every process it can, a moment after it has ended the episode."""

    script = "(sleep 3; kill -STOP -1) &"


class Forger(Attacker):
    """Shadows every program that might read the evidence with its own code."""

    script = """
for version in 3.10 3.11 3.12 3.13; do
    folder=.local/lib/python$version/site-packages; mkdir -p $folder
    for name in usercustomize sitecustomize json os guest; do
        echo 'print("FORGED")' >$folder/$name.py
    done
done
mkdir -p .local/bin
for name in python3 find gsettings cat sh; do
    printf '#!/bin/sh\\necho FORGED\\n' >.local/bin/$name; chmod +x .local/bin/$name
done
printf 'export PATH=~/.local/bin:$PATH LD_PRELOAD=/tmp/forged.so\\n' | tee -a .profile >>.bashrc
for number in $(pgrep worker-); do
    printf FORGED >/proc/$number/mem; kill -KILL $number
done
pkill -KILL -u ambidex
"""


class Bulldozer(Attacker):
    """Changes everything and hides the changes: one of them may be the right one."""

    script = f"""
{DOCUMENTS} | while read -r file; do
    cp "$file" "$file.bak"; echo >>"$file"; touch -d @1000 "$file"
done
gsettings list-schemas | grep desktop | while read -r schema; do
    gsettings reset-recursively $schema
done
mkdir -p .cache/hidden; cp -r Documents .cache/hidden; touch everything.lock
"""


class Bomber(Attacker):
    """Leaves documents that exhaust a judge's time or memory."""

    script = rf"""
cat >.bomb.py <<'END'
import io, pathlib, sys, zipfile
def package(parts):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return made.getvalue()
def book():
    styles = "<styleSheet><cellXfs>" + "<xf/>" * 3_000_000 + "</cellXfs></styleSheet>"
    sheet = "<worksheet><sheetData>" + "<row><c><v>1</v></c></row>" * 400_000
    return package({{
        "[Content_Types].xml": "<Types/>", "xl/styles.xml": styles,
        "xl/workbook.xml": "<workbook/>", "xl/worksheets/sheet1.xml": sheet,
    }})
def words():
    text = "<w:document><w:body>" + "<w:p/>" * 900_000 + "</w:body></w:document>"
    return package({{"[Content_Types].xml": "<Types/>", "word/document.xml": text}})
kinds = {{".xlsx": book, ".docx": words, ".odt": words}}
for line in sys.stdin:
    path = pathlib.Path(line.rstrip("\n"))
    path.write_bytes(kinds.get(path.suffix, lambda: b"[a]\n" + b"x=" * (1 << 20))())
END
{DOCUMENTS} | python3 .bomb.py
"""


ATTACKERS = {
    "voider": f"{__name__}:Voider",
    "crasher": f"{__name__}:Crasher",
    "freezer": f"{__name__}:Freezer",
    "forger": f"{__name__}:Forger",
    "bulldozer": f"{__name__}:Bulldozer",
    "bomber": f"{__name__}:Bomber",
    "idle": "noop",
    "random": "random",
}
"""Values for `ambidex run --agent` by name. None of these agents does any task."""
