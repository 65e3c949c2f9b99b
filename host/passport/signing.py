"""Signatures of passports, by ssh-keygen: the keys that people have for Git and SSH."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.errors import UsageError
from ambidex.vm import MachineError
from ambidex.vm.process import run, search_path

__all__ = ["NAMESPACE", "Signature", "SignatureError", "check_signature", "sign", "signature_of"]

NAMESPACE = "ambidex-passport"
"""What signatures are made for, so that one made for another purpose is not accepted."""
PROGRAM = "ssh-keygen"


class SignatureError(Exception):
    """A signature is wrong, missing, or by an unknown key."""


@dataclass(frozen=True)
class Signature:
    """A signature that fits the file."""

    key: str
    """Type and fingerprint of the key."""
    signer: str = ""
    """Who signed, by the list of allowed signers; empty without a list."""


def signature_of(file: Path) -> Path:
    """Where the signature of a file is stored."""
    return file.with_name(f"{file.name}.sig")


def sign(file: Path, key: Path) -> Signature:
    """Sign a file with a private key, or with the agent's key that belongs to a public one. An
    earlier signature is replaced. `UsageError` if that is not possible."""
    _require()
    if not key.is_file():
        raise UsageError(f"no such key: {key}", hint="Make one with `ssh-keygen -t ed25519`.")
    signature_of(file).unlink(missing_ok=True)
    try:
        run([PROGRAM, "-Y", "sign", "-n", NAMESPACE, "-f", key, file], what="signing the passport")
    except MachineError as error:
        raise UsageError(
            str(error), hint="Is it a private key, and the passphrase right?"
        ) from None
    return check_signature(file, None)


def check_signature(file: Path, allowed: Path | None) -> Signature:
    """Check the signature of a file. With a list of allowed signers (see `man ssh-keygen`), also
    that one of them signed it. Raises `SignatureError`."""
    _require()
    signature = signature_of(file)
    if not signature.is_file():
        raise SignatureError(f"the passport is not signed: there is no {signature.name}")
    common = ["-n", NAMESPACE, "-s", signature]
    checked = _ask(["check-novalidate", *common], file)
    key = re.search(r"with (\S+) key (\S+)", checked)
    if key is None:
        raise SignatureError(f"the signature does not fit the passport: {_last(checked)}")
    found = f"{key[1]} {key[2]}"
    if allowed is None:
        return Signature(found)
    principals = _ask(["find-principals", "-f", allowed, "-s", signature], file)
    signer = principals.splitlines()[0] if principals.strip() else ""
    answer = _ask(["verify", "-f", allowed, "-I", signer, *common], file) if signer else ""
    if not answer.startswith("Good"):
        raise SignatureError(f"signed with {found}, which is no key of an allowed signer")
    return Signature(found, signer)


def _ask(arguments: list[object], file: Path) -> str:
    """The output of a check of ssh-keygen, whether it succeeds or not."""
    what = "checking the signature"
    try:
        return run([PROGRAM, "-Y", *arguments], what=what, standard_input=file)
    except MachineError as error:
        return f"failed: {_last(str(error))}" if arguments[0] != "find-principals" else ""


def _last(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else "no answer"


def _require() -> None:
    if shutil.which(PROGRAM, path=search_path()) is None:
        raise UsageError(
            f"{PROGRAM} is not installed", hint="Install openssh-client; passports need no other."
        )
