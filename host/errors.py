"""The fates of an error, drawn once. The agent has acted from its first call of a tool, or of the
mouse and keyboard, on.

                                             before it acted   after it acted
TaskError       the data is wrong            raised at load, exit 2, file and key named
UsageError      the request is wrong         raised before any machine, exit 2
MachineError    the machine failed           void              void once, then a score of 0
GuestError      the guest did not answer     void              void once, then a score of 0
ModelError      the model refused a request  void              void once, then a score of 0
ModelError      no answer, load, no key      void              void
StoppedError    a person ended the trial     void              void
RehearsalError  a fork's start is lost       void, and not tried again: it would be lost again
an error result of a tool                    text for the model; the episode continues
anything else                                row `bug` with traceback; run continues, exit 1

A void trial is run again, counted, and never scored. The agent has the machine once it has acted,
and can break it; so a void after that has to be proved: by a person, by a rehearsal that no machine
takes part in, or by what the model's endpoint answered.
"""

from __future__ import annotations

from typing import Literal

from ambidex.tasks import TaskError
from ambidex.vm import MachineError

__all__ = [
    "FINAL",
    "VOID",
    "EndedBy",
    "GuestError",
    "MachineError",
    "ModelError",
    "RehearsalError",
    "StageError",
    "StoppedError",
    "TaskError",
    "UsageError",
    "ended_by",
    "proved",
]

EndedBy = Literal["machine", "guest", "model", "person", "harness"]


class HintedError(Exception):
    """One sentence about what happened, and one about what would help."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HintedError):
    """What was asked for cannot be done as asked."""


class GuestError(HintedError):
    """The guest did not answer, or not in its own protocol."""


class StageError(GuestError):
    """A task's setup could not be carried out in the guest."""


class ModelError(HintedError):
    """The model could not be asked or did not answer. `refused` says that it answered, and refused
    what the agent asked: too long a context, content against its rules."""

    def __init__(self, message: str, *, hint: str = "", refused: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.refused = refused


class StoppedError(HintedError):
    """A person who watched ended the trial, and it does not count."""


class RehearsalError(HintedError):
    """An agent could not be brought to where it was in a recorded episode."""


VOID = (MachineError, GuestError, ModelError, StoppedError, RehearsalError)
"""What says nothing about the agent."""

ENDED_BY: dict[type[Exception], EndedBy] = {
    MachineError: "machine",
    GuestError: "guest",
    ModelError: "model",
    StoppedError: "person",
    RehearsalError: "harness",
}
"""Who ended a trial."""


def ended_by(error: Exception) -> EndedBy:
    """Who ended the trial that this error ended."""
    return next((who for kind, who in ENDED_BY.items() if isinstance(error, kind)), "harness")


def proved(error: Exception) -> bool:
    """Whether nothing that an agent does in its guest could have caused that error."""
    if isinstance(error, ModelError):
        return not error.refused
    return isinstance(error, StoppedError | RehearsalError)


FINAL = (RehearsalError,)
"""Of those, what another machine would not change: it is tried once in one go."""
