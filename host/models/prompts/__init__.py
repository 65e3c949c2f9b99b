"""Prompts: jinja2 templates in this folder. A placeholder without a value is an error."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

__all__ = ["prompt", "prompts_hash"]

FOLDER = Path(__file__).parent


def prompt(name: str, *, folder: Path = FOLDER, **values: object) -> str:
    """Render the template `<name>.md` with these values."""
    return _environment(folder).get_template(f"{name}.md").render(values)


@cache  # It keeps compiled templates, and compiles one again when its file has changed.
def _environment(folder: Path) -> Environment:
    # No escaping: the text goes to a model, not to a browser.
    return Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined, autoescape=False)


def prompts_hash(folder: Path = FOLDER) -> str:
    """SHA-256 over all prompts; part of a run's configuration."""
    total = sha256()
    for path in sorted(folder.glob("*.md")):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()
