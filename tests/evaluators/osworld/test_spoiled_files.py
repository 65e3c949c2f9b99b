"""A right file that is then corrupted gets a verdict, whatever the corruption."""

from __future__ import annotations

import random
from pathlib import Path

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.asked import Case, made_in
from tests.evaluators.osworld.test_uses_of_files import TRIED
from tests.support.tables import every_case

TIMES = 4
RIGHT: dict[str, Case] = {}
for module in TRIED:
    for each in module.CASES:
        if each.kind == "right" and callable(each.result):
            RIGHT.setdefault(each.metric, each)
SLOW = ("compare_image_text",)
"""Excluded: it starts a program for each picture."""


def spoilt(content: bytes, seed: int) -> bytes:
    """Truncate the content, change some bytes or duplicate a part."""
    chance = random.Random(seed)
    changed = bytearray(content)
    if seed % 3 == 0:
        return bytes(changed[: chance.randrange(len(changed))])
    if seed % 3 == 1:
        for _ in range(chance.choice((1, 8, 64))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    start = chance.randrange(len(changed))
    return bytes(changed[:start] + changed[max(0, start - 100) :])


@every_case("metric", sorted(set(RIGHT) - set(SLOW)))
def test_a_corrupted_file_gets_a_verdict(metric: str, tmp_path: Path) -> None:
    case = RIGHT[metric]
    bound = bind_metric(metric, case.options)
    path = made_in(case.result, tmp_path)
    content = path.read_bytes()
    expected = made_in(case.expected, tmp_path)
    for seed in range(TIMES):
        path.write_bytes(spoilt(content, seed))
        verdicts = bound(path, expected)
        assert verdicts.compat.reason, seed
        assert verdicts.strict.reason, seed
