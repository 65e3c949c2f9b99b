"""Objects that close themselves at the end of a `with` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

__all__ = ["Closing"]


class Closing(ABC):
    """A context manager that calls its own `close` at the end of the block."""

    @abstractmethod
    def close(self) -> None:
        """Release everything it holds. Calling it twice does no harm."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
