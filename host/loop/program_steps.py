"""Prepares the state of a task that is judged by a program, and runs that program."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path

from ambidex.evaluators.manifest import Source
from ambidex.host.accounts.opening import Account
from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError, StageError
from ambidex.host.loop.task_steps import set_up
from ambidex.tasks.mcpmark.body import MESSAGES, OUTCOME, OUTPUT, ProgramBody
from ambidex.tasks.mcpmark.messages import conversation
from ambidex.tasks.mcpmark.services import StateFile
from ambidex.vm import UnforkableError

__all__ = ["collect", "set_stage"]

Sources = dict[str, Source]
SCRATCH = "/tmp/ambidex-setup"
"""Folder in the guest for files that only the setup needs."""
SETUP_WITHIN = 600.0
SOCKETS, PORT, DATABASE, SUPERUSER = "/run/postgresql", "5432", "work", "postgres"
"""How programs reach the database of the image's service, which knows them by their account."""
WORKS = """
import importlib.util, sys, urllib.error, urllib.request
address, *modules = sys.argv[1:]
if missing := [name for name in modules if not importlib.util.find_spec(name)]:
    sys.exit(f"this machine's image has no {', '.join(missing)} for Python")
try:
    urllib.request.urlopen(address, timeout=60)
except urllib.error.HTTPError:
    pass  # an answer all the same
except OSError as error:
    sys.exit(f"{address} cannot be reached: {error}")
"""
"""A program that fails, and says why, where a verifier cannot work."""
WORKS_WITHIN = 90.0
SEARCH = {"PYTHONPATH"}
"""What the same program needs of a verifier's variables."""


def _values(
    body: ProgramBody, guest: Guest, database_user: str, account: Account | None = None
) -> dict[str, str]:
    """The values of a program's variables, by the names that `tasks.mcpmark` uses."""
    keys = {key: os.environ[key] for key in body.keys if key in os.environ}
    return {
        "folder": f"{guest.home}/work",
        "database": DATABASE,
        "database_host": SOCKETS,
        "database_port": PORT,
        "database_user": database_user,
        "database_password": "",
        **keys,
        **(account.values if account else {}),
    }


def set_stage(name: str, body: ProgramBody, guest: Guest, account: Account | None = None) -> None:
    """Prepare the initial state, then execute the task's own setup. `StageError` says what
    failed."""
    values = _values(body, guest, guest.health().user, account)
    if account:
        _check_stage(body, guest, account)
    elif body.state.kind in ("repository", "pages"):
        raise StageError(f"the {body.state.kind} of {name} are made for the trials of a run alone")
    match body.state.kind:
        case "folder":
            _do(name, guest, ["mkdir", "-p", "~/work"])
            if file := body.state_file:
                _unpack(name, body, file, guest)
        case "database":
            if file := body.state_file:
                _restore(name, body, file, guest)
    if prepare := body.prepare_command(values):
        for place, path in body.files():
            if Path(place).name != body.program:
                guest.put(f"{SCRATCH}/{place}", path.read_bytes())
        _do(name, guest, prepare.argv, cwd=SCRATCH, env=prepare.environment)
        _do(name, guest, ["rm", "-rf", SCRATCH])
    set_up(name, body.setup, body.folder, guest)


def _unpack(name: str, body: ProgramBody, file: StateFile, guest: Guest) -> None:
    guest.put(f"{SCRATCH}/state.zip", _content(body, file))
    _do(name, guest, ["unzip", "-q", f"{SCRATCH}/state.zip", "-d", f"{SCRATCH}/state"])
    source = f"{SCRATCH}/state/{body.state.name}"
    _do(name, guest, ["cp", "-a", f"{source}/.", "~/work"])
    _do(name, guest, ["rm", "-rf", SCRATCH])


def _restore(name: str, body: ProgramBody, file: StateFile, guest: Guest) -> None:
    path = f"{SCRATCH}/state"
    guest.put(path, _content(body, file))
    connection = [f"--host={SOCKETS}", f"--dbname={DATABASE}"]
    if file.form == "sql":
        argv = ["psql", "--quiet", *connection, "--set=ON_ERROR_STOP=1", f"--file={path}"]
    else:
        argv = ["pg_restore", *connection, "--no-owner", "--no-privileges", path]
    _do(name, guest, argv)
    _do(name, guest, ["rm", "-rf", SCRATCH])


def _content(body: ProgramBody, file: StateFile) -> bytes:
    stored = body.store.at(file.url)
    if stored is None:
        raise StageError(f"the asset store no longer has {file.url}")
    return stored.read_bytes()


def _do(
    name: str,
    guest: Guest,
    argv: Sequence[str],
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    output = guest.run(guest.expanded(argv), timeout=SETUP_WITHIN, cwd=cwd, env=dict(env or {}))
    if output.timed_out or output.returncode:
        how = "took too long" if output.timed_out else f"exited with {output.returncode}"
        raise StageError(f"{name}: {argv[0]} {how}: {output.stderr.strip()[-500:]}")


def collect(
    body: ProgramBody,
    guest: Guest,
    evidence: Path,
    services: Sequence[str],
    instruction: str,
    replies: Sequence[str],
    fork: Callable[[], AbstractContextManager[Guest]] | None,
    account: Account | None = None,
) -> Sources:
    """Store what the services hold and run the verification program, both on a fork of the machine
    whose processes are stopped, or on the machine itself if it cannot be forked. Returns where each
    piece came from. The secrets of an account are removed from the program's output. `GuestError`
    if the program could not reach what it verifies.
    """
    values = _values(body, guest, SUPERUSER, account)
    command = body.command(values)
    program = _archive(body, conversation(instruction, replies))
    with ExitStack() as stack:
        judged = guest
        if fork is not None:
            with suppress(UnforkableError):
                judged = stack.enter_context(fork())
        judged.freeze()  # not before the fork: a frozen guest cannot take a new identity
        sources = _export(judged, services, evidence)
        if account:
            _check_verifier(body, judged, program, values, account)
        outcome, output = judged.verify(
            program,
            command.argv,
            environment=command.environment,
            folders=command.folders,
            within=body.seconds,
        )
    if account:
        for name in account.secrets:
            output = output.replace(account.values[name].encode(), f"[{name}]".encode())
    record = {
        "exit": outcome.exit,
        "timed_out": outcome.exit is None,
        "seconds": outcome.seconds,
    }
    (evidence / OUTCOME).write_text(json.dumps(record) + "\n", encoding="utf-8")
    (evidence / OUTPUT).write_bytes(output)
    for name, size in ((OUTCOME, 0), (OUTPUT, len(output))):
        sources[name] = Source(
            by="verifier", asked=body.program, state="answered", size=size, exit=outcome.exit
        )
    return sources


def _export(guest: Guest, services: Sequence[str], evidence: Path) -> Sources:
    sources: Sources = {}
    for service in services:
        try:
            content, whole = guest.export(service)
        except GuestRefusalError:
            continue  # it has no export
        name = f"{service}.json"
        (evidence / name).write_bytes(content)
        flaw = "" if whole else "the service holds too much to be judged"
        sources[name] = Source(
            by="service", asked=service, state="file", size=len(content), flaw=flaw
        )
    return sources


def _check_of(body: ProgramBody, account: Account) -> list[str]:
    """The command that fails where the task's verifier cannot work."""
    return ["/usr/bin/python3", "-c", WORKS, account.address, *body.libraries]


def _check_stage(body: ProgramBody, guest: Guest, account: Account) -> None:
    """`StageError` if the verifier could not work in this guest, as its desktop user sees it. No
    key of the verifier's is in the guest yet."""
    path = {name: body.environment[name] for name in SEARCH & body.environment.keys()}
    result = guest.run(_check_of(body, account), timeout=WORKS_WITHIN, env=path)
    if result.timed_out or result.returncode:
        raise StageError(_why_not(result.stderr))


def _check_verifier(
    body: ProgramBody, guest: Guest, program: bytes, values: Mapping[str, str], account: Account
) -> None:
    """The same for the verifier's own account, in a frozen guest. `GuestError` if it cannot work:
    it would fail, and the agent would be blamed."""
    outcome, output = guest.verify(
        program,
        _check_of(body, account),
        environment=body.command(values).environment,
        folders={},
        within=WORKS_WITHIN,
    )
    if outcome.exit != 0:
        raise GuestError(_why_not(output.decode(errors="replace")))


def _why_not(output: str) -> str:
    said = output.strip().rpartition("\n")[2][:300]
    return f"the verifier cannot work: {said or 'no reason is known'}"


def _archive(body: ProgramBody, messages: str) -> bytes:
    """The program's files and the conversation, as a tar archive."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        contents = [(place, path.read_bytes()) for place, path in body.files()]
        for place, content in [*contents, (MESSAGES, messages.encode())]:
            entry = tarfile.TarInfo(place)
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()
