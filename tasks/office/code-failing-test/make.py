"""A freight calculator of which some tests fail, and the price rules in words."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

ZONES = ("north", "south", "island")
WRONG_STEP = "        if weight < limit:\n"
RIGHT_STEP = "        if weight <= limit:\n"
WRONG_FREE = "    if order >= FREE_FROM:\n        return 0\n    if bulky:\n        cents += BULKY\n    return cents\n"
RIGHT_FREE = "    if order >= FREE_FROM:\n        cents = 0\n    if bulky:\n        cents += BULKY\n    return cents\n"
OTHER = (
    "    cents = 0 if order >= FREE_FROM else cents\n    return cents + BULKY if bulky else cents\n"
)


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The calculator with two mistakes, its tests and its rules."""
    limits = [*sorted(random.sample((2, 5, 8, 10, 15), 2)), random.choice((20, 25, 30))]
    cents = sorted(random.sample(range(390, 1990, 100), 3))
    bulky, free = random.choice((250, 300, 350)), random.choice((10000, 15000, 20000))
    factors = dict(
        zip(ZONES, (100, random.choice((110, 120)), random.choice((150, 200))), strict=True)
    )
    steps = list(zip(limits, cents, strict=True))

    def price(weight: float, zone: str, bulk: bool, order: int) -> int:
        base = next(each for limit, each in steps if weight <= limit) * factors[zone] // 100
        return (0 if order >= free else base) + (bulky if bulk else 0)

    program = (
        '"""The freight of parcels, in cents."""\n\n'
        f"STEPS = {steps}\n"
        f"ZONES = {factors}\n"
        f"BULKY = {bulky}\n"
        f"FREE_FROM = {free}\n\n\n"
        "def price(weight, zone, bulky=False, order=0):\n"
        '    """The freight of a parcel, as README.md says."""\n'
        "    for limit, cents in STEPS:\n"
        f"{WRONG_STEP}"
        "            break\n"
        "    else:\n"
        '        raise ValueError("too heavy for a parcel")\n'
        "    cents = cents * ZONES[zone] // 100\n"
        f"{WRONG_FREE}"
    )
    rules = [f"- up to {limit} kg: {each / 100:.2f} euros" for limit, each in steps]
    readme = (
        "# Freight\n\nWhat a parcel costs in zone north:\n\n"
        + "\n".join(rules)
        + '\n\n"Up to" includes the weight itself. A heavier parcel is an error.\n'
        f"Zone south costs {factors['south']} % of that, zone island {factors['island']} %.\n"
        f"Orders of {free // 100} euros or more are free of freight.\n"
        f"A bulky parcel costs {bulky / 100:.2f} euros on top, in each zone and for each order.\n"
    )
    cases = [
        (limits[0] - 1, "north", False, 0),
        (limits[0], "north", False, 0),
        (limits[1], "island", False, 0),
        (limits[2], "south", True, 0),
        (limits[1] - 1, "south", False, free),
        (limits[1] - 1, "north", True, free),
    ]
    tests = (
        "import unittest\n\nfrom freight import price\n\n\nclass PriceTest(unittest.TestCase):\n"
        + "\n".join(
            f"    def test_{at}(self):\n        self.assertEqual(price({weight}, {zone!r}, {bulk}, {order}), {price(weight, zone, bulk, order)})\n"
            for at, (weight, zone, bulk, order) in enumerate(cases, 1)
        )
    )
    (files / "freight.py").write_text(program, encoding="utf-8")
    (files / "README.md").write_text(readme, encoding="utf-8")
    (files / "test_freight.py").write_text(tests, encoding="utf-8")
    hidden = [
        *((limit + more, zone, bulk, 0) for limit in limits[:2] for more in (0, 0.5) for zone in ZONES for bulk in (False, True)),
        (limits[2], "island", False, 0),
        *((limits[0], zone, bulk, order) for zone in ZONES for bulk in (False, True) for order in (free - 1, free, free + 1)),
    ]  # fmt: skip
    prices = [price(*case) for case in hidden]
    try_all = (
        "import sys; sys.path.insert(0, '/home/user/Projects/freight'); import freight\n"
        f"print([freight.price(*case) for case in {hidden}])\n"
        f"try: print(freight.price({limits[2]}.5, 'north'))\n"
        "except ValueError: print('too heavy')\n"
    )
    right = program.replace(WRONG_STEP, RIGHT_STEP).replace(WRONG_FREE, RIGHT_FREE)
    assert right != program
    widened = [(limit + 1, each) for limit, each in steps]
    return {
        "try_all": try_all,
        "prices": f"{prices}\ntoo heavy\n",
        "steps": f"STEPS = {steps}",
        "widened": f"STEPS = {widened}",
        "otherwise": program.replace(WRONG_STEP, "        if not weight > limit:\n").replace(
            WRONG_FREE, OTHER
        ),
    }
