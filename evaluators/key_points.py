"""Score a trial from what judge models said about its key points.

The evidence holds two files. `calls.json` has the agent's calls with the tools' output. In
`jury.jsonl` a jury's sitting is a line that says who is asked what, followed by a line for each
answer, in the judge's own words. Lines are appended and never changed; the last complete sitting
counts. The score is computed from these words alone:

* `points`: a judge is asked about one key point. It counts as met only if the judge says so and
  quotes output of a tool that proves it. Each quote must occur in the output of a successful call;
  the arguments of that call, results of a gateway's search, and a few characters prove nothing.
* `status`: a judge is asked about all key points at once and ends with a status line, as in
  LiveMCPBench. Nothing is checked but that line.

Whatever cannot be read is undecided, and undecided never counts for the agent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.evidence import LARGEST_FILE, read, read_text
from ambidex.evaluators.strict import Strict, explain
from ambidex.evaluators.verdict_text import Status, read_point, read_status

__all__ = [
    "CALLS",
    "CALL_LIST",
    "JURY",
    "Form",
    "JudgedSitting",
    "Opinion",
    "RecordedCall",
    "Rule",
    "Sitting",
    "judged",
    "proves",
    "read_calls",
    "read_sittings",
    "score_of",
]

CALLS = "calls.json"
JURY = "jury.jsonl"
SHORTEST_QUOTE = 8
"""Characters of a quote, unless it is a tool's whole output."""

Form = Literal["points", "status"]
Rule = Literal["majority", "best"]
"""majority: more than half of the verdicts; best: one of them is enough."""


class RecordedCall(Strict):
    """One call of the agent, with the tool's output. Of a call through a gateway, tool and
    arguments are those that were executed."""

    tool: str
    server: str = ""
    """The tool's server, if it was called through a gateway."""
    arguments: dict[str, Any]
    output: str
    error: str = ""
    search: bool = False
    """Whether it searched for tools: such output describes tools, not the world."""


class Sitting(Strict):
    """The start of a sitting: who is asked what. There is one opinion for each seat and, in the
    form `points`, for each key point."""

    kind: Literal["sitting"] = "sitting"
    id: str
    """Names the sitting; its opinions have it too."""
    form: Form
    rule: Rule
    seats: Annotated[tuple[str, ...], Field(min_length=1)]
    """The judges' models; one that is asked several times has several seats."""
    points: Annotated[tuple[str, ...], Field(min_length=1)]
    """The key points."""
    extraction: str = ""
    """The answer from which they were read, if a model extracted them from the task."""
    requests: Annotated[int, Field(ge=0)] = 0
    cost: Annotated[float | None, Field(ge=0)] = 0.0
    """US dollars of the extraction; None if unknown."""

    @property
    def questions(self) -> tuple[tuple[int, int | None], ...]:
        """The seat and the key point (by index, None for all) of each opinion."""
        points = range(len(self.points)) if self.form == "points" else (None,)
        return tuple((seat, point) for point in points for seat in range(len(self.seats)))


class Opinion(Strict):
    """A judge's answer, in its own words."""

    kind: Literal["opinion"] = "opinion"
    sitting: str
    seat: Annotated[int, Field(ge=0)]
    point: int | None
    text: str
    flaw: str = ""
    """Why there is no text: the case is too long for the judge, or its answer had none."""
    requests: Annotated[int, Field(ge=0)] = 0
    cost: Annotated[float | None, Field(ge=0)] = 0.0
    """US dollars; None if unknown."""
    answer: dict[str, Any] = Field(default_factory=dict)
    """The whole answer in the format of the judge's API."""
    at: str = ""
    """UTC, ISO 8601."""


LINE: TypeAdapter[Sitting | Opinion] = TypeAdapter(
    Annotated[Sitting | Opinion, Field(discriminator="kind")]
)
CALL_LIST = TypeAdapter(tuple[RecordedCall, ...])


@dataclass(frozen=True)
class JudgedSitting:
    """A sitting with the opinions that were given, by question."""

    sitting: Sitting
    opinions: Mapping[tuple[int, int | None], Opinion]

    @property
    def complete(self) -> bool:
        """Whether every question was answered."""
        return all(question in self.opinions for question in self.sitting.questions)


def judged(evidence: Path) -> Score:
    """The score of the last complete sitting in the evidence; 0 if there is none."""
    try:
        calls = read_calls(evidence)
        complete = [sitting for sitting in read_sittings(evidence) if sitting.complete]
        if not complete:
            return Score(0.0, "no jury has judged it")
        return score_of(complete[-1], calls)
    except UnreadableError as error:
        return Score(0.0, str(error))


def read_calls(evidence: Path) -> tuple[RecordedCall, ...]:
    """The agent's calls; `UnreadableError` if they are missing or malformed."""
    try:
        return CALL_LIST.validate_python(parse_json(read(evidence, CALLS)))
    except BoundsError as error:
        raise UnreadableError(f"{CALLS} cannot be read: {error}") from None
    except ValidationError as error:
        raise UnreadableError(f"{CALLS} cannot be read: {explain(error, most=3)}") from None


def read_sittings(evidence: Path) -> list[JudgedSitting]:
    """All sittings in order, none if no jury has been asked. A truncated last line is ignored;
    `UnreadableError` names any other damaged line."""
    if not (evidence / JURY).exists():
        return []
    found: list[tuple[Sitting, dict[tuple[int, int | None], Opinion]]] = []
    lines = read_text(evidence, JURY, LARGEST_FILE).split("\n")
    for number, text in enumerate(lines[:-1], 1):
        try:
            line = LINE.validate_python(parse_json(text))
        except (BoundsError, ValidationError) as error:
            raise UnreadableError(f"line {number} of {JURY} is damaged: {error}") from None
        if isinstance(line, Sitting):
            found.append((line, {}))
        elif found and found[-1][0].id == line.sitting:
            # The first answer counts: none can be replaced by asking again.
            found[-1][1].setdefault((line.seat, line.point), line)
        else:
            raise UnreadableError(f"line {number} of {JURY} belongs to no sitting")
    return [JudgedSitting(sitting, opinions) for sitting, opinions in found]


def score_of(judged_sitting: JudgedSitting, calls: Sequence[RecordedCall]) -> Score:
    """The score of a complete sitting: in the form `status` 1 or 0, in the form `points` the share
    of key points that are met."""
    sitting = judged_sitting.sitting
    if sitting.form == "status":
        verdicts = [
            read_status(judged_sitting.opinions[question].text) for question in sitting.questions
        ]
        return Score(float(_carried(verdicts, sitting.rule)), _counted(verdicts))
    unmet = []
    for point in range(len(sitting.points)):
        verdicts = [
            _point_verdict(judged_sitting.opinions[seat, point].text, calls)
            for seat in range(len(sitting.seats))
        ]
        if not _carried(verdicts, sitting.rule):
            unmet.append(f"not {point + 1} ({_counted(verdicts)})")
    total = len(sitting.points)
    met = total - len(unmet)
    details = "".join(f"; {text}" for text in unmet)
    return Score(met / total, f"{met} of {total} key points are met{details}")


def _point_verdict(text: str, calls: Sequence[RecordedCall]) -> Status:
    verdict = read_point(text)
    if verdict is None:
        return "undecided"
    proved = bool(verdict.quotes) and all(
        any(proves(quote, call) for call in calls) for quote in verdict.quotes
    )
    return "success" if verdict.met and proved else "failure"


def proves(quote: str, call: RecordedCall) -> bool:
    """Whether the quote is output of a successful call, and not a repetition of its arguments.
    White space is not compared."""
    if call.error or call.search:
        return False
    wanted, output = _plain(quote), _plain(call.output)
    if len(wanted) < SHORTEST_QUOTE and wanted != output:
        return False
    return bool(wanted) and wanted in output and not _given(wanted, call.arguments)


def _given(wanted: str, arguments: object) -> bool:
    """Whether the text occurs in an argument, as a value or in JSON."""
    match arguments:
        case str():
            return wanted in _plain(arguments)
        case dict():
            values: list[object] = list(arguments.values())
        case list():
            values = arguments
        case _:
            return False
    return wanted in _plain(json.dumps(arguments, ensure_ascii=False)) or any(
        _given(wanted, value) for value in values
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _carried(verdicts: Sequence[Status], rule: Rule) -> bool:
    successes = verdicts.count("success")
    return successes > 0 if rule == "best" else 2 * successes > len(verdicts)


def _counted(verdicts: Sequence[Status]) -> str:
    counts = ((verdicts.count(status), status) for status in ("success", "failure", "undecided"))
    return ", ".join(f"{count} {status}" for count, status in counts if count)
