"""OSWorld's metrics on Thunderbird and its mail, with handwritten files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.asked import Case, agrees, file, judge, lacking, nowhere, of
from tests.support.tables import every_case

MODULES = ("thunderbird", "mail_folders")

prefs = of("check_thunderbird_prefs")
PREFS = file(
    "prefs.js",
    '// Mozilla User Preferences\nuser_pref("a.on", true);\n'
    'user_pref("a.name", "say \\"x\\"\\nLab");\n'
    'user_pref("a.count", 3);\n',
)
ODD = file("prefs.js", 'user_pref("a.on", true);\nuser_pref("a.odd", undefined);\n')


def expect(name: str, method: str, ref: object, key: str = "expect") -> dict[str, Any]:
    return {key: {name: {"method": method, "ref": ref}}}


PREFERENCES = [
    prefs("right", "equal", PREFS, expect("a.on", "eq", True)),
    prefs("right", "beside no JSON", ODD, expect("a.on", "eq", True), 0, 1),
    prefs("right", "over lines", PREFS, expect("a.name", "re.S", 'x".*Lab')),
    prefs("right", "not so", PREFS, expect("a.count", "eq", 4, "unexpect")),
    prefs("right", "not set", PREFS, expect("a.other", "eq", 4, "unexpect")),
    prefs("near", "another value", PREFS, expect("a.count", "lt", 3)),
    prefs("near", "as it should not be", PREFS, expect("a.count", "eq", 3, "unexpect")),
    prefs("near", "not there", PREFS, expect("a.off", "eq", True)),
    prefs("broken", "no value", ODD, expect("a.odd", "eq", 1)),
    prefs("broken", "not to be compared", PREFS, expect("a.on", "re", "true")),
    prefs("broken", "missing", nowhere, expect("a.on", "eq", True)),
]


def filters(*actions: tuple[str, str], condition: str = "ALL") -> Callable[[Path], Path]:
    acts = "".join(
        f'action="{name}"\n' + (f'actionValue="{value}"\n' if value else "")
        for name, value in actions
    )
    return file(
        "msgFilterRules.dat",
        f'version="9"\nlogging="no"\nname="one"\nenabled="yes"\ntype="17"\n{acts}condition="{condition}"\n',
    )


FORWARD = {
    "enabled": "yes",
    "action": "Forward",
    "actionValue": "a@b.example",
    "condition": ["ALL"],
}
NEWS = {
    "action": "Mark read",
    "condition": ['AND (subject,contains,"big news")', "OR (from,is,a@b)"],
}
sieve = of("check_thunderbird_filter")
GO, READ = ("Forward", "a@b.example"), ("Mark read", "")
FILTERS = [
    sieve("right", "all keys", filters(GO), {"expect": [FORWARD]}),
    sieve(
        "right",
        "conditions",
        filters(READ, condition='AND (subject,contains,\\"big news\\") OR (from,is,a@b)'),
        {"expect": [NEWS]},
    ),
    sieve("right", "of two actions", filters(GO, READ), {"expect": [FORWARD]}, 0, 1),
    sieve("right", "no such", filters(READ), {"unexpect": [FORWARD]}),
    sieve("near", "to another", filters(("Forward", "a@c.example")), {"expect": [FORWARD]}),
    sieve(
        "near", "another condition", filters(GO, condition="AND (from,is,x)"), {"expect": [FORWARD]}
    ),
    sieve("near", "as it should not be", filters(GO), {"unexpect": [FORWARD]}),
    sieve(
        "near", "no filter", file("a.dat", 'version="9"\nenabled="yes"\n'), {"expect": [FORWARD]}
    ),
    sieve("broken", "missing", nowhere, {"expect": [FORWARD]}),
]


def mail(subject: str, status: str = "0001") -> str:
    return (
        "From - Mon Jan  1 00:00:00 2024\nX-Mozilla-Status: "
        + status
        + "\nX-Mozilla-Status2: 00000000\n"
        f"From: a@b.example\nSubject: {subject}\n\nText of {subject}.\n>From here\n\n"
    )


box = of("check_thunderbird_folder")
BILLS = file("gold", mail("one") + mail("two"))
FOLDERS = [
    box("right", "other order and status", file("Bills", mail("two", "0011") + mail("one")), BILLS),
    box(
        "right",
        "a deleted one",
        file("Bills", mail("two") + mail("one") + mail("x", "0009")),
        BILLS,
    ),
    box("right", "one twice", file("Bills", mail("two") + mail("one") * 2), BILLS),
    box(
        "near",
        "one twice",
        file("Bills", mail("two") + mail("one") * 2),
        BILLS,
        1,
        0,
        remove_duplicate=False,
    ),
    box("near", "deleted", file("Bills", mail("two") + mail("one", "0009")), BILLS, 1, 0),
    box(
        "right",
        "deleted ones too",
        file("Bills", mail("two") + mail("one", "0009")),
        BILLS,
        remove_deleted=False,
    ),
    box("near", "another mail", file("Bills", mail("two") + mail("three")), BILLS, 1, 0),
    box("near", "no mail", file("Bills", ""), BILLS),
    box("broken", "no mails", file("Bills", "any text"), BILLS, 1, 0),
    box("broken", "missing", nowhere, BILLS),
]

CASES = [*PREFERENCES, *FILTERS, *FOLDERS]


@judge(CASES)
def test_the_verdicts_on_mail(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_mail_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


@every_case(
    ("metric", "rule"),
    [
        ("check_thunderbird_prefs", {"expect": {"a": {"method": "like", "ref": 1}}}),
        ("check_thunderbird_filter", {"expect": {"enabled": "yes"}}),
    ],
)
def test_a_malformed_rule_is_refused_at_load(metric: str, rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=metric):
        bind_metric(metric, {}).check_expected(rule)
