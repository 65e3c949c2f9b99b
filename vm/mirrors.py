"""Where packages come from: the machine's own configuration or a flag. No mirror is written in this
project.
"""

from __future__ import annotations

import re
from pathlib import Path

from vm.recipe import Recipe

__all__ = ["sources_for"]

APT = Path("/etc/apt")
ONE_LINE = re.compile(
    r"^deb\s+(?:\[(?P<options>[^]]*)]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<rest>.+)$"
)


def configured(apt: Path = APT) -> list[tuple[str, str]]:
    """(URI, suite) of every binary package source this machine is configured with."""
    found: list[tuple[str, str]] = []
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        if path.is_file():
            for line in path.read_text().splitlines():
                if match := ONE_LINE.match(line.strip()):
                    found.append((match["uri"], match["suite"]))
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            lines = [line for line in stanza.splitlines() if not line.lstrip().startswith("#")]
            keys = dict(re.findall(r"^([A-Za-z-]+):\s*(.*)$", "\n".join(lines), re.MULTILINE))
            if "deb" in keys.get("Types", "").split() and keys.get("Enabled", "yes") != "no":
                for uri in keys.get("URIs", "").split():
                    found += [(uri, suite) for suite in keys.get("Suites", "").split()]
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
    for uri, suite in configured(apt):
        known.setdefault(suite, uri)
    if recipe.suite not in known:
        return []
    suites = [recipe.suite, *(pocket for pocket in recipe.pockets if pocket in known)]
    return [f"deb {known[suite]} {suite} {components}" for suite in suites]
