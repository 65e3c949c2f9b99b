"""The journal: what the door did of late, kept in memory for a post-mortem and written to stderr
for systemd.
"""

from __future__ import annotations

import logging
import sys
from collections import deque

__all__ = ["Journal"]


class Journal(logging.Handler):
    """Keeps the last `size` lines; `text` is all of them."""

    def __init__(self, size: int = 2000) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=size)
        self.setFormatter(
            logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record's line; what matters to the system's journal is passed on."""
        line = self.format(record)
        self._lines.append(line)
        # A line costs the system's journal more than a call costs us: what went well stays here.
        if record.levelno >= logging.WARNING:
            sys.stderr.write(line + "\n")

    def text(self) -> str:
        """Every kept line, oldest first."""
        return "\n".join(self._lines) + "\n"

    @staticmethod
    def installed() -> Journal:
        """A journal that hears everything the guest says, and the warnings of everybody else."""
        journal = Journal()
        logging.basicConfig(level=logging.WARNING, handlers=[journal], force=True)
        logging.getLogger("ambidex.guest").setLevel(logging.INFO)
        return journal
