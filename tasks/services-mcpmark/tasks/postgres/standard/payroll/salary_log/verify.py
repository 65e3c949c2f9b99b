"""Changes salaries as the clerk and as the owner, and reads the log."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import attempt, finish, owner, refuse_other_changes, rows

RAISES = [
    ("1", "2900.00", "3000.00", "1743465600"),
    ("1", "3000.00", "3100.00", "1759276800"),
    ("6", "3800.00", "4100.00", "1736899200"),
]
LOG = "SELECT employee, old_salary, new_salary FROM public.salary_log WHERE changed_at = now()"
RAISE = "UPDATE public.employees SET salary = salary + 50 WHERE department = 3"
SAME = "UPDATE public.employees SET salary = salary, name = name"
ADDED = [("4", "2600.00", "2650.00"), ("5", "2600.00", "2650.00")]
REFUSED = [
    "INSERT INTO public.salary_log (employee, old_salary, new_salary, changed_at)"
    " VALUES (2, 1, 2, now())",
    "UPDATE public.salary_log SET new_salary = 1",
    "DELETE FROM public.salary_log",
    "TRUNCATE public.salary_log",
]

refuse_other_changes(
    "payroll.sql",
    tables=[r"public\.(salary_log|raises_2025)"],
    definitions=[
        r"trigger employees\..*",
        r"function public\..*",
        r"(constraint|index) public\.(salary_log|raises_2025).*",
    ],
    roles=["payroll_clerk"],
)
wrong = []
if rows("SELECT 1 FROM pg_class WHERE relname = 'raises_2025'"):
    wrong.append("raises_2025 is still there")
kinds = dict(
    rows(
        "SELECT attname, format_type(atttypid, -1) FROM pg_attribute"
        " WHERE attrelid = 'public.salary_log'::regclass AND attnum > 0"
    )
)
if kinds.get("changed_at") != "timestamp with time zone":
    wrong.append(f"the columns of the log are {kinds}")
logged = rows(
    "SELECT employee, round(old_salary, 2), round(new_salary, 2),"
    " extract(epoch FROM changed_at)::bigint FROM public.salary_log"
)
if sorted(logged) != RAISES:
    wrong.append(f"the log has {logged}")
for role in ("payroll_clerk", owner()):
    seen = attempt(role, RAISE, LOG)
    if seen is None or sorted(seen) != ADDED:
        wrong.append(f"two raises by {role} add {seen}")
    seen = attempt(role, SAME, "SELECT * FROM public.salary_log")
    if seen is None or len(seen) != len(RAISES):
        wrong.append(f"an update by {role} that raises nothing adds to the log: {seen}")
    if attempt(role, RAISE) != 2:
        wrong.append(f"{role} cannot raise salaries")
for statement in REFUSED:
    if attempt("payroll_clerk", statement) is not None:
        wrong.append(f"the clerk may: {statement}")
finish(wrong)
