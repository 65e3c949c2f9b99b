"""Checks the prices and tries to add some."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import attempt, finish, owner, refuse_other_changes, rows

PRICES = [
    ("1", "BRU", "4.20", "2025-01-01", "2025-06-30"),
    ("2", "BRU", "4.50", "2025-07-01", "2025-12-31"),
    ("3", "BRU", "4.80", "2026-01-01", "2026-06-30"),
    ("4", "CAN", "12.00", "2025-03-01", "2025-08-31"),
    ("6", "CAN", "13.00", "2025-09-01", "2026-02-28"),
    ("7", "EAS", "89.00", "2025-02-10", "2025-12-31"),
    ("8", "EAS", "95.00", "2026-02-01", None),
    ("9", "INK", "7.10", "2026-01-01", None),
    ("10", "INK", "6.90", "2025-05-05", "2025-12-31"),
    ("11", "CAN", "14.00", "2026-03-01", "2026-12-31"),
]
ADD = "INSERT INTO public.prices VALUES "
ACCEPTED = [
    "(20, 'BRU', 5, '2026-07-01', NULL)",
    "(20, 'BRU', 5, '2024-01-01', '2024-12-31')",
    "(20, 'EAS', 90, '2026-01-01', '2026-01-31')",
    "(20, 'INK', 7.10, '2025-05-04', '2025-05-04')",
    "(20, 'CAN', 14, '2027-01-01', '2027-01-01')",
]
REFUSED = [
    "(20, 'BRU', 5, '2026-06-30', NULL)",
    "(20, 'BRU', 5, '2024-01-01', '2025-01-01')",
    "(20, 'BRU', 5, '2024-01-01', NULL)",
    "(20, 'EAS', 90, '2026-01-01', '2026-02-01')",
    "(20, 'EAS', 90, '2030-01-01', NULL)",
    "(20, 'INK', 7.10, '2025-06-01', '2025-06-01')",
    "(20, 'CAN', 1, '2025-01-01', '2027-12-31')",
]
CHANGED = [
    "UPDATE public.prices SET valid_to = NULL WHERE id = 1",
    "UPDATE public.prices SET valid_from = '2025-12-31' WHERE id = 3",
    "UPDATE public.prices SET article = 'BRU' WHERE id = 9",
]
COLUMNS = ["id", "article", "price", "valid_from", "valid_to"]

refuse_other_changes(
    "shop.sql",
    tables=[r"public\.prices"],
    definitions=[
        r"extension .*",
        r"(constraint|index|function) public\..*",
        r"trigger prices\..*",
    ],
)
wrong = []
columns = rows(
    "SELECT attname FROM pg_attribute WHERE attrelid = 'public.prices'::regclass"
    " AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
)
if columns != [(name,) for name in COLUMNS]:
    wrong.append(f"the columns are {columns}")
prices = rows("SELECT id, article, price, valid_from, valid_to FROM public.prices ORDER BY id")
if prices != PRICES:
    wrong.append(f"the prices are {prices}")
keys = rows(
    "SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE contype IN ('p', 'f') AND connamespace = 'public'::regnamespace ORDER BY 1, 2"
)
if sorted(keys) != [
    ("public.articles", "PRIMARY KEY (code)"),
    ("public.prices", "FOREIGN KEY (article) REFERENCES public.articles(code)"),
    ("public.prices", "PRIMARY KEY (id)"),
]:
    wrong.append(f"the keys are {keys}")
for values in ACCEPTED:
    if attempt(owner(), ADD + values) != 1:
        wrong.append(f"the price {values} is refused")
for statement in (*(ADD + values for values in REFUSED), *CHANGED):
    if attempt(owner(), statement) is not None:
        wrong.append(f"accepted: {statement}")
if attempt(owner(), "UPDATE public.prices SET price = price + 1") != len(PRICES):
    wrong.append("prices cannot be changed")
finish(wrong)
