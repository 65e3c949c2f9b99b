"""Cases of the metrics on Thunderbird's files: preferences, filters, folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from ambidex.evaluators.osworld import Value
from bench.differential import NO_FILE, Case, Cases
from bench.differential.cases_text import stored
from bench.differential.cases_values import REFUSED, rare, value_rule
from bench.differential.mutants import asked, spoiled_text, text_mutant, value_mutant
from tests.evaluators.osworld.test_mail import CASES as WRITTEN

PREFERENCES: dict[str, tuple[str, Any]] = {
    "mail.identity.id1.htmlSigText": (r'"Anonym\nXYZ Lab"', "Anonym\nXYZ Lab"),
    "mail.identity.id1.auto_quote": ("false", False),
    "mail.server.server1.port": ("993", 993),
    "mail.text": ('"a \\"b\\", c"', 'a "b", c'),
    'odd\\"key': ("1", 1),
    "broken": ("{x", None),
    "none": ("null", None),
}


def preferences(random: Random, folder: Path) -> Iterator[Case]:
    """Preferences that occur several times, in several forms."""
    yield from asked("check_thunderbird_prefs", folder, WRITTEN)
    while True:
        names = random.choices(list(PREFERENCES), [9, 9, 9, 4, 1, 0.4, 1], k=random.randint(1, 5))
        lines = ["// Mozilla User Preferences", ""]
        for name in names:
            said = PREFERENCES[name][0]
            if random.random() < 0.2:
                said = random.choice(["true", "0", '"x"', '"Anonym"'])
            form = random.choice(
                ['user_pref("{}", {});'] * 8
                + [
                    'pref("{}", {});',
                    "user_pref('{}',{});",
                    ' user_pref("{}", {}); ',
                    'user_pref("{}", {}); // x',
                ]
            )
            lines.append(form.format(name, said))
        note, text = text_mutant(random, "\n".join(lines) + "\n", 0.6)
        rules: dict[str, Any] = {}
        for part in ("expect", "unexpect"):
            if random.random() < (0.8 if part == "expect" else 0.4):
                asked_for = random.sample(list(PREFERENCES)[:5], random.randint(1, 2))
                rules[part] = {name: value_rule(random, PREFERENCES[name][1]) for name in asked_for}
        path = stored(folder / "prefs.js", text, random)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("check_thunderbird_prefs", path, rules, {}, note)


CONDITIONS = [
    "ALL",
    "AND (subject,contains,news)",
    'AND (subject,contains,\\"big news\\")',
    "OR (from,isn't,a@b) OR (to,is,c@d)",
    'AND (subject,is,\\"a\\") AND (from,is,\\"b\\")',
    "NONE",
]
READ_AS = [
    ["ALL"],
    ["AND (subject,contains,news)"],
    ['AND (subject,contains,"big news")'],
    ["OR (from,isn't,a@b)", "OR (to,is,c@d)"],
    ['AND (subject,is,"a")', 'AND (from,is,"b")'],
    ['AND (subject,is,"a") AND (from,is,"b")'],
    [],
]
ACTIONS = [
    ("Forward", "anonym-x2024@gmail.com"),
    ("Mark read", None),
    ("Move to folder", "imap://x/a"),
]


def sieve(random: Random, folder: Path) -> Iterator[Case]:
    """Filters, complete and truncated, and the expected keys."""
    yield from asked("check_thunderbird_filter", folder, WRITTEN)
    while True:
        lines = ['version="9"', 'logging="no"']
        for number in range(random.choice([0, 1, 1, 1, 2])):
            parts = [f'name="f{number}"', 'enabled="yes"', 'type="17"']
            for action, value in random.choices(ACTIONS, k=random.choice([1, 1, 1, 2])):
                parts.append(f'action="{action}"')
                parts += [] if value is None else [f'actionValue="{value}"']
            parts += [
                f'condition="{each}"'
                for each in random.choices(CONDITIONS, k=random.choice([1] * 8 + [0, 2]))
            ]
            if random.random() < 0.15:
                random.shuffle(parts)
            if random.random() < 0.1:
                parts.append('action="Mark read"')
            lines += parts
        note, text = text_mutant(random, "\n".join(lines) + "\n", 0.4)
        rules: dict[str, Any] = {}
        for part in ("expect", "unexpect"):
            if random.random() < (0.9 if part == "expect" else 0.3):
                action, value = random.choice(ACTIONS)
                full = {
                    "name": "f0",
                    "enabled": "yes",
                    "type": "17",
                    "action": action,
                    "actionValue": value or "x",
                    "condition": random.choice(READ_AS),
                }
                kept = {key: full[key] for key in random.sample(list(full), random.randint(0, 4))}
                if random.random() < 0.15:
                    _, kept = value_mutant(random, kept)
                rules[part] = [kept] if isinstance(kept, dict) else []
        path = stored(folder / "msgFilterRules.dat", text, random)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        said, rules = rare(random, rules)
        yield Case("check_thunderbird_filter", path, rules, {}, said or note)


MAIL = """{start}Mon Jan  1 00:00:00 2024
X-Mozilla-Status: {status}
X-Mozilla-Keys:
MIME-Version: 1.0
Subject: {subject}

Text of {subject}
"""


def folders(random: Random, folder: Path) -> Iterator[Case]:
    """Folders of mail, one or several."""
    yield from asked("check_thunderbird_folder", folder, WRITTEN)

    def mails() -> str:
        start = random.choice(["From - ", "From - ", "FROM - "])
        return "".join(
            MAIL.format(start=start, status=random.choice(["0001", "0009", "0008"]), subject=each)
            for each in random.choices(["a", "b", "c"], k=random.choice([0, 1, 2, 3]))
        ) + random.choice(["", "", "FROM - ", "FROM - \nFROM - \n", "\n"])

    while True:
        files: tuple[list[Path], list[Path]] = ([], [])
        note = "one folder"
        for number in range(random.choice([1, 1, 2])):
            said = mails()
            other = said if random.random() < 0.4 else mails()
            note, other = text_mutant(random, other, 0.7)
            files[0].append(stored(folder / f"a{number}", said, random))
            files[1].append(stored(folder / f"b{number}", other))
        result: Value = files[0][0]
        expected: Any = files[1][0]
        if len(files[0]) > 1 or random.random() < 0.2:
            result, expected = list(files[0]), list(files[1])
            note = "several folders"
            change = random.randrange(8)
            if change == 0:
                result.pop()
            elif change == 1:
                expected.pop()
            elif change == 2:
                result[0] = None
            elif change == 3:
                result = files[0][0]
            elif change == 4:
                expected = files[1][0]
        elif random.random() < 0.04:
            note, expected = "nothing expected", NO_FILE
        elif random.random() < 0.05:
            note = f"a file {spoiled_text(random, random.choice(files)[0])}"
        options = {
            name: random.choice([True, False])
            for name in ("ignore_status", "ignore_keys", "remove_deleted", "remove_duplicate")
            if random.random() < 0.4
        }
        yield Case("check_thunderbird_folder", result, expected, options, note)


REASONS = {"another rule": REFUSED}
CASES: dict[str, Cases] = {
    "check_thunderbird_prefs": preferences,
    "check_thunderbird_filter": sieve,
    "check_thunderbird_folder": folders,
}
