"""A process of the guest, once it has warmed up, is what every fork of its machine begins with."""

from __future__ import annotations

import gc

__all__ = ["settle"]


def settle() -> None:
    """Leave what is in memory now to stay there, out of the garbage collector's sight.

    Otherwise its next full round, in a fork, walks over all of it and writes to every page, each of
    which is copied first.
    """
    gc.collect()
    gc.freeze()
