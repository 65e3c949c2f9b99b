"""The fates of an error, drawn once.

TaskError       the data is wrong            raised at load, exit 2, file and key named
UsageError      the request is wrong         raised before any machine, exit 2
MachineError    the machine failed           row `void`: run again, counted, never a 0
GuestError      the guest did not answer     void
ModelError      the model did not answer     void
StoppedError    a person gave the trial up   void
RehearsalError  a fork's beginning is lost   void, and not tried again: it would be lost again
an error result of a tool                    text for the model; the episode goes on
anything else                                row `bug` with traceback; run goes on, exit 1
"""

from __future__ import annotations

from tasks import TaskError
from vm import MachineError

__all__ = [
    "FINAL",
    "VOID",
    "GuestError",
    "MachineError",
    "ModelError",
    "RehearsalError",
    "StageError",
    "StoppedError",
    "TaskError",
    "UsageError",
]


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
    """The model could not be asked or did not answer."""


class StoppedError(HintedError):
    """A person who watched ended the trial, and it does not count."""


class RehearsalError(HintedError):
    """An agent could not be brought to where it was in a recorded episode."""


VOID = (MachineError, GuestError, ModelError, StoppedError, RehearsalError)
"""What says nothing about the agent."""

FINAL = (RehearsalError,)
"""Of those, what another machine would not change: it is tried once in one go."""
