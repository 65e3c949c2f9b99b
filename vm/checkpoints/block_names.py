"""Names of blocks: a keyed 16-byte hash of the content that a guest cannot make collide.

A guest chooses what is in its memory and on its disk, and blocks with the same name are stored
once. With a public hash, a guest could prepare two blocks with one name, and a fork of the
checkpoint would get the wrong one. So names depend on a secret that never enters a guest.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

__all__ = ["BLOCK", "NAME", "Names", "stored_names"]

BLOCK = 4096
"""Length of a block in bytes."""
NAME = 16
"""Length of a block's name in bytes."""
SECRET = 32
"""Length of the secret in bytes."""
NONCE = bytes(12)


class Names:
    """Names blocks with a secret: without it, nobody can find two blocks with the same name.

    GHASH is a polynomial evaluated at a secret point: for any two blocks prepared without having
    seen names, the probability that they share one is below 257 in 2^128. The tag of AES-GCM under
    a fixed nonce is GHASH plus a constant. AES under a second key then hides it, so that names
    reveal which blocks are equal and nothing about the secret. At every checkpoint an agent waits
    until 90,000 blocks are named: keyed BLAKE2b takes four times as long (`python -m bench names`),
    and keyed XXH3, which is faster, gives no guarantee against somebody who searches for
    collisions.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) != SECRET:
            raise ValueError(f"a secret has {SECRET} bytes, this one has {len(secret)}")
        half = SECRET // 2
        self._tag = AESGCM(secret[:half]).encrypt
        self._hidden = Cipher(algorithms.AES(secret[half:]), modes.ECB())  # one block is one name

    @classmethod
    def fresh(cls) -> Names:
        """Names under a new secret, which is not stored."""
        return cls(secrets.token_bytes(SECRET))

    def of(self, blocks: bytes | memoryview) -> list[bytes]:
        """The names of these consecutive blocks, in order."""
        tag = self._tag
        tags = [tag(NONCE, b"", blocks[at : at + BLOCK]) for at in range(0, len(blocks), BLOCK)]
        joined = self._hidden.encryptor().update(b"".join(tags))
        return [joined[at : at + NAME] for at in range(0, len(joined), NAME)]


def stored_names(path: Path) -> Names:
    """Names under the secret in the file `path`, which is created, readable by its owner alone, if
    it does not exist. `ValueError` if the file is not a secret. The caller must hold a lock.
    """
    if not path.exists():
        partial = path.with_name(f".{path.name}.partial")
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        partial.write_bytes(secrets.token_bytes(SECRET))
        partial.rename(path)
    return Names(path.read_bytes())
