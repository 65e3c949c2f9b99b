"""Self-contained HTML pages: nothing is loaded from elsewhere, plots are inline SVG, and links to
the trials' directories are relative to the page."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ambidex.host.records.config import RunConfig
from ambidex.host.report import number_format
from ambidex.host.report.report_lines import Line

__all__ = ["link", "page", "run_facts"]

PAGES = Path(__file__).with_name("pages")


def page(template: str, **values: object) -> str:
    """Render a template of `pages/`. The functions of `host.report.number_format` are filters."""
    return _with_contents(_templates().get_template(template).render(**values))


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(PAGES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        name: getattr(number_format, name)
        for name in number_format.__all__
        if callable(getattr(number_format, name))
    }
    return environment


def _with_contents(text: str) -> str:
    """Give each section's heading an anchor, and list the sections where the page says so."""
    sections: list[tuple[str, str]] = []

    def anchored(heading: re.Match[str]) -> str:
        name = re.sub(r"[^a-z0-9]+", "-", heading[1].lower()).strip("-")
        sections.append((name, heading[1]))
        link = f'<a class="anchor" href="#{name}" aria-label="Link to this section">#</a>'
        return f'<h2 id="{name}">{heading[1]} {link}</h2>'

    text = re.sub(r"<h2>(.*?)</h2>", anchored, text)
    entries = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in sections)
    nav = f'<nav class="contents" aria-label="Contents"><ul>{entries}</ul></nav>'
    return text.replace("<!-- contents -->", nav)


def link(trial: Path, folder: Path) -> str:
    """Relative URL of a trial's directory, for a page in `folder`."""
    return quote(os.path.relpath(trial, folder)) + "/"


def run_facts(line: Line) -> dict[str, str]:
    """The configuration that a line was run_facts with, by label."""
    config, rows = line.config, line.rows
    limits, exposure = config.limits, config.exposure
    cost = "none" if limits.cost is None else f"{limits.cost:g} USD"
    exposure_settings = exposure.model_dump(exclude_defaults=True)
    return {
        "run": line.run.resolve().name,
        "suite": f"{Path(config.suite).name}, {len(config.tasks)} tasks,"
        f" {config.runs} trials of each",
        "agent": line.agent,
        "model": config.model.name if config.model else "none",
        "effort": line.effort or "the model's default",
        "dialect": config.model.dialect if config.model else "none",
        "condition": config.condition,
        "exposure": ", ".join(f"{key} {value}" for key, value in exposure_settings.items())
        or "all tools",
        "limits": f"{limits.steps} steps, {limits.seconds:g} s, cost {cost},"
        f" {limits.malformed} malformed answers in a row",
        "checkpoints": ", ".join(map(str, config.checkpoints)) or "none",
        "forked from": _forked(config),
        "begun": min(row.started for row in rows),
        "Ambidex": config.version,
        "configuration": config.hash,
        "code": ", ".join(sorted({row.code for row in rows})),
        "image": config.image or "none",
        "provider": config.provider or "none",
        "network of the guests": "this computer's" if config.network else "none",
        "screen": ", ".join(sorted({f"{r.screen[0]}×{r.screen[1]}" for r in rows if r.screen}))
        or "none",
        "catalogue of tools": config.catalogue or "none",
        "prompts": config.prompts or "none",
        "prices": config.prices or "none",
    }


GIVEN = {
    "answer": "the useful tools in the next search's answer",
    "set": "the useful tools instead of the gateway",
}
"""What the agents of branches are given (`Fork.given`)."""


def _forked(config: RunConfig) -> str:
    if config.fork is None:
        return "none"
    steps = ", ".join(f"{branch.trial} step {branch.step}" for branch in config.fork.branches)
    hand = f"; {config.fork.hand} only, {config.fork.lasting}" if config.fork.hand else ""
    given = f"; {GIVEN[config.fork.given]}" if config.fork.given else ""
    hint = f"; hint: {config.fork.hint}" if config.fork.hint else ""
    return f"{config.fork.run}: {steps}{hand}{given}{hint}"
