"""Who reads the files of the evidence: the guest's collector, or the host from the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from ambidex.host.client.answers import FoundFile, Inventory, Listing

__all__ = ["EvidenceFiles", "FileReader"]


class FileReader(Protocol):
    """Reads files of a guest; `GuestRefusalError` if a path is neither absolute nor in `~`."""

    def find_file(self, path: str) -> FoundFile:
        """The state of a path, with the content if it is a file that the desktop user may read."""

    def list_folder(self, path: str) -> Listing:
        """Every path below a folder; those of folders end in a slash."""

    def inventory(self) -> Inventory:
        """Every file in the desktop user's home and in `/tmp` and `/var/tmp`, with its state."""


@dataclass(frozen=True)
class EvidenceFiles:
    """The files of a guest, with who reads them."""

    reader: FileReader
    by: Literal["collector", "disk"]
    """As in `evaluators.manifest.Source`."""
    home: str = ""
    """The desktop user's home according to the disk; empty where only the session can say."""
