"""Tables of the quality of evaluators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ambidex.host.report.metrics import wilson_interval
from ambidex.host.report.number_format import NONE, percent
from ambidex.host.report.tables import plain_table
from ambidex.host.runs.matrix import EvaluatorQuality, WrongVerdict
from ambidex.host.runs.mutations import KINDS
from ambidex.tasks import Suite

__all__ = ["matrix_json", "matrix_table", "wrong_table"]

CAPTION = (
    "false fail: of right end states (oracles, accepted variants), those that it refused; wrong:"
    " near misses, null agents and mutated evidence; refused: of near misses and null agents,"
    " those that it refused itself, where another check of the task may see the mistake; false"
    " pass: of wrong end states, those that passed, in brackets the upper end of Wilson's 95 %"
    " interval. Trials and mutations of one task are not independent, so the intervals are rough"
)


def matrix_table(suite: Suite, qualities: Sequence[EvaluatorQuality]) -> Table:
    """How often each evaluator is wrong, and over how many end states."""
    table = Table(
        title=f"Evaluators of {suite.name}",
        title_justify="left",
        caption=CAPTION,
        caption_justify="left",
    )
    table.add_column("evaluator", no_wrap=True)
    for name in ("checks", "right", "false\nfail %", "near\nmisses", "null\nagents"):
        table.add_column(name, justify="right")
    for name in ("refused", "mutated", "false\npass %"):
        table.add_column(name, justify="right")
    for one in qualities:
        played = one.wrong["near miss"] + one.wrong["null agent"]
        table.add_row(
            one.name,
            str(one.checks),
            str(one.right),
            _rate(one.false_fails, one.right),
            str(one.wrong["near miss"]),
            str(one.wrong["null agent"]),
            f"{one.refused} of {played}",
            str(_mutated(one)),
            _rate(sum(one.false_passes.values()), one.n_wrong),
            style="bold red" if one.false_fails or sum(one.false_passes.values()) else "",
        )
    return table


def wrong_table(wrong: Iterable[WrongVerdict]) -> RenderableType:
    """Every wrong verdict; one sentence if there is none."""
    wrong = list(wrong)
    if not wrong:
        return Text("No verdict was wrong.")
    table = plain_table("Wrong verdicts", "task", "evaluator", "played", "verdict", left=4)
    for one in wrong:
        verdict = f"{'false fail' if one.right else 'false pass'}: {one.reason}"
        table.add_row(one.task, one.evaluator, one.played, Text(verdict))
    return Group(table, Text(f"{len(wrong)} verdicts were wrong."))


def matrix_json(
    qualities: Iterable[EvaluatorQuality], wrong: Iterable[WrongVerdict]
) -> dict[str, object]:
    """The same as JSON."""
    return {
        "evaluators": [
            {
                "evaluator": one.name,
                "checks": one.checks,
                "right": one.right,
                "false_fails": one.false_fails,
                "false_fail_rate": one.false_fail_rate,
                "wrong": dict(one.wrong),
                "refused": one.refused,
                "false_passes": {kind: n for kind, n in one.false_passes.items() if n},
                "false_pass_rate": one.false_pass_rate,
            }
            for one in qualities
        ],
        "wrong_verdicts": [vars(one) for one in wrong],
    }


def _mutated(one: EvaluatorQuality) -> int:
    return sum(one.wrong[kind] for kind in KINDS)


def _rate(count: int, n: int) -> str:
    """The rate with the upper end of its interval."""
    if not n:
        return NONE
    return f"{percent(count / n)} (≤ {percent(wilson_interval(count, n)[1])})"
