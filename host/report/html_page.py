"""A page in one HTML file: nothing is loaded from anywhere, plots are drawn into it, and links lead
to the trials' directories relative to where it lies."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ambidex.host.records.config import RunConfig
from ambidex.host.report import number_format
from ambidex.host.report.report_lines import Line

__all__ = ["link", "measured", "page"]

PAGES = Path(__file__).with_name("pages")


def page(template: str, **said: object) -> str:
    """That page, filled in; numbers are written as `host.report.number_format` writes them."""
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
    return environment.get_template(template).render(**said)


def link(trial: Path, folder: Path) -> str:
    """The way to a trial's directory from a page in that folder."""
    return quote(os.path.relpath(trial, folder)) + "/"


def measured(line: Line) -> dict[str, str]:
    """What was run, by the name of each part."""
    said, rows = line.config, line.rows
    limits, exposure = said.limits, said.exposure
    cost = "none" if limits.cost is None else f"{limits.cost:g} USD"
    shown = exposure.model_dump(exclude_defaults=True)
    return {
        "run": str(line.run),
        "suite": f"{Path(said.suite).name}, {len(said.tasks)} tasks, {said.runs} trials of each",
        "agent": line.agent,
        "model": said.model.name if said.model else "none",
        "dialect": said.model.dialect if said.model else "none",
        "condition": said.condition,
        "exposure": ", ".join(f"{key} {value}" for key, value in shown.items()) or "all tools",
        "limits": f"{limits.steps} steps, {limits.seconds:g} s, cost {cost},"
        f" {limits.malformed} malformed answers in a row",
        "checkpoints": ", ".join(map(str, said.checkpoints)) or "none",
        "forked from": _forked(said),
        "begun": min(row.started for row in rows),
        "Ambidex": said.version,
        "configuration": said.hash,
        "code": ", ".join(sorted({row.code for row in rows})),
        "image": said.image or "none",
        "provider": said.provider or "none",
        "screen": ", ".join(sorted({f"{r.screen[0]}×{r.screen[1]}" for r in rows if r.screen})),
        "catalogue of tools": said.catalogue or "none",
        "prompts": said.prompts or "none",
        "prices": said.prices or "none",
    }


def _forked(said: RunConfig) -> str:
    if said.fork is None:
        return "none"
    steps = ", ".join(f"{each.trial} step {each.step}" for each in said.fork.branches)
    hand = f"; {said.fork.hand} only, {said.fork.lasting}" if said.fork.hand else ""
    hint = f"; hint: {said.fork.hint}" if said.fork.hint else ""
    return f"{said.fork.run}: {steps}{hand}{hint}"
