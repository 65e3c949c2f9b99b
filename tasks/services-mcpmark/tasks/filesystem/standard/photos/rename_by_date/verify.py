"""Checks which photo has which name, byte by byte."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

NAMES = {
    "IMG_0413.jpg": "2025-08-30 Porto.jpg",
    "2025-08-31 Lisbon.jpg": "2025-08-30 Porto (2).jpg",
    "IMG_0412.jpg": "2025-08-30 Porto (3).jpg",
    "IMG_0420.jpg": "2025-08-31 Lisbon.jpg",
    "DSC00078.jpg": "2025-12-31 Bergen.jpg",
    "scan.jpg": "2026-01-02 Bergen.jpg",
    "DSC00077.jpg": "2026-01-02 Bergen (2).jpg",
}

expected = originals()
photos = {old: expected.pop(f"photos/{old}") for old in NAMES}
finish({**expected, **{f"photos/{new}": photos[old] for old, new in NAMES.items()}})
