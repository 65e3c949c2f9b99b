"""A forked machine gets a new identity."""

from __future__ import annotations

import base64
import os
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ambidex.guest import identity
from ambidex.guest.guard import Token
from ambidex.guest.identity import Identity, assume, set_clock, write_in_place
from tests.support.tables import every_case

GOOD: dict[str, Any] = {
    "token": "the-token-of-the-clone",
    "clock": 1_800_000_000.5,
    "entropy": base64.b64encode(bytes(32)).decode(),
    "machine_id": "0123456789abcdef" * 2,
}


def test_an_identity_is_read_from_json() -> None:
    assert Identity.model_validate(GOOD).entropy == bytes(32)


@every_case(
    ("field", "value"),
    [
        ("token", "short"),
        ("clock", -1),
        ("entropy", "not base64!"),
        ("entropy", base64.b64encode(b"few").decode()),
        ("machine_id", "0123"),
        ("machine_id", "G" * 32),
        ("hostname", "desk"),
    ],
)
def test_a_wrong_identity_is_refused_before_anything_changes(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        Identity.model_validate({**GOOD, field: value})


def test_parts_that_the_system_does_not_permit_are_reported_and_the_token_is_still_renewed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def forbidden(*arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    # The test must not change the clock or the id of the machine that it runs on.
    monkeypatch.setattr(time, "clock_settime", forbidden)
    monkeypatch.setattr(identity, "write_in_place", forbidden)
    token = Token("the-token-of-the-template", tmp_path / "token")
    assert list(set_clock(Identity.model_validate(GOOD).clock)) == ["clock"]
    assert "machine_id" in assume(Identity.model_validate(GOOD), token)
    assert token.admits(b"Bearer the-token-of-the-clone", "/")
    assert not token.admits(b"Bearer the-token-of-the-template", "/")


def test_a_file_is_overwritten_in_place_and_keeps_its_owner_and_inode(tmp_path: Path) -> None:
    path = tmp_path / "machine-id"
    path.write_text("a much longer text than the new one\n")
    before = os.stat(path).st_ino
    write_in_place(path, "short\n")
    assert path.read_text() == "short\n"
    assert os.stat(path).st_ino == before
