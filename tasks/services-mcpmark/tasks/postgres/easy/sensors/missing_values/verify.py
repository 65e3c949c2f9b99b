"""Checks that the readings of -999, and only those, are null now."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, refuse_other_changes, rows

before = refuse_other_changes("sensors.sql", tables=[r"public\.readings"])
wrong = []
readings = rows("SELECT sensor, taken, value FROM public.readings")
expected = [
    (sensor, taken, None if value == "-999.00" else value)
    for sensor, taken, value in before["public.readings"]
]
if sorted(readings, key=repr) != sorted(expected, key=repr):
    wrong.append(f"the readings are {readings}")
columns = rows(
    "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
    " WHERE attrelid = 'public.readings'::regclass AND attnum > 0 ORDER BY attnum"
)
if [name for name, kind in columns] != ["sensor", "taken", "value"]:
    wrong.append(f"the columns are {columns}")
finish(wrong)
