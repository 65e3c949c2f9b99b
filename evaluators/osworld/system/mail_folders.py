"""Folders of mail as Thunderbird stores them: one file, each mail after a line `From `."""

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
"""Where upstream takes a mail to begin; Thunderbird writes it in another case."""


@metric(
    repairs=(
        "The mails are compared: upstream passes over every mail that is not empty, so any folder"
        " with a mail in it is equal to any other.",
        "As many folders are there as expected: upstream looks at pairs as long as the shorter list"
        " lasts.",
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
    """The folder holds the mails of the expected one, in any order.

    Deleted ones and duplicates are left out unless told otherwise. Thunderbird's own lines about a
    mail (its status, its keys) never count. Of two lists, each folder is the one of its place.
    """
    if isinstance(expected, list):
        if not isinstance(result, list):
            raise UpstreamRaisesError("one folder cannot be compared with several")
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
    return Score(1.0, f"all {len(pairs)} folders hold the expected mails")


def _empty_alike(result: Value, expected: Value, remove_duplicate: bool) -> Score:
    """Upstream's verdict: it counts what stands between two marks, and is blank."""
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
    mails, asked = (_mails(side, remove_deleted, remove_duplicate) for side in (actual, target))
    missing, more = asked - mails, mails - asked
    wrong = [f"{missing.total()} mails are missing"] if missing else []
    wrong += [f"{more.total()} mails should not be there"] if more else []
    return verdict(wrong, f"the folder holds the {asked.total()} expected mails")


def _mails(source: str, remove_deleted: bool, remove_duplicate: bool) -> Counter[str]:
    # What stands before the first line `From ` is no mail.
    parts = START.split(source)[1:]
    kept = [part for part in parts if not (remove_deleted and _deleted(part))]
    mails = Counter(OWN.sub("", each).strip() for each in kept)
    return Counter(mails.keys()) if remove_duplicate else mails


def _deleted(mail: str) -> bool:
    head = mail.partition("\n\n")[0]
    status = STATUS.search(head)
    return status is not None and bool(int(status[1], 16) & DELETED)
