"""The command line. Each command is a function; its types and docstring are its help text.

Exit codes: 0 success · 1 the command ran and the answer is no (a failed proof, a task that a null
agent solved, a `bug` row, a changed score, a passport that does not match, a deletion that was
declined) · 2 invalid arguments or data · 3 not now: a machine, a
guest or a model failed, a run or a port is in use, trials remained void or unjudged, or a report is
incomplete · 130 interrupted
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError, CycloptsPanel, Group, Parameter
from pydantic import ValidationError

from ambidex.evaluators.strict import problems_of
from ambidex.host.box.client import box
from ambidex.host.errors import VOID, BusyError, TaskError, UsageError
from ambidex.host.records.code import installed_version
from ambidex.host.terminal import Terminal, echo, one_line

__all__ = ["app", "main"]

PLACE = "ambidex.host.cli"

RUN_EXAMPLES = """Examples

    # the reference solutions, to see that everything works
    ambidex run tasks/demo
    # a model, three trials of each task, on two machines
    ambidex run tasks/demo --model openai/gpt-5 --runs 3 --machines 2
    # a server of your own
    ambidex run tasks/demo --model qwen --base-url http://127.0.0.1:8000/v1
    # without virtual machines, mouse and keyboard only
    ambidex run tasks/demo --provider sandbox --agent random --condition gui
    # part of OSWorld
    ambidex run OSWORLD --list OSWORLD/test_nogdrive.json --net offline --model openai/gpt-5
"""

COMMANDS = (
    ("Run", "run", f"{PLACE}.run:run", "Run an agent on every task of a suite."),
    ("Run", "experiment", f"{PLACE}.run:experiment", "Run every combination in a TOML file."),
    ("Run", "watch", f"{PLACE}.machines:watch", "Serve the control room, a web page."),
    ("Run", "vnc", f"{PLACE}.machines:vnc", "Print the screens' addresses of running trials."),
    ("Run", "jury", f"{PLACE}.jury:jury", "Judge the trials that no jury has judged."),
    ("Results", "runs", f"{PLACE}.runs:runs", "List runs with their sizes, or delete some."),
    ("Results", "report", f"{PLACE}.report:report", "Report the metrics of runs."),
    ("Results", "compare", f"{PLACE}.compare:compare", "Compare two runs task by task."),
    ("Results", "score", f"{PLACE}.report:score", "Judge the stored evidence of a run again."),
    (
        "Results",
        "passport",
        f"{PLACE}.trust.passport:passport",
        "Write a passport of a run's numbers, or verify one.",
    ),
    ("Results", "export", f"{PLACE}.export:export", "Export an episode, a run or a suite."),
    ("Results", "import", f"{PLACE}.export:import_", "Import trajectories in Harbor's format."),
    ("Tasks", "init", f"{PLACE}.init:init", "Start a suite of your own."),
    ("Tasks", "check", f"{PLACE}.check:check", "Validate tasks; needs no machine."),
    (
        "Tasks",
        "prove",
        f"{PLACE}.trust.prove:prove",
        "Prove tasks by their oracles and near misses.",
    ),
    (
        "Tasks",
        "null",
        f"{PLACE}.trust.null:null",
        "Play agents that do no task: they must score 0.",
    ),
    ("Tasks", "tasks", f"{PLACE}.osworld_tasks:tasks", "Compare and annotate OSWorld's tasks."),
    (
        "Tasks",
        "assets",
        f"{PLACE}.assets:assets",
        "Fetch, import and verify the files that tasks of OSWorld and MCPMark need.",
    ),
    ("Time travel", "fork", f"{PLACE}.travel:fork", "Start episodes from a recorded step."),
    ("Time travel", "pivot", f"{PLACE}.travel:pivot", "Find the step that lost an episode."),
    (
        "Time travel",
        "counterfactual",
        f"{PLACE}.travel:counterfactual",
        "Measure what the choice between GUI and tools cost.",
    ),
    (
        "Time travel",
        "desktop-diff",
        f"{PLACE}.travel:desktop_diff",
        "Compare the desktop at two steps.",
    ),
    ("Time travel", "replay", f"{PLACE}.run:replay", "Replay a recorded trial and judge it."),
    ("Tools", "tools", f"{PLACE}.check:tools", "List the tools that the guest serves."),
    (
        "Tools",
        "toolset",
        f"{PLACE}.toolset:toolset",
        "Compile, search and lock catalogues of thousands of tools.",
    ),
    (
        "Tools",
        "toolgen",
        "ambidex.toolgen.cli:toolgen",
        "Generate, test, review and admit new tools.",
    ),
    ("Machines", "doctor", f"{PLACE}.doctor:doctor", "Check this computer; print what to fix."),
    ("Machines", "image", f"{PLACE}.images:images", "Build, list, import and provision images."),
    ("Machines", "serve", f"{PLACE}.serve:serve", "Serve one desktop's tools to MCP clients."),
    ("Machines", "bridge", f"{PLACE}.serve:bridge", "Serve desktops to Harbor and others."),
    ("Machines", "shell", f"{PLACE}.machines:shell", "Start a Python prompt with a machine."),
)
"""Group, name, place and summary of each command. They are imported on use: `run` starts sooner,
and libvirt may be missing where only checks or reports run."""


def shown_default(value: object) -> Any:
    """The default as an option's help shows it; None, to show none, for an empty one."""
    return None if value is None or value is False or value in ("", ()) else str(value)


app = App(
    name="ambidex",
    default_parameter=Parameter(show_default=shown_default),
    help="A testbed for computer-use agents that combine GUI and tools.",
    version=installed_version,
)
app.register_install_completion_command(
    help="Install completion of commands and options for your shell."
)
GROUPS = {
    name: Group(name, sort_key=order)
    for order, name in enumerate(dict.fromkeys(command[0] for command in COMMANDS))
}
for group, name, place, summary in COMMANDS:
    app.command(place, name=name, help=summary, group=GROUPS[group])

LOADING = ("run", "experiment", "prove", "null")
"""Commands that take a while to read tasks and tools before they show anything of a run."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command: the one of this process, whose box ends with it, or the one in `arguments`.
    Expected errors are printed as one sentence with a hint; all others keep their traceback."""
    # A supervisor's SIGTERM ends a run as cleanly as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Runs, snapshots and sockets contain desktop data: other users must not be able to read them.
    before = os.umask(0o077)
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _prepare(words)
        code = app(arguments, result_action="return_value", exit_on_error=False, print_error=False)
    except (TaskError, UsageError) as error:
        _say(error)
        sys.exit(3 if isinstance(error, BusyError) else 2)
    except CycloptsError as error:
        if not isinstance(error.__cause__, ValidationError):
            app.error_console.print(CycloptsPanel(error))
            sys.exit(2)
        for place, message in problems_of(error.__cause__):
            flag = "--" + "-".join(map(str, place)).replace("_", "-")
            echo(f"ambidex: {flag} {message}", error=True)
        sys.exit(2)
    except VOID as error:
        _say(error)
        sys.exit(3)
    except KeyboardInterrupt:
        echo("interrupted", error=True)
        sys.exit(130)
    except Exception:  # noqa: BLE001 - printed in full, but without terminal control sequences
        echo(traceback.format_exc(), error=True, end="")
        sys.exit(1)
    finally:
        os.umask(before)
        if arguments is None:
            box().close()
    sys.exit(code if isinstance(code, int) else 0)


def _prepare(words: Sequence[str]) -> None:
    if {"--help", "-h"} & {*words}:
        command = app[words[0]] if words[0] in {name for _, name, *_ in COMMANDS} else app
        if command.default_command is not None and command is not app:
            command.help = None  # its docstring says more than the summary
            command.help_epilogue = RUN_EXAMPLES if words[0] == "run" else None
    elif words[:1] and words[0] in LOADING and Terminal(stderr=True).is_terminal:
        of = f" of {words[1]}" if len(words) > 1 and not words[1].startswith("-") else ""
        echo(one_line(f"reading the tasks{of}"), error=True)


def _say(error: Exception) -> None:
    echo(f"ambidex: {error}", error=True)
    if hint := getattr(error, "hint", ""):
        echo(f"  {hint}", error=True)


if __name__ == "__main__":
    main()
