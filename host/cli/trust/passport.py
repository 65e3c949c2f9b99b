"""`ambidex passport`: what somebody else needs to check the numbers of a run."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from ambidex.host.errors import UsageError
from ambidex.host.passport import NAME, canonical
from ambidex.host.passport.building import Proof, build
from ambidex.host.passport.signing import sign, signature_of
from ambidex.host.passport.verifying import Sources
from ambidex.host.passport.verifying import verify as check
from ambidex.host.records.config import read_config
from ambidex.host.runs.null import read_null_run
from ambidex.host.runs.rescoring import suite_of
from ambidex.host.terminal import Terminal, echo, one_line
from ambidex.tasks.catalogue import read_catalogue

__all__ = ["passport"]

passport = App(name="passport", help="Write a passport of a run's numbers, or verify one.")


@passport.default
def write(
    run: Path,
    *,
    key: Path | None = None,
    null: Path | None = None,
    proof: Path | None = None,
    suite: Path | None = None,
    out: Path | None = None,
) -> int:
    """Write a passport of a run: its numbers, with hashes of everything that they depend on, as one
    JSON file and one HTML page.

    `ambidex passport verify FILE` checks one.

    Parameters
    ----------
    run
        Directory of the run.
    key
        Sign the passport with this SSH key (ssh-keygen). Without it, it is not signed.
    null
        A run of `ambidex null` on the same suite, whose scores the passport states.
    proof
        A run of `ambidex prove` on the same suite: the passport states which tasks are proved.
    suite
        Where the tasks of the proof are now, if they have moved.
    out
        The file to write; by default passport.json in the run's directory.
    """
    file = out or run / NAME
    if not file.parent.is_dir():
        raise UsageError(f"{file} cannot be written: there is no directory {file.parent}")
    proved = None
    if proof:
        proved = Proof(proof, suite_of(read_config(proof), read_catalogue(), suite))
    made = build(run, read_null_run(null) if null else None, proved)
    file.write_bytes(canonical(made))
    signature_of(file).unlink(missing_ok=True)  # it was of another passport
    signature = sign(file, key) if key else None
    from ambidex.host.passport.page import write_page  # heavy: it renders templates

    page = write_page(made, file, signature)
    for text in made.warnings:
        echo(one_line(text), error=True)
    echo(f"passport: {file}")
    echo(f"page: {page}")
    if signature:
        echo(f"signature: {signature_of(file)}, with {signature.key}")
    else:
        echo("not signed: --key KEY signs it")
    return 0


@passport.command
def verify(
    file: Path,
    *,
    run: Path | None = None,
    null: Path | None = None,
    proof: Path | None = None,
    suite: Path | None = None,
    allowed_signers: Path | None = None,
) -> int:
    """Recompute every number of a passport from rows and evidence, and name the first mismatch.

    The exit code is 1 for a mismatch, and 3 if something could not be checked.

    Parameters
    ----------
    file
        The passport.
    run
        Directory of the run; by default the passport's own, or one of the run's name next to it.
    null
        Directory of the run of null agents; by default next to the run.
    proof
        Directory of the proof; by default next to the run.
    suite
        Where the tasks are, if not where the run had them.
    allowed_signers
        A list of the keys that may have signed, in the format of `ssh-keygen`.
    """
    sources = Sources(read_catalogue(), run, null, proof, suite, allowed_signers)
    result = check(file, sources)
    terminal = Terminal()
    for sentence in result.checked:
        terminal.print(f"✓ {sentence}", style="green", highlight=False, soft_wrap=True)
    for sentence in result.notes:
        terminal.print(f"– {sentence}", highlight=False, soft_wrap=True)
    for sentence in result.unchecked:
        terminal.print(
            f"– not checked: {sentence}", style="yellow", highlight=False, soft_wrap=True
        )
    if result.mismatch:
        text = one_line(f"✗ {result.mismatch}")
        terminal.print(text, style="bold red", highlight=False, soft_wrap=True)
        return 1
    return 3 if result.unchecked else 0
