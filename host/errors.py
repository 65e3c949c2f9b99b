"""Exceptions of the host, and what each means for a trial. The agent counts as having acted from
its first call on, mouse and keyboard included.

                                             before it acted   after it acted
TaskError       the data is wrong            raised at load, exit 2, file and key named
UsageError      the request is wrong         raised before any machine, exit 2
BusyError       what it needs is in use      raised before any machine, exit 3
MachineError    the machine failed           void              void once, then a score of 0
GuestError      the guest did not answer     void              void once, then a score of 0
HostError       the machine's host failed    void              void once, then a score of 0
ModelError      the model refused a request  void              void once, then a score of 0
ModelError      no answer, load              void              void
ModelError      wrong key, name or address   void, and not retried; three in a row end the run
ContextLimitError  the context is full       the episode ends, and what was reached is judged
ServiceError    an account's service is gone void              void
StoppedError    a person ended the trial     void              void
RehearsalError  a branch cannot be replayed  void, and not retried: it would fail again
NoDesktopError  the guest has no desktop     void, and not retried: it would fail again
an error result of a tool                    text for the model; the episode continues
ModelError of a jury                         row `unjudged`: the trial stands, see `host.jury`
anything else                                row `bug` with traceback; run continues, exit 1

A void trial is counted, run again and never scored. Once the agent has acted it controls the
machine and can break it, so a void after that point must be independent of the agent: ended by a
person, by a replay that involves no machine, by the model's endpoint, or by a service that the host
asks.
"""

from __future__ import annotations

from typing import Literal

from ambidex.tasks import TaskError
from ambidex.vm import MachineError

__all__ = [
    "AGAIN",
    "FIX",
    "VOID",
    "BusyError",
    "ContextLimitError",
    "EndedBy",
    "GuestError",
    "HostError",
    "MachineError",
    "ModelError",
    "NoDesktopError",
    "RehearsalError",
    "ServiceError",
    "StageError",
    "StoppedError",
    "TaskError",
    "UsageError",
    "ended_by",
    "independent_of_agent",
    "is_final",
]

EndedBy = Literal["machine", "guest", "model", "person", "harness"]


class HintedError(Exception):
    """An error with a message (what happened) and a hint (what would help), a sentence each."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HintedError):
    """The user's request cannot be carried out as given."""


class BusyError(UsageError):
    """The request could be carried out at another time: something it needs is in use."""


class GuestError(HintedError):
    """The guest did not answer, or violated its protocol."""


class NoDesktopError(GuestError):
    """The request needs a GUI, and the guest has neither a desktop nor a browser for it."""


class HostError(HintedError):
    """The host of a machine failed: it was lost, or its disk is full."""


class StageError(GuestError):
    """A task's setup could not be carried out in the guest."""


class ModelError(HintedError):
    """The model could not be asked or did not answer. `refused` is true if the endpoint answered
    and rejected the request itself, such as content against its rules; `fatal` if it would refuse
    every such request, for its key, its model or its address."""

    def __init__(
        self, message: str, *, hint: str = "", refused: bool = False, fatal: bool = False
    ) -> None:
        super().__init__(message, hint=hint)
        self.refused = refused
        self.fatal = fatal


class ContextLimitError(ModelError):
    """The model rejected a request because the conversation no longer fits its context. The loop
    ends the episode, see `host.Stop.CONTEXT_LIMIT`."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, refused=True)


class ServiceError(HintedError):
    """A service in an account of the user's, which the host asks, does not answer."""


class StoppedError(HintedError):
    """A person ended the trial as void."""


class RehearsalError(HintedError):
    """An agent could not be brought back to its state at a step of a recorded episode."""


VOID = (
    MachineError,
    GuestError,
    HostError,
    ModelError,
    ServiceError,
    StoppedError,
    RehearsalError,
)
"""Errors that make an attempt void."""

ENDED_BY: dict[type[Exception], EndedBy] = {
    MachineError: "machine",
    GuestError: "guest",
    HostError: "machine",
    ModelError: "model",
    ServiceError: "harness",
    StoppedError: "person",
    RehearsalError: "harness",
}
"""Who ended the trial, by the class of the error."""


def ended_by(error: Exception) -> EndedBy:
    """Who ended a trial that failed with this error."""
    return next((who for kind, who in ENDED_BY.items() if isinstance(error, kind)), "harness")


def independent_of_agent(error: Exception) -> bool:
    """Whether nothing that an agent does in its guest could have caused the error."""
    if isinstance(error, ModelError):
        return not error.refused
    return isinstance(error, ServiceError | StoppedError | RehearsalError)


FIX = "Fix it and give the same command."
AGAIN = "The same command, given later, tries again."


def is_final(error: Exception, acted: int) -> bool:
    """Whether the error would recur in another attempt, so that there is none in this invocation.
    `acted` counts the agent's calls: a request that an agent's own work led to may be refused once.
    """
    if isinstance(error, ModelError):
        return error.fatal and not (error.refused and acted)
    return isinstance(error, RehearsalError | NoDesktopError)
