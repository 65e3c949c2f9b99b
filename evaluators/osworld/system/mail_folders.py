"""Metric on mail folders as Thunderbird stores them: one file, each mail after a `From ` line."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import verdict

LARGEST = 64 * 1024 * 1024
START = re.compile(r"^From (?:- )?.*\n?", re.MULTILINE)
STATUS = re.compile(r"^X-Mozilla-Status: *([0-9a-fA-F]{1,8})", re.MULTILINE)
OWN = re.compile(r"^X-Mozilla-(?:Status2?|Keys):.*\n?", re.MULTILINE)
DELETED = 0x0008
MARK = "FROM - "
"""The separator that upstream looks for; Thunderbird writes it in another case."""


@metric(
    repairs=(
        "The mails are compared: upstream skips every mail that is not empty, so that any folder"
        " with a mail in it equals any other.",
        "There must be as many folders as expected: upstream stops at the end of the shorter list.",
    )
)
def check_thunderbird_folder(
    result: Value,
    expected: Path | list[Path | None],
    *,
    ignore_status: bool = False,
    ignore_keys: bool = False,
    remove_deleted: bool = True,
    remove_duplicate: bool = True,
    strict: bool,
) -> Score:
    """The folder contains the mails of the expected one, in any order.

    Deleted mails and duplicates are left out by default. Thunderbird's own header lines (status,
    keys) never count. Two lists of folders are compared pair by pair.
    """
    if isinstance(expected, list):
        if not isinstance(result, list):
            raise UpstreamRaisesError("one folder cannot be compared with a list of folders")
        if strict and len(result) != len(expected):
            return Score(0.0, f"there are {len(result)} folders, not {len(expected)}")
        pairs = list(zip(result, expected, strict=False))
    else:
        pairs = [(result, expected)]
    options = remove_deleted, remove_duplicate
    for one, other in pairs:
        score = _compared(one, other, *options) if strict else _empty_alike(one, other, options[1])
        if score.value < 1:
            return score
    return Score(1.0, f"all {len(pairs)} folders contain the expected mails")


def _empty_alike(result: Value, expected: Value, remove_duplicate: bool) -> Score:
    """Upstream's verdict: it counts the blank parts between two separators."""
    actual, target = (
        sum(not part.strip() for part in text(file, LARGEST).strip().split(MARK))
        for file in (result, expected)
    )
    if remove_duplicate:
        actual, target = min(actual, 1), min(target, 1)
    return Score(float(actual == target), f"{actual} empty mails, {target} expected")


def _compared(
    result: Value, expected: Value, remove_deleted: bool, remove_duplicate: bool
) -> Score:
    actual, target = text(result, LARGEST), text(expected, LARGEST)
    mails, expected_mails = (
        _mails(side, remove_deleted, remove_duplicate) for side in (actual, target)
    )
    missing, more = expected_mails - mails, mails - expected_mails
    wrong = [f"{missing.total()} mails are missing"] if missing else []
    wrong += [f"{more.total()} mails should not be there"] if more else []
    return verdict(wrong, f"the folder contains the {expected_mails.total()} expected mails")


def _mails(source: str, remove_deleted: bool, remove_duplicate: bool) -> Counter[str]:
    # Text before the first `From ` line is not a mail.
    parts = START.split(source)[1:]
    bodies = [part for part in parts if not (remove_deleted and _deleted(part))]
    mails = Counter(OWN.sub("", body).strip() for body in bodies)
    return Counter(mails.keys()) if remove_duplicate else mails


def _deleted(mail: str) -> bool:
    head = mail.partition("\n\n")[0]
    status = STATUS.search(head)
    return status is not None and bool(int(status[1], 16) & DELETED)
