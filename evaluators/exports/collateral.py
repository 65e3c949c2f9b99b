"""Collateral: what else has changed in services, beyond what a task's checks ask for.

A check of points may look at its own paths alone (`free = [".*"]`). What changed besides is then
no matter of the score, and is counted here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ambidex.evaluators import UnreadableError, company, forge, tracker
from ambidex.evaluators.database import changed_names
from ambidex.evaluators.exports.cloud import cloud_states
from ambidex.evaluators.exports.compare import changed_paths

__all__ = ["collateral"]

States = Callable[[Path, str], tuple[Mapping[str, Any], Mapping[str, Any]]]
STATES: Mapping[str, tuple[str, States]] = {
    "forge": ("forge.changes", forge.states),
    "tracker": ("tracker.changes", tracker.states),
    "moto": ("company.cloud", cloud_states),
    "chat": ("company.chat", company.chat_states),
    "documents": ("company.documents", company.documents_states),
    "calendar": ("company.calendar", company.calendar_states),
}
"""By service, the evaluator of its export, and what reads the states that it compares."""
DATABASE = "database"
ANYWHERE = ".*"
"""A path that is free because the check does not look there, not because it may change."""


def collateral(
    exports: Mapping[str, str],
    checks: Iterable[tuple[str, Mapping[str, Any]]],
    evidence: Path,
) -> dict[str, int] | None:
    """By service, the number of changes since setup that no check asks for.

    `exports` has the evidence file of each exported service, `checks` the evaluator and arguments
    of each check. None if an export cannot be read; services whose exports cannot be compared are
    left out.
    """
    checks = list(checks)
    counts = {}
    try:
        for service, file in exports.items():
            if service == DATABASE:
                asked = list(_asked_of_database(checks))
                changed = changed_names(evidence, file)
            elif service in STATES:
                use, states = STATES[service]
                asked = list(_asked(use, checks))
                changed = changed_paths(*states(evidence, file))
            else:
                continue
            counts[service] = sum(
                not any(re.fullmatch(pattern, name) for pattern in asked) for name in changed
            )
    except UnreadableError:
        return None
    return counts


def _asked(use: str, checks: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterable[str]:
    """Patterns of the paths that the checks of an export ask for."""
    for name, arguments in checks:
        if name != use:
            continue
        for key in ("values", "patterns"):
            # A value may be a list or a table, whose parts are paths below it.
            yield from (f"{re.escape(path)}(/.*)?" for path in arguments.get(key) or ())
        for key in ("gone", "free"):
            yield from (path for path in arguments.get(key) or () if path != ANYWHERE)


def _asked_of_database(checks: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterable[str]:
    """Patterns of the names that the checks of a database ask for."""
    for use, arguments in checks:
        match use:
            case "database.rows":
                yield f"(public\\.)?{re.escape(str(arguments['table']))}(\\..*)?"
            case "database.defines":
                yield str(arguments["name"])
            case "database.role":
                yield re.escape(str(arguments["name"]))
            case "database.unchanged":
                for table in arguments.get("except_tables") or ():
                    yield f"(public\\.)?({table})(\\..*)?"
                for key in ("except_definitions", "except_roles"):
                    yield from arguments.get(key) or ()
