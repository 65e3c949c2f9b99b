"""The door's journal: recent log lines in memory, for diagnosis; warnings also go to stderr."""

from __future__ import annotations

import logging
import sys
from collections import deque

__all__ = ["Journal"]


class Journal(logging.Handler):
    """A log handler that stores the last `size` lines."""

    def __init__(self, size: int = 2000) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=size)
        self.setFormatter(
            logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Store the record's line; pass warnings and errors on to the system's journal."""
        line = self.format(record)
        self._lines.append(line)
        # A line in the system's journal costs more than a call, so successes are not passed on.
        if record.levelno >= logging.WARNING:
            sys.stderr.write(line + "\n")

    def text(self) -> str:
        """All stored lines, oldest first."""
        return "\n".join(self._lines) + "\n"

    @staticmethod
    def installed() -> Journal:
        """Install a journal for all messages of the guest, and warnings of other loggers."""
        journal = Journal()
        logging.basicConfig(level=logging.WARNING, handlers=[journal], force=True)
        logging.getLogger("ambidex.guest").setLevel(logging.INFO)
        return journal
