"""Imports libvirt's Python binding with its log directed to a file."""

from __future__ import annotations

import os

from ambidex.vm.store import cache_folder

# libvirt reads this variable once, when it is loaded. Calls that fail raise exceptions as well.
LOG = cache_folder() / "libvirt.log"
LOG.parent.mkdir(parents=True, exist_ok=True)
os.environ.setdefault("LIBVIRT_LOG_OUTPUTS", f"3:file:{LOG}")

import libvirt  # noqa: E402
import libvirt_qemu  # noqa: E402

__all__ = ["libvirt", "libvirt_qemu"]
