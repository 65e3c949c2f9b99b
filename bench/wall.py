"""Time until the wall shows many trials, and until a filter of it has been applied."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

from ambidex.host import Limits, Stop
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Failure, Row
from ambidex.host.room.serve import opened

__all__ = ["invented_runs", "wall"]

CHROMIUM = "/usr/bin/chromium-headless-shell"
TIMES = 5
TARGETS = {"paint": "<= 1 s", "filter": "<= 100 ms"}
REASONS = ("rows stay, not 1", "the file was not saved", "the wrong cell is set", "3 of 4 checks")

NOTE = """
new MutationObserver((_, observer) => {
  if (!document.querySelector('.line')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => performance.mark('lines'), 0));
}).observe(document, { childList: true, subtree: true });
"""
"""Notes the time of the first frame with lines of trials."""
LINES = """
async () => {
  while (!performance.getEntriesByName('lines').length) await new Promise(requestAnimationFrame);
  return performance.getEntriesByName('lines')[0].startTime;
}
"""
"""Milliseconds since the address was opened."""

FILTER = """
async ([selector, text]) => {
  const field = document.querySelector(selector);
  const began = performance.now();
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  document.body.offsetHeight;
  await new Promise(requestAnimationFrame);
  await new Promise((go) => setTimeout(go, 0));
  return performance.now() - began;
}
"""


def wall(*, counts: tuple[int, ...] = (1_000, 10_000), runs: int = 10) -> None:
    """Measure the wall in Chromium with `counts` invented trials in `runs` runs, and in one run:
    from opening the address to the first frame with trials, and from typing to the filtered page,
    by the clock of the page.
    """
    table = Table("trials", "runs", "first lines", "filter", title="The wall, medians of 5")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        for count in counts:
            for several in (runs, 1):
                with tempfile.TemporaryDirectory() as scratch:
                    invented_runs(Path(scratch), several, count // several)
                    shown, filtered = _measured(browser, Path(scratch), count)
                table.add_row(
                    f"{count:,}", str(several), f"{shown:.2f} s", f"{1000 * filtered:.0f} ms"
                )
        browser.close()
    table.caption = f"targets: first lines {TARGETS['paint']}, filter {TARGETS['filter']}"
    Console().print(table)


def invented_runs(place: Path, runs: int, trials: int) -> None:
    """Write runs of invented results, without trajectories: every ninth trial has a void attempt
    first."""
    for number in range(1, runs + 1):
        name = f"20260101-0900{number:02}-office-model-{('hybrid', 'gui', 'tools')[number % 3]}"
        _invented_run(place / name, number, trials)


def _invented_run(folder: Path, number: int, trials: int) -> None:
    folder.mkdir(parents=True)
    model = ModelConfig(name=f"vendor/model-{number % 4}")
    config = RunConfig(
        version="invented",
        suite="/suites/office",
        tasks={f"task-{at:05}": "0" for at in range(trials)},
        agents=("model",),
        condition=("hybrid", "gui", "tools")[number % 3],
        limits=Limits(),
        model=model,
    )
    (folder / CONFIG).write_text(config.model_dump_json())
    digest = config.hash
    with (folder / RESULTS).open("w") as file:
        for at, task in enumerate(config.tasks):
            for attempt in (1, 2) if at % 9 == 0 else (1,):
                void = at % 9 == 0 and attempt == 1
                row = _row(config, task, at, attempt, void).model_copy(update={"config": digest})
                file.write(row.model_dump_json() + "\n")


def _row(config: RunConfig, task: str, at: int, attempt: int, void: bool) -> Row:
    score = None if void else float(at % 3 > 0)
    return Row(
        suite=config.suite,
        task=task,
        task_hash="0",
        agent="model",
        trial=1,
        attempt=attempt,
        condition=config.condition,
        tool_beneficial=True,
        feasible=True,
        model=config.model.name if config.model else "",
        fate="void" if void else "scored",
        score=score,
        reason="" if void or score else REASONS[at % len(REASONS)],
        failure=Failure(type="GuestError", message="the guest did not answer") if void else None,
        stop=None if void else Stop.DONE,
        steps=3 + at % 12,
        cost=0.01 * (at % 7),
        seconds={"total": 30.0 + at % 60},
        folder=f"{task}.1",
        started="2026-01-01T09:00:00+00:00",
        config="",
        code="0",
    )


def _measured(browser: Browser, runs: Path, count: int) -> tuple[float, float]:
    """Medians: seconds to the first lines on a new page, and to apply a search."""
    shown, filtered = [], []
    with opened([runs]) as address:
        for _ in range(TIMES):
            with browser.new_context() as context:
                page = context.new_page()
                page.add_init_script(NOTE)
                page.goto(address())
                shown.append(float(page.evaluate(LINES)) / 1000)
                assert page.get_by_text(f"of {count} trials done").count() == 1
                filtered += [_filter(page, text) for text in ("task-0001", "saved", "")]
    return median(shown), median(filtered)


def _filter(page: Page, text: str) -> float:
    return float(page.evaluate(FILTER, [".search", text])) / 1000
