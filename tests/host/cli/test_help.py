"""The command line's own help, and what it loads."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from cyclopts import App

from ambidex.host.cli.main import COMMANDS, app
from tests.support.commands import ambidex


def commands(parent: App, path: str) -> Iterator[tuple[str, App]]:
    """Every command that can be run below one, with the words that call it."""
    if parent.default_command is not None:
        yield path, parent
    for name in parent:
        if not name.startswith("-"):
            yield from commands(parent[name], f"{path} {name}")


def test_every_option_of_every_command_has_a_sentence() -> None:
    without = [
        f"{path} {argument.name}"
        for _, name, *_ in COMMANDS
        for path, command in commands(app[name], name)
        for argument in command.assemble_argument_collection(parse_docstring=True)
        if argument.show and not (argument.parameter.help or "").rstrip().endswith((".", ".)"))
    ]
    assert without == []


def test_the_help_of_run_has_groups_and_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert ambidex("run", "--help") == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"─ {group} ─") for group in ("Tasks", "Agent and model", "Output")]
    assert places == sorted(places)
    assert "[default: 15]" in shown
    assert not re.search(r'\[default: (None|False|""|\(\))\]', " ".join(shown.split()))
    assert "resumes the run" in " ".join(shown.split())
    assert "ambidex run tasks/demo --model" in shown


def test_completion_names_commands_and_options() -> None:
    script = app.generate_completion(shell="bash")
    assert "counterfactual" in script
    assert "--cost-limit" in script
