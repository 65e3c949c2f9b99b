"""Chooses apt sources: from this machine's configuration or a flag. The project names no mirror."""

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
"""The end of the address of Microsoft's VS Code repository, or of a mirror of it."""


@dataclass(frozen=True)
class AptSource:
    """A source of binary packages; `key` is the value of Signed-By."""

    uri: str
    suite: str
    key: str = ""


def configured_sources(apt: Path = APT) -> list[AptSource]:
    """The sources of binary packages in this machine's apt configuration."""
    sources: list[AptSource] = []
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        if path.is_file():
            for line in path.read_text().splitlines():
                if match := ONE_LINE.match(line.strip()):
                    options = dict(
                        option.partition("=")[::2] for option in (match["options"] or "").split()
                    )
                    key = options.get("signed-by", "")
                    sources.append(AptSource(match["uri"], match["suite"], key))
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            lines = [line for line in stanza.splitlines() if not line.lstrip().startswith("#")]
            keys = dict(re.findall(r"^([A-Za-z-]+):\s*(.*)$", "\n".join(lines), re.MULTILINE))
            if "deb" in keys.get("Types", "").split() and keys.get("Enabled", "yes") != "no":
                for uri in keys.get("URIs", "").split():
                    suites = keys.get("Suites", "").split()
                    signed_by = keys.get("Signed-By", "")
                    sources += [AptSource(uri, suite, signed_by) for suite in suites]
    return sources


def sources_for(recipe: Recipe, mirror: str = "", apt: Path = APT) -> list[str]:
    """apt source lines for a recipe: of `mirror` if given, else of this machine's configuration.

    The list is empty if the machine has no source of that suite; mmdebstrap then uses the
    distribution's default.
    """
    components = " ".join(recipe.components)
    if mirror:
        return [f"deb {mirror} {recipe.suite} {components}"]
    known: dict[str, str] = {}
    for source in configured_sources(apt):
        known.setdefault(source.suite, source.uri)
    if recipe.suite not in known:
        return []
    suites = [recipe.suite, *(pocket for pocket in recipe.pockets if pocket in known)]
    return [f"deb {known[suite]} {suite} {components}" for suite in suites]


def editor_source(apt: Path = APT) -> str:
    """The apt source line of Microsoft's VS Code if this machine has it configured, else empty."""
    for source in configured_sources(apt):
        if EDITOR.search(source.uri):
            if not source.key.startswith("/"):
                raise MachineError(
                    f"the apt source {source.uri} does not name a key file",
                    hint="Set its Signed-By to the path of a keyring, so that images can use it.",
                )
            return f"deb [arch=amd64 signed-by={source.key}] {source.uri} {source.suite} main"
    return ""


def sources_needed(recipe: Recipe, sources: list[str]) -> list[str]:
    """Return `sources`; `MachineError` if there are none.

    mmdebstrap would use its default mirror only if it were given no other source either.
    """
    if not sources:
        raise MachineError(
            f"no mirror of {recipe.distribution} {recipe.suite} is configured on this machine, "
            "which Microsoft's VS Code source needs beside it",
            hint="Name one with `--mirror URL`.",
        )
    return sources
