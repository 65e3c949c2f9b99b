"""Checks which photo is in which folder, byte by byte."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

YEARS = {
    "IMG_0412.jpg": "2025",
    "IMG_0413.jpg": "2025",
    "IMG_0420.jpg": "2025",
    "2025-08-31 Lisbon.jpg": "2025",
    "DSC00077.jpg": "2026",
    "DSC00078.jpg": "2025",
    "scan.jpg": "2026",
}

expected = originals()
photos = {name: expected.pop(f"photos/{name}") for name in YEARS}
finish({**expected, **{f"photos/{year}/{name}": photos[name] for name, year in YEARS.items()}})
