"""Compares the index with the expected one, and the notes with those of the setup."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

INDEX = """\
# Notes

## garden

- [Apple trees](notes/old/apple-trees.md)
- [Beans](notes/beans.md)
- [Compost in winter](notes/compost.md)

## house

- [Boiler](notes/boiler.md)
- [Chimney sweep](notes/chimney.md)

## trees

- [Apple trees](notes/old/apple-trees.md)

## winter

- [Chimney sweep](notes/chimney.md)
- [Compost in winter](notes/compost.md)

## without tags

- [Moving house](notes/old/moving.md)
- [Phone numbers](notes/phone-numbers.md)
"""

finish({**originals(), "index.md": INDEX})
