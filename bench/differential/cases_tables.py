"""Cases of the metrics on tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from bench.differential import NO_FILE, Case, Cases, Given
from evaluators.osworld import Value


def csv_cases(random: Random, folder: Path) -> Iterator[Case]:
    """Tables of text that are equal, or equal but for something small."""
    while True:
        lines = [
            f"{number},{random.choice(['Ann', 'Bo'])}" for number in range(random.randint(0, 4))
        ]
        seen = "\n".join(lines)
        note, wanted = random.choice(
            [
                ("equal", seen),
                ("newline at the end", seen + "\n"),
                ("line ends of Windows", seen.replace("\n", "\r\n")),
                ("a separator that splitlines knows", seen + "\x0bmore"),
                ("letter case", seen.upper()),
                ("blanks", seen + " "),
            ]
        )
        result, expected = folder / "result.csv", folder / "expected.csv"
        result.write_bytes(seen.encode())
        expected.write_bytes(wanted.encode())
        options = {
            name: random.choice([True, False])
            for name in ("strict", "ignore_case")
            if random.random() < 0.5
        }
        given: Value | Given = random.choice([expected, [expected], [result, expected], NO_FILE])
        yield Case("compare_csv", result, given, options, note)


CASES: dict[str, Cases] = {"compare_csv": csv_cases}
