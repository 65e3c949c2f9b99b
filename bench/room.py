"""Cost of the control room, and the time to open an episode in it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import httpx
from rich.console import Console
from rich.table import Table

from ambidex.host.records.announcement import announced
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import read_config
from ambidex.host.records.frame_files import read_frame_png
from ambidex.host.records.trajectory import FRAMES, read_trajectory
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.report.report_lines import runs_in
from ambidex.host.room.serve import opened
from bench.screens import idle_screens

__all__ = ["room"]

CHROMIUM = "/usr/bin/chromium-headless-shell"
WATCHED = 20.0
"""Seconds for which the idle desktops are watched."""


def room(run: Path, *, desktops: int = 32, steps: int = 1000) -> None:
    """Measure the control room on a finished run: the size of its frames, the time to open an
    episode of `steps` steps made from it, and the cost of watching `desktops` idle desktops.
    """
    table = Table("what", "target", "measured", title="The control room", title_justify="left")
    stored, whole, count = _sizes(run)
    table.add_row(
        f"frames of {count} steps on disk, compared with a PNG per step",
        "5 times smaller",
        f"{stored / 1e6:.1f} MB, {whole / 1e6:.1f} MB: {whole / stored:.1f} times",
    )
    with tempfile.TemporaryDirectory() as scratch:
        long = _long(run, Path(scratch) / "runs" / "long", steps)
        for what, seconds in _opens(long, steps):
            table.add_row(what, "< 1 s", f"{seconds:.2f} s")
    with tempfile.TemporaryDirectory() as scratch:
        share = _watching(run, Path(scratch) / "runs" / "crowd", desktops)
        table.add_row(f"watching {desktops} idle desktops", "<= 1 core", f"{share:.3f} cores")
    Console().print(table)


def _trials(run: Path) -> list[Path]:
    return [
        path.parent for folder in runs_in([run]) for path in sorted(folder.glob(f"*/{TRAJECTORY}"))
    ]


def _sizes(run: Path) -> tuple[int, int, int]:
    """Bytes of the stored frames, bytes of a full PNG per step, and the number of steps."""
    stored = whole = count = 0
    for trial in _trials(run):
        stored += sum(path.stat().st_size for path in (trial / FRAMES).iterdir())
        for line in read_trajectory(trial):
            if line["kind"] == "step" and line["after"]:
                whole += len(read_frame_png(trial / FRAMES, line["after"]))
                count += 1
    return stored, whole, count


def _long(run: Path, folder: Path, steps: int) -> Path:
    """Make a run of one trial that repeats the steps of the run's longest trial."""
    source = max(_trials(run), key=lambda trial: (trial / TRAJECTORY).stat().st_size)
    trial = folder / "long.1"
    shutil.copytree(source, trial)
    shutil.copy(source.parent / CONFIG, folder / CONFIG)
    lines = list(read_trajectory(source))
    own = [line for line in lines if line["kind"] == "step"]
    repeated = [
        {
            **own[at % len(own)],
            "number": at + 1,
            "decision": {**own[at % len(own)]["decision"], "stop": None},
        }
        for at in range(steps)
    ]
    rest = [line for line in lines if line["kind"] not in ("step", "end")]
    end = [line for line in lines if line["kind"] == "end"]
    (trial / TRAJECTORY).write_text(
        "".join(json.dumps(line) + "\n" for line in [*rest, *repeated, *end])
    )
    return folder


def _opens(run: Path, steps: int) -> list[tuple[str, float]]:
    from playwright.sync_api import sync_playwright

    results = []
    with opened([run]) as address, sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        taken = []
        for _ in range(5):
            with browser.new_context() as context:
                page = context.new_page()
                page.goto(address())
                start = time.monotonic()
                page.evaluate("location.hash = '#/trial/long/long.1'")
                page.locator(".step.current").wait_for()
                page.locator(".stage img").evaluate("image => image.decode()")
                taken.append(time.monotonic() - start)
        results.append(
            (f"an episode of {steps} steps opens in Chromium, median of 5", median(taken))
        )
        browser.close()
    return results


def _watching(run: Path, folder: Path, desktops: int) -> float:
    """Processor time of the room in this process per second, without the simulated desktops."""
    source = runs_in([run])[0]
    folder.mkdir(parents=True)
    config = read_config(source)
    (folder / CONFIG).write_text(config.model_dump_json())
    with idle_screens(desktops) as screens, ExitStack() as stack:
        for at, screen in enumerate(screens):
            trial = folder / f"idle.{at}"
            trial.mkdir()
            shutil.copy(_trials(run)[0] / TRAJECTORY, trial / TRAJECTORY)
            stack.enter_context(announced(trial, (screen, "")))
        with opened([folder]) as address, httpx.Client(follow_redirects=True) as client:
            client.get(address())
            client.base_url = httpx.URL(address().partition("?")[0])
            end = time.monotonic() + 60
            while client.get(f"/live/{folder.name}/idle.{desktops - 1}").status_code != 200:
                if time.monotonic() > end:
                    raise SystemExit("bench: the last desktop did not appear in the room")
                time.sleep(0.2)
            began, used = time.monotonic(), time.process_time()
            time.sleep(WATCHED)
            return (time.process_time() - used) / (time.monotonic() - began)
