"""Where packages come from: the machine's own configuration or a flag. No mirror is written in this
project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.recipe import Recipe

__all__ = ["editor_source", "sources_for", "sources_needed"]

APT = Path("/etc/apt")
ONE_LINE = re.compile(
    r"^deb\s+(?:\[(?P<options>[^]]*)]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<rest>.+)$"
)


EDITOR = re.compile(r"/repos/(code|vscode)/?$")
"""How the address of Microsoft's repository of VS Code ends, and that of a copy of it."""


@dataclass(frozen=True)
class Source:
    """A source of binary packages; `key` is what Signed-By says."""

    uri: str
    suite: str
    key: str = ""


def configured(apt: Path = APT) -> list[Source]:
    """Every source of binary packages that this machine is configured with."""
    found: list[Source] = []
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        if path.is_file():
            for line in path.read_text().splitlines():
                if match := ONE_LINE.match(line.strip()):
                    options = dict(
                        option.partition("=")[::2] for option in (match["options"] or "").split()
                    )
                    key = options.get("signed-by", "")
                    found.append(Source(match["uri"], match["suite"], key))
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            lines = [line for line in stanza.splitlines() if not line.lstrip().startswith("#")]
            keys = dict(re.findall(r"^([A-Za-z-]+):\s*(.*)$", "\n".join(lines), re.MULTILINE))
            if "deb" in keys.get("Types", "").split() and keys.get("Enabled", "yes") != "no":
                for uri in keys.get("URIs", "").split():
                    suites = keys.get("Suites", "").split()
                    found += [Source(uri, suite, keys.get("Signed-By", "")) for suite in suites]
    return found


def sources_for(recipe: Recipe, mirror: str = "", apt: Path = APT) -> list[str]:
    """apt source lines for a recipe: from `mirror` where given, else from this machine's own
    sources.

    An empty list means that the machine has no source for that suite; mmdebstrap then uses the
    distribution's default, which it knows itself.
    """
    components = " ".join(recipe.components)
    if mirror:
        return [f"deb {mirror} {recipe.suite} {components}"]
    known: dict[str, str] = {}
    for source in configured(apt):
        known.setdefault(source.suite, source.uri)
    if recipe.suite not in known:
        return []
    suites = [recipe.suite, *(pocket for pocket in recipe.pockets if pocket in known)]
    return [f"deb {known[suite]} {suite} {components}" for suite in suites]


def editor_source(apt: Path = APT) -> str:
    """The apt source line of Microsoft's VS Code where this machine is configured with it, else
    empty.
    """
    for source in configured(apt):
        if EDITOR.search(source.uri):
            if not source.key.startswith("/"):
                raise MachineError(
                    f"the apt source {source.uri} names no file of keys",
                    hint="Its Signed-By must be the path of one: another system is built from it.",
                )
            return f"deb [arch=amd64 signed-by={source.key}] {source.uri} {source.suite} main"
    return ""


def sources_needed(recipe: Recipe, sources: list[str]) -> list[str]:
    """These, unless there are none: then only mmdebstrap knows some, and uses them alone."""
    if not sources:
        raise MachineError(
            f"this machine is configured with Microsoft's VS Code, and with no mirror of "
            f"{recipe.distribution} {recipe.suite} to go with it",
            hint="`--mirror URL` names one.",
        )
    return sources
