"""The command that a run was made by, kept in its directory: repeated, it fills the run's gaps."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

from ambidex.vm.whole_files import write_whole

__all__ = ["command_of", "keep_command", "kept_command", "this_command"]

NAME = "command.json"


def this_command(*added: str) -> str:
    """This process's command line, for a shell, with some words added."""
    return shlex.join(["ambidex", *sys.argv[1:], *added])


def keep_command(folder: Path, command: str) -> None:
    """Keep the command in a run's directory; an earlier one is replaced."""
    kept = {"command": command, "directory": os.getcwd()}
    write_whole(folder / NAME, json.dumps(kept) + "\n")


def command_of(folder: Path) -> str:
    """The command that made the run, to be repeated from here; empty if it was not kept."""
    kept = kept_command(folder)
    if kept is None:
        return ""
    command, directory = kept
    return command if directory == os.getcwd() else f"cd {shlex.quote(directory)} && {command}"


def kept_command(folder: Path) -> tuple[str, str] | None:
    """The command that made the run, and the directory it was given in; None if it was not kept."""
    try:
        kept = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(kept["command"]), str(kept["directory"])
