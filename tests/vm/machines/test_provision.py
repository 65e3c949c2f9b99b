"""What is said when a machine cannot be logged in to."""

import socket
import threading
from collections.abc import Iterator

import pytest

from ambidex.vm import MachineError
from ambidex.vm.machines import provision


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of an SSH server that names its protocol and then says nothing more."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"SSH-2.0-silent\r\n")
                while connection.recv(4096):
                    pass

        thread = threading.Thread(target=greet)
        thread.start()
        yield listening.getsockname()[1]
        thread.join(30)
        assert not thread.is_alive()


def test_a_key_exchange_that_is_not_completed_is_named(
    silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provision, "CONNECT_BOUND", 0.5)
    address = provision.Address("root", "127.0.0.1", silent)
    with pytest.raises(MachineError, match=r"the key exchange was not complete after 0\.5 s"):
        provision.provision(address, desktop_user="user", password="x", say=print)
