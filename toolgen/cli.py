"""The commands of `ambidex toolgen`."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from ambidex.host import ROOT
from ambidex.host.cli.options import MANY, Json
from ambidex.host.errors import UsageError
from ambidex.host.report.number_format import NONE
from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks.catalogue import read_catalogue
from ambidex.toolgen import Finding, Outcome, Stage, StageResult
from ambidex.toolgen.foundry import Settings, read_settings, run_candidates
from ambidex.toolgen.gate.gate import gate
from ambidex.toolgen.report import as_json, funnel, reasons_table, stage_table, status_of
from ambidex.toolgen.review.cli import opinion, review, verdict
from ambidex.toolgen.stages.admit import admit as admit_into
from ambidex.toolgen.stages.admit import retire as retire_from
from ambidex.toolgen.stages.check import findings_on
from ambidex.toolgen.stages.propose import Proposal, from_elsewhere, from_recordings
from ambidex.toolgen.store import FOUNDRY, Folder, folders, open_candidate

__all__ = ["toolgen"]

toolgen = App(
    name="toolgen",
    help="Make new tools: a model drafts them, guests test them, people admit them.",
)

toolgen.command(review)
toolgen.command(verdict)
toolgen.command(opinion)

FoundryPath = Annotated[Path, Parameter(help="Directory of the candidates.")]
Name = Annotated[str, Parameter(help="The candidate's name.")]
Names = Annotated[str, Parameter(help="Names of candidates; by default all.")]


@toolgen.command
def propose(
    app: str,
    *,
    task: Path | None = None,
    wish: str = "",
    recorded: Annotated[tuple[Path, ...], MANY] = (),
    server: str = "",
    openapi: Path | None = None,
    only: Annotated[tuple[str, ...], MANY] = (),
    least: int = 3,
    name: str = "",
    model: str = "o3",
    foundry: FoundryPath = FOUNDRY,
) -> int:
    """Add new candidates. No model is asked and nothing runs yet.

    Parameters
    ----------
    app
        The application that the tool is for: calc, writer, vlc, gnome and so on.
    task
        Directory of a task that the tool should solve and is tested on. Can be combined with every
        other source.
    wish
        What the tool should do, in words.
    recorded
        Directories of runs: every sequence of GUI actions that agents often repeat becomes a
        candidate.
    server
        An MCP server, by its address or start command: each of its tools becomes a candidate.
    openapi
        An OpenAPI file, JSON or YAML: each of its operations becomes a candidate.
    only
        With --server or --openapi: only these names.
    least
        With --recorded: the minimum number of trials that contain a sequence.
    name
        The candidate's name; by default derived from the task's name or the wish.
    model
        The model that writes the code, by its name in litellm.
    """
    proposal = Proposal(app=app, task=task, model=model, foundry=foundry)
    if recorded:
        added = from_recordings(proposal, recorded, least)
    elif server or openapi:
        added = from_elsewhere(proposal, server, openapi, only)
    else:
        added = [proposal.add(name=name, wish=wish)]
    for folder in added:
        echo(f"{folder.path}: from a {folder.candidate().origin}, for {app}, by {model}")
    if not added:
        echo("no candidates found")
    return 0 if added else 1


@toolgen.command
def run(
    *names: Names,
    foundry: FoundryPath = FOUNDRY,
    settings: Settings = Settings(),
) -> int:
    """Run candidates (by default all) through the automatic stages. Exit code 1: a candidate was
    refused; 3: a machine or a model failed."""
    return _exit_code(run_candidates(foundry, names, settings, echo))


@toolgen.command
def resume(*names: Names, foundry: FoundryPath = FOUNDRY) -> int:
    """Resume an interrupted run with the same settings."""
    return _exit_code(run_candidates(foundry, names, read_settings(foundry), echo))


@toolgen.command(name="list")
def list_candidates(*, foundry: FoundryPath = FOUNDRY) -> int:
    """List the candidates and their progress."""
    table = Table(
        "candidate", "app", "from", "draft", "stage", "outcome", "reason", title=str(foundry)
    )
    for folder in folders(foundry):
        candidate, draft = folder.candidate(), folder.latest()
        _, *status = status_of(folder)
        number = str(draft.n) if draft else NONE
        table.add_row(candidate.name, candidate.app, candidate.origin, number, *status)
    Terminal().print(table)
    return 0


@toolgen.command
def show(name: Name, *, foundry: FoundryPath = FOUNDRY) -> int:
    """Show a candidate: the result of every stage, and its latest draft."""
    folder = open_candidate(foundry, name)
    for result in folder.results():
        echo(f"{result.stage}: {result.outcome}: {result.reason}")
        for finding in result.findings:
            echo(f"  {'! ' if finding.refused else '  '}{finding.rule}: {finding.text}")
    draft = folder.latest()
    if draft:
        echo(f"\n--- draft {draft.n}\n{folder.text(draft.n)[0]}")
    return 0


@toolgen.command(name="gate")
def check(
    what: Annotated[str, Parameter(help="A candidate's name, or a Python file.")],
    *,
    foundry: FoundryPath = FOUNDRY,
) -> int:
    """Check a candidate's latest draft, or a Python file, without running it. Exit code 1 if it is
    refused."""
    catalogue = read_catalogue()
    if Path(what).suffix == ".py":
        findings = gate(Path(what), list(catalogue.values()))
    else:
        folder = open_candidate(foundry, what)
        draft = folder.latest()
        if draft is None:
            raise UsageError(f"{what} has no draft yet")
        candidate = folder.candidate()
        findings = list(findings_on(candidate, catalogue, ROOT, *folder.text(draft.n)))
    _print_findings(what, findings)
    refused = sum(finding.refused for finding in findings)
    echo(f"{what}: {'refused' if refused else 'passes'}, {len(findings)} findings")
    return int(refused > 0)


@toolgen.command
def trial(name: Name, *, foundry: FoundryPath = FOUNDRY) -> int:
    """Test a candidate's latest draft in guests again, then continue with the next stages."""
    return _rerun("trial", name, foundry, read_settings(foundry))


@toolgen.command
def measure(
    name: Name,
    *,
    foundry: FoundryPath = FOUNDRY,
    settings: Settings = Settings(),
) -> int:
    """Run the same agent on a suite with and without a candidate's latest draft, and compare."""
    if not settings.suite:
        raise UsageError(
            "measuring needs a suite and an agent", hint="--suite DIR --agent model|module:Class"
        )
    return _rerun("measure", name, foundry, settings)


@toolgen.command
def admit(name: Name, *, root: Path = ROOT, by: str = "", foundry: FoundryPath = FOUNDRY) -> int:
    """Write an accepted candidate into a source tree: the tool, its tests and its provenance.
    Review and commit the change.

    Parameters
    ----------
    root
        The root of the source tree; by default this one.
    by
        Who admits it; by default the current user.
    """
    admission = admit_into(open_candidate(foundry, name), root, by or getpass.getuser())
    _print_change(f"admitted {admission.tool}: {admission.why}", admission.files, root)
    return 0


@toolgen.command
def retire(
    tool: str, *, why: str, root: Path = ROOT, by: str = "", foundry: FoundryPath = FOUNDRY
) -> int:
    """Remove an admitted tool from a source tree, and record why.

    Parameters
    ----------
    tool
        The tool's full name, such as vlc_set_repeat.
    why
        The reason, in one sentence.
    root
        The root of the source tree; by default this one.
    by
        Who retires it; by default the current user.
    """
    retirement = retire_from(foundry, tool, root, why, by or getpass.getuser())
    _print_change(f"retired {retirement.tool}: {retirement.why}", retirement.files, root)
    return 0


@toolgen.command
def report(*, foundry: FoundryPath = FOUNDRY, json: Json = False) -> int:
    """Print the funnel: candidates per stage, their outcomes with reasons, and the costs."""
    counts = funnel(foundry)
    if json:
        print_json(as_json(counts))
        return 0
    Terminal().print(stage_table(counts))
    Terminal().print(reasons_table(counts))
    return 0


def _rerun(stage: Stage, name: str, foundry: Path, settings: Settings) -> int:
    folder = open_candidate(foundry, name)
    if folder.latest() is None:
        raise UsageError(f"{name} has no draft yet", hint="Make one with `ambidex toolgen run`.")
    folder.reopen(stage)
    return _exit_code(run_candidates(foundry, (name,), settings, echo))


def _print_change(headline: str, files: Sequence[str], root: Path) -> None:
    echo(headline)
    for file in files:
        echo(f"  {root / file}")
    echo("Review the change, run the tests, and commit it.")


def _print_findings(title: str, findings: Sequence[Finding]) -> None:
    table = Table("line", "rule", "finding", title=title)
    for finding in findings:
        style = "red" if finding.refused else "yellow"
        table.add_row(str(finding.line or ""), finding.rule, finding.text, style=style)
    if findings:
        Terminal().print(table)


def _exit_code(results: Sequence[tuple[Folder, StageResult]]) -> int:
    outcomes = {result.outcome for _, result in results}
    for folder, result in results:
        echo(f"{folder.path.name}: {result.stage} {result.outcome}: {result.reason}")
    if Outcome.ERROR in outcomes:
        return 3
    return int(Outcome.FAILED in outcomes)
