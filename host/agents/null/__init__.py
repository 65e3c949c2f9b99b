"""Null agents: they ask no model and do no task, so that a score they get is a defect of the task.

idle              makes no call until its limit on steps
says_done         declares the task done at its first step
says_infeasible   declares the task infeasible at its first step: right for infeasible tasks only
random_gui        random mouse and keyboard input
random_tools      random calls of all other tools
save_everything   saves what is open in every window, and touches every file
file_seeker       searches the guest for answers, and copies what it finds over the results
tamperer          attacks the evidence, the clock, the guest's server and the harness

Each is a module of this package that assigns `AGENT`.
"""

from __future__ import annotations

__all__ = ["NULL_AGENTS", "SAYS_DONE", "SAYS_INFEASIBLE"]

SAYS_DONE = "says_done"
SAYS_INFEASIBLE = "says_infeasible"

NULL_AGENTS = (
    "idle",
    SAYS_DONE,
    SAYS_INFEASIBLE,
    "random_gui",
    "random_tools",
    "save_everything",
    "file_seeker",
    "tamperer",
)
"""In the order of tables."""
