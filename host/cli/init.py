"""`ambidex init`: start a suite of one's own."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from ambidex.host.errors import UsageError
from ambidex.host.terminal import echo

__all__ = ["init"]

NEW_SUITE = Path(__file__).with_name("new_suite")


def init(folder: Path) -> int:
    """Make a directory for a suite of your own, with one task to change or copy: its setup, checks,
    two oracles and a near miss.

    Parameters
    ----------
    folder
        The new directory; it may exist if it is empty.
    """
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"not empty: {folder}", hint="Name a new directory.")
        for source in sorted(NEW_SUITE.rglob("*")):
            target = folder / source.relative_to(NEW_SUITE)
            if source.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:  # without its mode: an installed file may be read-only
                shutil.copyfile(source, target)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None
    name = shlex.quote(str(folder))
    echo(f"a suite with one task: {folder}")
    for path in sorted(folder.glob("*/task.toml")):
        echo(f"its text, with comments: {path}")
    echo("next, each after a change of the task:")
    echo(f"  ambidex check {name}                     its form; takes seconds, needs no machine")
    echo(f"  ambidex prove {name} --provider sandbox  its oracles and near miss, on a desktop")
    echo(f"  ambidex run {name} --provider sandbox --model openai/gpt-5")
    return 0
