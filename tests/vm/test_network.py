"""Guests have a network only where it is asked for; a fork has what its machine has."""

from __future__ import annotations

import threading
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.vm import Machine

HOST = "10.0.2.2"
"""This computer, as a guest with a network sees it."""
FETCH = ["python3", "-c", "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).status)"]


@pytest.mark.vm
def test_a_machine_with_a_network_and_its_fork_reach_this_computer(provider: str) -> None:
    options = MachineOptions(provider=provider, network=True, trials=1)
    with ExitStack() as stack:
        server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        url = f"http://{HOST}:{server.server_port}/"
        source = stack.enter_context(open_machines(options, print))
        machine = stack.enter_context(closing(source.make()))
        machine.revert("ready")
        answers = [_answer(machine, url)]
        with machine.fork() as fork:
            answers.append(_answer(fork, url))
    assert source.network
    assert answers == ["501", "501"]  # the server has no pages


def _answer(machine: Machine, url: str) -> str:
    with Guest(machine.endpoint, machine.token) as guest:
        output = guest.run([*FETCH, url], timeout=60)
    return output.stderr.rpartition("HTTP Error ")[2][:3]
