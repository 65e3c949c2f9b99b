"""The comparison of two runs as one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ambidex.host.records.causes import brief_cause
from ambidex.host.records.frame_files import frame_url
from ambidex.host.records.rows import Row
from ambidex.host.records.trajectory import FRAMES
from ambidex.host.report.html_page import link, page, run_facts
from ambidex.host.report.pair import ComparedRuns, SideStep
from ambidex.host.report.pair.text import summary
from ambidex.host.report.report_lines import Line

__all__ = ["comparison_page", "write_comparison"]

PICTURED = 40
"""Flipped tasks whose screenshots are part of the page; each takes two of about 50 kB."""


def write_comparison(compared: ComparedRuns, path: Path) -> None:
    """Write the page, with links relative to it."""
    text = comparison_page(compared, lambda trial: link(trial, path.parent))
    path.write_text(text, encoding="utf-8")


def comparison_page(compared: ComparedRuns, address: Callable[[Path], str]) -> str:
    """The page as HTML; `address` is where the link to a trial's directory leads."""
    pair = compared.pair
    flips = [
        {
            "flip": flip,
            "sides": [
                _side("A", pair.a, flip.a, flip.trial_a, flip.folder_a, step_a, address, pictured),
                _side("B", pair.b, flip.b, flip.trial_b, flip.folder_b, step_b, address, pictured),
            ],
        }
        for number, flip in enumerate(compared.flips)
        for pictured in [number < PICTURED]
        for step_a, step_b in [flip.steps]
    ]
    return page(
        "compare.html",
        pair=pair,
        summary=summary(compared),
        flips=flips,
        left_out=max(0, len(flips) - PICTURED),
        most=PICTURED,
        only=[("A", compared.only_a), ("B", compared.only_b)],
        facts=[("A", run_facts(pair.a)), ("B", run_facts(pair.b))],
    )


def _side(
    name: str,
    line: Line,
    solved: tuple[int, int],
    row: Row,
    trial: Path,
    step: SideStep | None,
    address: Callable[[Path], str],
    pictured: bool,
) -> dict[str, object]:
    return {
        "name": name,
        "solved": solved,
        "row": row,
        "cause": brief_cause(row, line.config.limits),
        "link": address(trial),
        "step": step,
        "picture": _picture(trial, step) if pictured else "",
    }


def _picture(trial: Path, step: SideStep | None) -> str:
    """The screenshot before the step as a data URL; empty if there is none."""
    if step is None or not step.frame:
        return ""
    try:
        return frame_url(trial / FRAMES, step.frame)
    except FileNotFoundError:
        return ""
