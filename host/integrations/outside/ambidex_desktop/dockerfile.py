"""Dockerfiles that only install packages and copy files: what they ask for, without a container
engine."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Recipe", "read_dockerfile"]

HARMLESS = ("LABEL", "MAINTAINER", "EXPOSE", "CMD", "USER")
BASES = re.compile(r"(\S+/)?(debian|ubuntu|scratch)([:@]\S+)?")
NEEDLESS = re.compile(
    r"(apt(-get)?\s+(-\S+\s+)*(update|clean)( -\S+)*"
    r"|rm -rf /var/lib/apt/lists/\*)?"
)
"""Commands that nothing depends on where nothing is installed."""
FOLDERS = re.compile(r"mkdir( -p)?(?P<words>( /[\w/.-]+)+)")
INSTALL = re.compile(r"apt(-get)?\s+(-\S+\s+)*install\s+(?P<words>.*)")


@dataclass(frozen=True)
class Recipe:
    """What a Dockerfile asks for."""

    packages: tuple[str, ...] = ()
    """Of Debian."""
    files: tuple[tuple[str, str], ...] = ()
    """Source in the environment's directory, target in the guest."""
    folders: tuple[str, ...] = ()
    """Directories to make."""
    env: dict[str, str] = field(default_factory=dict)
    workdir: str = "/app"

    @property
    def targets(self) -> tuple[str, ...]:
        """The paths that it makes."""
        return (*self.folders, *(target for _, target in self.files))


def read_dockerfile(folder: Path) -> Recipe:
    """The recipe of the Dockerfile in a directory, empty if there is none. `ValueError` names the
    first instruction that a desktop cannot follow."""
    path = folder / "Dockerfile"
    if not path.exists():
        return Recipe()
    packages: list[str] = []
    files: list[tuple[str, str]] = []
    folders: list[str] = []
    env: dict[str, str] = {}
    workdir = "/app"
    for line in _instructions(path.read_text(encoding="utf-8")):
        word, _, rest = line.partition(" ")
        match word.upper():
            case "FROM" if not BASES.fullmatch(rest.strip()):
                raise ValueError(
                    f"the Dockerfile is based on {rest.strip()}: a desktop of Ambidex has its own "
                    "Debian or Ubuntu, and can stand in for debian, ubuntu and scratch only"
                )
            case "FROM":
                pass
            case "RUN":
                for part in re.split(r"&&|;", rest):
                    if made := FOLDERS.fullmatch(part.strip()):
                        folders += made["words"].split()
                    else:
                        packages += _packages(part.strip())
            case "COPY" | "ADD":
                words = [word for word in shlex.split(rest) if not word.startswith("--")]
                if rest.startswith("[") or "--from" in rest or "://" in rest or len(words) != 2:
                    raise ValueError(_refusal(line))
                source, target = words
                absolute = target if target.startswith("/") else f"{workdir}/{target}"
                if absolute.endswith(("/", "/.")) and (folder / source).is_file():
                    absolute = f"{absolute.rstrip('./')}/{Path(source).name}"
                files.append((source, absolute))
            case "ENV":
                pairs = shlex.split(rest)
                if all("=" in pair for pair in pairs):
                    env |= dict(pair.split("=", 1) for pair in pairs)
                else:
                    name, _, value = rest.partition(" ")
                    env[name] = value
            case "WORKDIR":
                workdir = rest.strip() if rest.startswith("/") else f"{workdir}/{rest.strip()}"
            case other if other not in HARMLESS:
                raise ValueError(_refusal(line))
    return Recipe(tuple(packages), tuple(files), tuple(folders), env, workdir)


def _instructions(text: str) -> list[str]:
    joined = re.sub(
        r"\\\s*\n",
        " ",
        "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")),
    )
    return [line.strip() for line in joined.splitlines() if line.strip()]


def _packages(command: str) -> list[str]:
    """The packages that a command installs; `ValueError` if it does anything else."""
    if found := INSTALL.fullmatch(command):
        named = shlex.split(found["words"])
        return [name.partition("=")[0] for name in named if not name.startswith("-")]
    if NEEDLESS.fullmatch(command):
        return []
    raise ValueError(_refusal(f"RUN {command}"))


def _refusal(line: str) -> str:
    return (
        f"the Dockerfile's instruction {line[:120]!r} needs a container engine, which a desktop of "
        "Ambidex has not: packages of Debian (apt-get install) and files (COPY) are supported"
    )
