"""Checks the partitions, the rows, the keys and the view."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import attempt, finish, owner, refuse_other_changes, rows

MONTHS = {
    f"readings_2026_0{month}": (
        f"FOR VALUES FROM ('2026-0{month}-01 00:00:00') TO ('2026-0{month + 1}-01 00:00:00')"
    )
    for month in range(1, 5)
}
COLUMNS = [
    ("sensor", "integer", "True", None),
    ("taken", "timestamp without time zone", "True", None),
    ("value", "numeric(6,2)", "False", "0"),
]

before = refuse_other_changes(
    "sensors.sql",
    tables=[r"public\.readings(_2026_0[1-4]|_other)?"],
    definitions=[r"(index|constraint) public\..*", r"view public\.daily"],
)
wrong = []
kind = rows(
    "SELECT relkind, pg_get_partkeydef(oid) FROM pg_class WHERE oid = 'public.readings'::regclass"
)
if kind != [("p", "RANGE (taken)")]:
    finish([f"readings is {kind}"])
bounds = dict(
    rows(
        "SELECT relname, pg_get_expr(relpartbound, c.oid) FROM pg_class c JOIN pg_inherits"
        " ON inhrelid = c.oid WHERE inhparent = 'public.readings'::regclass"
    )
)
if bounds != {**MONTHS, "readings_other": "DEFAULT"}:
    wrong.append(f"the partitions are {bounds}")
columns = rows(
    "SELECT attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)"
    " FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
    " WHERE attrelid = 'public.readings'::regclass AND attnum > 0 AND NOT attisdropped"
    " ORDER BY attnum"
)
if columns != COLUMNS:
    wrong.append(f"the columns are {columns}")
constraints = rows(
    "SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE conrelid IN ('public.readings'::regclass, 'public.sensors'::regclass)"
    " AND contype IN ('p', 'f', 'u', 'c') ORDER BY 1, 2"
)
if sorted(constraints) != [
    ("public.readings", "FOREIGN KEY (sensor) REFERENCES public.sensors(id)"),
    ("public.readings", "PRIMARY KEY (sensor, taken)"),
    ("public.sensors", "PRIMARY KEY (id)"),
]:
    wrong.append(f"the constraints are {constraints}")
readings = rows("SELECT sensor, taken, value FROM public.readings ORDER BY 1, 2")
if sorted(readings) != sorted(before["public.readings"]):
    wrong.append(f"the readings are {readings}")
if wrong:
    finish(wrong)
daily = "SELECT sensor, day, mean FROM public.daily ORDER BY 1, 2"
again = (
    "SELECT sensor, taken::date, round(avg(value), 2) FROM public.readings"
    " GROUP BY 1, 2 ORDER BY 1, 2"
)
added = "INSERT INTO public.readings VALUES (1, '2026-02-01 04:00', 14), (2, '2027-01-01', 7)"
for query in ((), (added,)):
    if attempt(owner(), *query, daily) != attempt(owner(), *query, again):
        wrong.append("the view gives something else")
finish(wrong)
