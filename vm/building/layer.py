"""Builds layers: guest/, mcp_tools/ and their libraries, as a read-only disk and as files.

A layer is for one Python version. A change of the code makes a new layer in seconds and leaves the
base as it is.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.locked import read_lock
from ambidex.vm.process import run
from ambidex.vm.store import cache_folder, digest, once, tree_digest

__all__ = ["PROJECT", "build_layer", "guest_code_digest", "layer_id", "libraries_id", "pack_layer"]

PROJECT = Path(__file__).parents[2]
CODE = ("guest", "mcp_tools")
FORM = "3"
"""Changes when layers are built in another way."""
LOCK = PROJECT / "guest" / "requirements.lock"
SOURCE_ONLY = frozenset(
    {"mouseinfo", "pyautogui", "pygetwindow", "pyrect", "pyscreeze", "pytweening"}
)
"""Libraries that are released without wheels. They are pure Python."""


def guest_code_digest(code: Path = PROJECT) -> str:
    """A digest of the present content of guest/ and mcp_tools/ in `code`."""
    return tree_digest([code / name for name in CODE])


def layer_id(python: str, code: Path = PROJECT) -> str:
    """The id of the layer of the present code for Python `python`."""
    return digest(python, FORM, guest_code_digest(code))


def libraries_id(python: str) -> str:
    """The id of the libraries that are locked at present, for Python `python`."""
    return digest(python, LOCK.read_bytes())


def build_layer(
    python: str,
    *,
    say: Callable[[str], None],
    code: Path = PROJECT,
    image_tree: Path | None = None,
) -> tuple[Path, str]:
    """The file and id of the layer for Python `python` ("3.11"), built if it does not exist.

    `code` is the folder that contains guest/ and mcp_tools/; `image_tree` is that of the image's
    files, whose Python compiles the code.
    """
    id = layer_id(python, code)
    site = _libraries(python, say)

    def build(staging: Path) -> None:
        say("packing the guest's code")
        tree = staging / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        _assemble(python, site, tree, code, image_tree)
        out = staging / "layer.squashfs"
        out.unlink(missing_ok=True)
        # lz4 compresses less but decompresses fast: the guest's processor may be emulated.
        pack = ["mksquashfs", tree, out, "-all-root", "-noappend", "-no-progress", "-comp", "lz4"]
        run(pack, what="packing the guest's code")

    folder = once(cache_folder() / "layers" / id, build, say)
    return folder / "layer.squashfs", id


def pack_layer(python: str, out: Path, *, say: Callable[[str], None]) -> None:
    """Write a layer's content as a compressed tar to `out`, for machines without a layer disk."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        _assemble(python, _libraries(python, say), tree, PROJECT, None)
        pack = ["tar", "-C", tree, "--owner=0", "--group=0", "-czf", out, "."]
        run(pack, what="packing the guest's code")


def _assemble(python: str, site: Path, tree: Path, code: Path, image_tree: Path | None) -> None:
    shutil.copytree(site, tree / "site", symlinks=True)
    for name in CODE:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(code / name, tree / name, ignore=ignore)
    _store_schemas(tree / "mcp_tools")
    _compile(python, tree, image_tree)
    run(["chmod", "-R", "u=rwX,go=rX", tree], what="making the guest's code readable")


def _store_schemas(tools: Path) -> None:
    """Write the file that `mcp_tools.SCHEMAS` names, from the text of the tools' declarations.

    Where a declaration cannot be read, there is no file, and the guest makes the schemas itself.
    """
    read = subprocess.run(
        [sys.executable, "-m", "ambidex.mcp_tools.declarations", tools],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    if read.returncode == 0:
        schemas = {tool["name"]: tool["parameters"] for tool in json.loads(read.stdout)}
        (tools / "schemas.json").write_text(json.dumps(schemas), encoding="utf-8")


def _libraries(python: str, say: Callable[[str], None]) -> Path:
    def build(staging: Path) -> None:
        say(f"fetching the guest's libraries for Python {python}")
        wheels, site = staging / "wheels", staging / "site"
        requirements = staging / "requirements.txt"
        shutil.rmtree(site, ignore_errors=True)
        shutil.rmtree(wheels, ignore_errors=True)
        locked = read_lock(LOCK, python)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        hint = (
            "Is the Python package index reachable, and was .venv made by vm/setup.sh? Files that "
            "do not match the lock's hashes are refused."
        )
        # These wheels fit every Python. They are built with this environment's setuptools: an
        # isolated build would download one without a known hash.
        from_source = [package.line for package in locked if package.name in SOURCE_ONLY]
        requirements.write_text("\n".join(from_source), encoding="utf-8")
        run(
            [
                *(*pip, "wheel", "--use-pep517", "--no-build-isolation", "--no-deps"),
                *("--no-binary=:all:", "--require-hashes", "-w", wheels, "-r", requirements),
            ],
            what="building the guest's pure libraries",
            hint=hint,
        )
        lines = [package.line for package in locked if package.name not in SOURCE_ONLY]
        lines += [f"{wheel} --hash=sha256:{_sha256(wheel)}" for wheel in sorted(wheels.iterdir())]
        requirements.write_text("\n".join(lines), encoding="utf-8")
        run(
            [
                *pip,
                "install",
                "--no-compile",
                "--no-deps",  # the lock is complete; pip would evaluate markers for this Python
                "--only-binary=:all:",
                "--require-hashes",
                f"--python-version={python}",
                "--implementation=cp",
                "--platform=manylinux2014_x86_64",
                "--platform=manylinux_2_28_x86_64",
                f"--target={site}",
                f"--requirement={requirements}",
            ],
            what="fetching the guest's libraries",
            hint=hint,
        )
        shutil.rmtree(wheels)
        requirements.unlink()

    return once(cache_folder() / "libraries" / libraries_id(python), build, say) / "site"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _compile(python: str, tree: Path, image_tree: Path | None) -> None:
    """Compile the byte code, which guests cannot write: by the image's own Python if its files are
    here, else by one of that version on this computer, if it has one.
    """
    if image_tree is not None:
        interpreter: list[str | Path] = [
            *("bwrap", "--ro-bind", image_tree, "/", "--bind", tree, "/opt/ambidex"),
            *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "/usr/bin/python3"),
        ]
        folder = ["/opt/ambidex"]
    else:
        path = shutil.which(f"python{python}")
        if path is None and sys.version_info[:2] == tuple(map(int, python.split("."))):
            path = sys.executable
        if path is None:
            return
        interpreter = [path]
        folder = ["-s", str(tree), "-p", "/opt/ambidex", str(tree)]
    # By hash and not by time: file times in a read-only layer mean nothing.
    subprocess.run(
        [
            *(*interpreter, "-m", "compileall", "-q", "-j", "0"),
            *("--invalidation-mode", "unchecked-hash", *folder),
        ],
        check=False,  # files of libraries for other versions of Python do not compile
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if image_tree is not None and not next(tree.glob("guest/__pycache__/*.pyc"), None):
        raise MachineError(
            f"the guest's code could not be compiled by the Python in {image_tree}",
            hint="`ambidex doctor` says what this machine lacks.",
        )
