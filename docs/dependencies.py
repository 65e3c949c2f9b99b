"""`python docs/dependencies.py` prints docs/dependencies.md from the comments in pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
LINE = re.compile(r'^ +"(?P<asked>[^"]+)", +# (?P<why>.+)$', re.MULTILINE)
HEAD = """# Dependencies

Each dependency is a decision with a reason. The reasons are the comments in `pyproject.toml`; this
page is printed from them: `python docs/dependencies.py > docs/dependencies.md`. Exact versions and
the hash of every file are in `host/requirements.lock`, `docs/requirements.lock` and
`guest/requirements.lock`, which `vm/lock.sh` writes.
[Licences](licences.md) says under what terms they come.
"""
SECTIONS = {
    "dependencies": ("On the host", "Installed with Ambidex."),
    "cluster": ("For clusters", "The extra `cluster`: see [Clusters](cluster.md)."),
    "harbor": ("For Harbor's formats", "The extra `harbor`: see [Integrations](integrations.md)."),
    "inspect": ("For Inspect", "The extra `inspect`: see [Integrations](integrations.md)."),
    "rl": ("For Gymnasium", "The extra `rl`: see [Integrations](integrations.md)."),
    "dev": ("To work on Ambidex", "The extra `dev`: tests, types, style."),
    "minilm": (
        "For the embedder",
        "The extra `minilm`: searches of a gateway by meaning, see [gateways](gateways.md).",
    ),
    "docs": ("To build this site", "The extra `docs`, installed apart by `make docs`."),
}


def reasons(text: str) -> dict[str, dict[str, str]]:
    """Section -> requirement -> reason; `ValueError` where a requirement has no reason."""
    project = tomllib.loads(text)["project"]
    known = {match["asked"]: match["why"].strip() for match in LINE.finditer(text)}
    asked = {"dependencies": project["dependencies"], **project["optional-dependencies"]}
    missing = [line for lines in asked.values() for line in lines if line not in known]
    if missing:
        raise ValueError(f"without a reason in pyproject.toml: {', '.join(missing)}")
    # Two sections may ask for one package: then the reason is the one on the line there.
    own = {name: dict(_lines(text, name)) for name in asked}
    return {name: {line: own[name][line] for line in lines} for name, lines in asked.items()}


def _lines(text: str, section: str) -> list[tuple[str, str]]:
    start = re.search(rf"^{section} = \[$", text, re.MULTILINE)
    assert start is not None, section
    block = text[start.end() : text.index("\n]", start.end())]
    return [(match["asked"], match["why"].strip()) for match in LINE.finditer(block)]


def page(text: str) -> str:
    """The whole page."""
    parts = [HEAD]
    for section, lines in reasons(text).items():
        title, what = SECTIONS[section]
        rows = [f"| `{name(line)}` | {why} |" for line, why in lines.items()]
        table = ["| package | used for |", "| --- | --- |", *rows]
        parts.append("\n".join((f"\n## {title}\n\n{what}\n", *table, "")))
    return "".join(parts)


def name(requirement: str) -> str:
    """The package of a requirement."""
    return re.split(r"[\[<>=~! ]", requirement)[0]


if __name__ == "__main__":
    print(page(PYPROJECT.read_text(encoding="utf-8")), end="")
