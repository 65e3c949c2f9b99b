"""A shipping program whose carrier has renamed a field, which an old contract is quoted with."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

FIELDS = (
    ("gross_weight", "gross_kg", "weight", "kilograms"),
    ("parcel_length", "length_cm", "length", "centimetres"),
    ("parcel_value", "insured_value", "amount", "euros"),
)
"""The old and the new name of a field, and the words that the texts around it need."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Five files; what is expected of each is its text with the new name where it belongs."""
    old, new, word, unit = FIELDS[number - 1]
    clause = random.randint(3, 9)
    most = random.choice((20, 25, 30, 40))
    sample = random.randint(2, 9)
    texts = {
        "parcel": (
            '"""A parcel as the carrier takes it."""\n\n'
            "from dataclasses import dataclass\n\n"
            f"max_{old} = {most}\n\n\n"
            "@dataclass\n"
            "class Parcel:\n"
            f'    """The {word} is in {unit}."""\n\n'
            "    number: str\n"
            f"    {old}: float\n\n"
            "    def fits(self):\n"
            f"        return self.{old} <= max_{old}\n"
        ),
        "label": (
            '"""The text of labels."""\n\n'
            "from pathlib import Path\n\n\n"
            "def label(parcel):\n"
            '    text = Path("templates/label.txt").read_text()\n'
            f"    return text.format(number=parcel.number, {old}=parcel.{old})\n"
        ),
        "contract": (
            '"""What the contract with the carrier asks for."""\n\n'
            f"# Contract of 2019, clause {clause}:\n"
            f'#   "Each parcel states its {old}, with one decimal."\n\n\n'
            "def row(parcel):\n"
            f'    return {{"number": parcel.number, "{old}": round(parcel.{old}, 1)}}\n'
        ),
        "template": f"PARCEL {{number}}\n{word}: {{{old}}}\n",
        "test": (
            "import unittest\n\n"
            "from contract import row\n"
            "from parcel import Parcel\n\n\n"
            "class RowTest(unittest.TestCase):\n"
            "    def test_row(self):\n"
            f'        parcel = Parcel("P-1", {old}={sample}.04)\n'
            f'        self.assertEqual(row(parcel), {{"number": "P-1", "{old}": {sample}.0}})\n'
        ),
    }  # fmt: skip
    names = {
        "parcel": "parcel.py", "label": "label.py", "contract": "contract.py",
        "template": "label.txt", "test": "test_contract.py",
    }  # fmt: skip
    kept = f"states its {old}, with"
    values: dict[str, Any] = {
        "old": old,
        "new": new,
        "clause": clause,
        "quote": f"states its {new}, with",
        "kept": kept,
    }
    for key, text in texts.items():
        (files / names[key]).write_text(text, encoding="utf-8")
        right = text.replace(old, new).replace(f"max_{new}", f"max_{old}")
        values[key] = right.replace(f"states its {new}", f"states its {old}")
    return values
