"""The names of blocks: 16 bytes that tell equal blocks from others, even where a guest chose them.

A guest decides what is in its memory and on its disk, and a step keeps one copy of the blocks that
share a name. With a public hash, a guest could prepare two blocks of one name, and a fork of the
step would get the wrong one. So names depend on a secret that never enters a guest.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

__all__ = ["BLOCK", "NAME", "Names", "kept_names"]

BLOCK = 4096
NAME = 16
"""Bytes of a block's name."""
SECRET = 32
"""Bytes of the secret."""
NONCE = bytes(12)


class Names:
    """Names blocks by a secret: a hash that nobody without it can find two blocks for.

    GHASH is a polynomial in a secret point: whatever two blocks somebody prepared without having
    seen names, the chance that they share one is below 257 in 2^128. The tag of AES-GCM under a
    fixed nonce is GHASH and a constant; AES under a second key then hides it, so that names that
    are seen say which blocks are equal and nothing of the secret. An agent waits at every step
    until 90,000 blocks have a name: keyed BLAKE2b takes four times as long (`python -m bench
    names`), and XXH3 with a secret, which is faster, promises nothing against somebody who looks
    for collisions.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) != SECRET:
            raise ValueError(f"a secret has {SECRET} bytes, not {len(secret)}")
        half = SECRET // 2
        self._tag = AESGCM(secret[:half]).encrypt
        self._hidden = Cipher(algorithms.AES(secret[half:]), modes.ECB())  # one block is one name

    @classmethod
    def fresh(cls) -> Names:
        """Names under a secret of their own, which nobody keeps."""
        return cls(secrets.token_bytes(SECRET))

    def of(self, blocks: bytes | memoryview) -> list[bytes]:
        """The name of each block in these bytes, in their order."""
        tag = self._tag
        tags = [tag(NONCE, b"", blocks[at : at + BLOCK]) for at in range(0, len(blocks), BLOCK)]
        named = self._hidden.encryptor().update(b"".join(tags))
        return [named[at : at + NAME] for at in range(0, len(named), NAME)]


def kept_names(path: Path) -> Names:
    """Names under the secret in that file, which is made if it is not there, for its owner alone;
    `ValueError` if the file holds something else. Whoever calls holds a lock.
    """
    if not path.exists():
        partial = path.with_name(f".{path.name}.partial")
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        partial.write_bytes(secrets.token_bytes(SECRET))
        partial.rename(path)
    return Names(path.read_bytes())
