"""The guest's code as a read-only disk, and as files: guest/, mcp_tools/ and the libraries they
need, for one Python version.

A change of the code makes a new layer in seconds and leaves the tree below as it is.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ambidex.vm.locked import read_lock
from ambidex.vm.process import run
from ambidex.vm.store import cache_folder, digest, once, tree_digest

__all__ = ["PROJECT", "build_layer", "guest_code_digest", "layer_id", "libraries_id", "pack_layer"]

PROJECT = Path(__file__).parents[2]
CODE = ("guest", "mcp_tools")
LOCK = PROJECT / "guest" / "requirements.lock"
SOURCE_ONLY = frozenset(
    {"mouseinfo", "pyautogui", "pygetwindow", "pyrect", "pyscreeze", "pytweening"}
)
"""Libraries whose releases have no wheel. They hold no compiled part."""


def guest_code_digest(code: Path = PROJECT) -> str:
    """Stands for every file of guest/ and mcp_tools/ in `code` as it is now."""
    return tree_digest([code / name for name in CODE])


def layer_id(python: str, code: Path = PROJECT) -> str:
    """The digest of the layer for Python `python`, as the code is now."""
    return digest(python, guest_code_digest(code))


def libraries_id(python: str) -> str:
    """The digest of the libraries for Python `python`, as they are asked for now."""
    return digest(python, LOCK.read_bytes())


def build_layer(
    python: str, *, say: Callable[[str], None], code: Path = PROJECT
) -> tuple[Path, str]:
    """The layer for a guest with Python `python` ("3.11"), made unless it is there; its file and
    digest. `code` is the folder whose guest/ and mcp_tools/ it holds.
    """
    id = layer_id(python, code)
    site = _libraries(python, say)

    def build(staging: Path) -> None:
        say("packing the guest's code")
        tree = staging / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        _assemble(python, site, tree, code)
        out = staging / "layer.squashfs"
        out.unlink(missing_ok=True)
        # Stored rather than squeezed: the guest may be emulated, and its processor is the scarce
        # thing.
        pack = ["mksquashfs", tree, out, "-all-root", "-noappend", "-no-progress", "-comp", "lz4"]
        run(pack, what="packing the guest's code")

    folder = once(cache_folder() / "layers" / id, build, say)
    return folder / "layer.squashfs", id


def pack_layer(python: str, out: Path, *, say: Callable[[str], None]) -> None:
    """The same content as a compressed tar at `out`, for a machine that mounts no layer."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        _assemble(python, _libraries(python, say), tree, PROJECT)
        pack = ["tar", "-C", tree, "--owner=0", "--group=0", "-czf", out, "."]
        run(pack, what="packing the guest's code")


def _assemble(python: str, site: Path, tree: Path, code: Path) -> None:
    shutil.copytree(site, tree / "site", symlinks=True)
    for name in CODE:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(code / name, tree / name, ignore=ignore)
    _compile(python, tree)
    run(["chmod", "-R", "u=rwX,go=rX", tree], what="opening the guest's code")


def _libraries(python: str, say: Callable[[str], None]) -> Path:
    def build(staging: Path) -> None:
        say(f"fetching the guest's libraries for Python {python}")
        wheels, site, wanted = staging / "wheels", staging / "site", staging / "wanted.txt"
        shutil.rmtree(site, ignore_errors=True)
        shutil.rmtree(wheels, ignore_errors=True)
        locked = read_lock(LOCK, python)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        hint = (
            "Is the Python package index reachable, and .venv made by vm/setup.sh? A file that is "
            "not the locked one is refused."
        )
        # A wheel made here fits every Python. It is made by this environment's own setuptools: an
        # isolated build would fetch one, and no hash would be known of that.
        source = [each for each in locked if each.name in SOURCE_ONLY]
        wanted.write_text("\n".join(each.line for each in source), encoding="utf-8")
        run(
            [
                *(*pip, "wheel", "--use-pep517", "--no-build-isolation", "--no-deps"),
                *("--no-binary=:all:", "--require-hashes", "-w", wheels, "-r", wanted),
            ],
            what="building the guest's pure libraries",
            hint=hint,
        )
        ready = [each.line for each in locked if each.name not in SOURCE_ONLY]
        ready += [f"{wheel} --hash=sha256:{_sha256(wheel)}" for wheel in sorted(wheels.iterdir())]
        wanted.write_text("\n".join(ready), encoding="utf-8")
        run(
            [
                *pip,
                "install",
                "--no-compile",
                "--no-deps",  # the lock is complete, and pip would take this Python's markers
                "--only-binary=:all:",
                "--require-hashes",
                f"--python-version={python}",
                "--implementation=cp",
                "--platform=manylinux2014_x86_64",
                "--platform=manylinux_2_28_x86_64",
                f"--target={site}",
                f"--requirement={wanted}",
            ],
            what="fetching the guest's libraries",
            hint=hint,
        )
        shutil.rmtree(wheels)
        wanted.unlink()

    return once(cache_folder() / "libraries" / libraries_id(python), build, say) / "site"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _compile(python: str, tree: Path) -> None:
    """Byte code for the guest's Python, where the host has that version: a guest cannot write it
    itself.
    """
    interpreter = shutil.which(f"python{python}")
    if interpreter is None and sys.version_info[:2] == tuple(map(int, python.split("."))):
        interpreter = sys.executable
    if interpreter is None:
        return
    # Checked by hash, not by time: a read-only layer's times say nothing.
    subprocess.run(
        [
            *(interpreter, "-m", "compileall", "-q", "-j", "0"),
            *("--invalidation-mode", "unchecked-hash"),
            *("-s", str(tree), "-p", "/opt/ambidex", str(tree)),
        ],
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
