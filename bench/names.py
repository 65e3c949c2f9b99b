"""Cost of naming the blocks of a checkpoint, compared with other hash functions."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from functools import partial

import numpy as np
from rich.console import Console

from ambidex.vm.checkpoints.block_names import BLOCK, NAME, Names
from ambidex.vm.checkpoints.pack import checksum
from bench.ledger import Column, Ledger, timed

__all__ = ["names"]

AT_ONCE = 512
"""Number of blocks named at once, as when reading a machine's memory."""


def names(*, blocks: int = 90_000, count: int = 5) -> None:
    """Name `blocks` blocks, as each checkpoint of an episode does; no machine is needed."""
    key = secrets.token_bytes(32)

    def one_by_one(name: Callable[[memoryview], bytes]) -> Callable[[memoryview], object]:
        return lambda part: [name(part[at : at + BLOCK]) for at in range(0, len(part), BLOCK)]

    ways: dict[str, Callable[[memoryview], object]] = {
        "by a secret (ambidex.vm.checkpoints.block_names)": Names.fresh().of,
        "keyed BLAKE2b": one_by_one(
            lambda block: hashlib.blake2b(block, key=key, digest_size=NAME).digest()
        ),
        "SHA-256 after a key": one_by_one(lambda block: hashlib.sha256(key + block).digest()),
        "XXH3, which has no secret": one_by_one(checksum),
    }
    content = np.random.default_rng(0).integers(0, 256, (blocks, BLOCK), dtype=np.uint8)
    flat = content.reshape(-1).data
    parts = [flat[at : at + AT_ONCE * BLOCK] for at in range(0, len(flat), AT_ONCE * BLOCK)]
    ledger = Ledger(["here"])
    for name, way in ways.items():
        values = [timed(partial(_all, way, parts)) for _ in range(count)]
        Column(ledger, "here").add(name, values)
    Console(width=110).print(ledger.table(f"{blocks} blocks named"))


def _all(way: Callable[[memoryview], object], parts: list[memoryview]) -> None:
    for part in parts:
        way(part)
