"""What becomes of a trial, on a peer, when its model's server misbehaves."""

from __future__ import annotations

from pathlib import Path

from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from bench.misbehaving import BEHAVIOURS, first_request, one_trial
from tests.host.conftest import nothing_of_litellm_stays
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import suite

__all__ = ["nothing_of_litellm_stays", "suite"]

EXPECTED = {
    "text without a call": ("failed", "3 unreadable answers in a row", 3),
    "unknown tool": (
        "failed",
        "not finished after 5 steps, called no tool that was on offer, only files_fly",
        5,
    ),
    "half JSON": ("failed", "3 unreadable answers in a row", 3),
    "500": ("void, 3 attempts", "HTTP 500: CUDA out of memory", 3),
    "200 with HTML": ("void", "an HTML page instead of JSON, titled 'Welcome'", 1),
    "401": ("void", "HTTP 401: Incorrect API key", 1),
    "404": ("void", "The model `toy` does not exist", 1),
    "429": ("void, 3 attempts", "HTTP 429: Rate limit reached", 3),
    "429, retry-after 2": ("void, 3 attempts", "HTTP 429: Rate limit reached", 3),
    "no answer": ("void, 3 attempts", "no response in time", 3),
    "cut off": ("void, 3 attempts", "the connection ended before the response was complete", 3),
    "context too long": ("failed", "the conversation outgrew the model's context", 1),
}
"""Fate, part of the message, and requests, without retries of a request."""


def test_every_misbehaviour_has_a_fate_and_a_message(tmp_path: Path, suite: Suite) -> None:
    cell = load_suite(suite.folder, CATALOGUE, ("cell",))
    found = {}
    for number, (name, behave) in enumerate(BEHAVIOURS.items()):
        outcome = one_trial(
            behave, cell, tmp_path / str(number), PeerMachine, timeout=0.5, retries=0
        )
        _, message, _ = EXPECTED[name]
        assert message in outcome.message, (name, outcome.message)
        assert "litellm" not in outcome.message
        found[name] = (outcome.fate, message, outcome.requests)
    assert found == EXPECTED


def test_before_a_run_a_server_that_cannot_answer_ends_it() -> None:
    fates = {
        name: first_request(BEHAVIOURS[name], timeout=0.5, retries=0).fate
        for name in ("half JSON", "401", "cut off", "no answer")
    }
    assert fates == {
        "half JSON": "the run starts",
        "401": "no run, exit 3",
        "cut off": "no run, exit 3",
        "no answer": "no run, exit 3",
    }
