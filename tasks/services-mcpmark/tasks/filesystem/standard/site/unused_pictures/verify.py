"""Checks where each picture is, byte by byte."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

UNUSED = [
    "img/garden.png",
    "img/single.png",
    "img/rooms/double.png",
    "img/logo.png",
    "rooms/view.png",
    "img/rooms/old/attic.png",
]

expected = originals()
for name in UNUSED:
    expected[f"unused/{name}"] = expected.pop(f"site/{name}")
finish(expected)
