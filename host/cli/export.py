"""The commands that convert runs to other formats and back: export and import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.errors import UsageError
from ambidex.host.integrations.extras import extra
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.room.standalone_page import episode_html
from ambidex.host.terminal import echo
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["export", "import_"]


def export(
    path: Path,
    *,
    html: Path | None = None,
    mp4: Path | None = None,
    atif: Path | None = None,
    inspect: Path | None = None,
    harbor: Path | None = None,
) -> int:
    """Export one episode as a page or a video, or a whole run or suite for another program.

    Parameters
    ----------
    path
        For --html and --mp4 the directory of a trial, RUN/TASK.NUMBER; for --harbor that of a
        suite; otherwise that of a run.
    html
        Write a self-contained page that plays the episode in a browser.
    mp4
        Write a video.
    atif
        Write each attempt of the run as a trajectory in Harbor's format ATIF, into this new
        directory.
    inspect
        Write the run as a log of Inspect, for `inspect view`: a file whose name ends in .eval.
    harbor
        Write the suite as task folders of Harbor, into this new directory.
    """
    if not (html or mp4 or atif or inspect or harbor):
        raise UsageError(
            "nothing to export",
            hint="Name a file with --html, --mp4 or --inspect, or a directory with --atif or "
            "--harbor.",
        )
    if harbor:
        from ambidex.host.integrations.desk import judged_tasks
        from ambidex.host.integrations.harbor_tasks import write_harbor_tasks

        suite = load_suite(path, read_catalogue())
        judged_tasks(suite)
        echo(f"{write_harbor_tasks(suite, harbor)} tasks: {harbor}")
    if html or mp4:
        _export_trial(path, html, mp4)
    if atif:
        _refuse_no_run(path)
        with extra("harbor"):
            from ambidex.host.integrations.atif.writing import write_atif

        count = write_atif(path, atif, read_catalogue())
        echo(f"{count} trajectories: {atif}")
    if inspect:
        _refuse_no_run(path)
        _refuse_no_folder(inspect)
        if inspect.suffix != ".eval":
            raise UsageError(f"not a name for a log of Inspect: {inspect}", hint="End it in .eval.")
        with extra("inspect"):
            from ambidex.host.integrations.inspect.log import write_log

        count = write_log(path, inspect)
        echo(f"{count} samples: {inspect}")
    return 0


def import_(path: Path, *, out: Annotated[Path, Parameter(help="The new directory.")]) -> int:
    """Import trajectories in Harbor's format ATIF. What `export --atif` wrote becomes a run again;
    trajectories of other programs become trials without a score, to be watched and exported.

    Parameters
    ----------
    path
        A trajectory, or a directory with trajectories.
    """
    if not path.exists():
        raise UsageError(f"there is no {path}")
    with extra("harbor"):
        from ambidex.host.integrations.atif.reading import read_atif

    trials = read_atif(path, out)
    for trial in trials:
        echo(trial)
    return 0


def _export_trial(trial: Path, html: Path | None, mp4: Path | None) -> None:
    if not (trial / TRAJECTORY).is_file():
        raise UsageError(
            f"not a trial directory (it has no trajectory): {trial}",
            hint="Name a trial: RUN/TASK.NUMBER.",
        )
    for file in filter(None, (html, mp4)):
        _refuse_no_folder(file)
    try:
        if html:
            html.write_text(episode_html(trial), encoding="utf-8")
        if mp4:
            from ambidex.host.room.video import write_video  # heavy: video encoding

            write_video(trial, mp4)
    except (OSError, ValueError, KeyError) as error:
        # Records are written whole, so a reader meets these errors only where a file was changed.
        raise UsageError(f"{trial} cannot be exported: {type(error).__name__}: {error}") from None


def _refuse_no_run(run: Path) -> None:
    if not (run / CONFIG).is_file():
        raise UsageError(
            f"not a run directory ({CONFIG} is missing): {run}",
            hint="Name the directory that `run --out` wrote.",
        )


def _refuse_no_folder(file: Path) -> None:
    if not file.parent.is_dir():
        raise UsageError(f"{file} cannot be written: there is no directory {file.parent}")
