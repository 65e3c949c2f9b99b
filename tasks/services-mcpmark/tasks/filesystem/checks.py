"""What the verifiers of these tasks share: the files of the setup, and a comparison with them."""

import os
import sys
from pathlib import Path


def originals():
    """The content of each file that the setup put into the work folder, by its path there."""
    return _files(Path(sys.argv[0]).parent / "files")


def finish(expected, wrong=()):
    """Compare the work folder with the expected content of all files, print what is wrong, and
    exit. Text is compared without blanks at line ends and empty lines at the end."""
    folder = Path(os.environ["FILESYSTEM_TEST_DIR"])
    wrong = list(wrong)
    found = _files(folder)
    for path in sorted(found.keys() | expected.keys()):
        if path not in found:
            wrong.append(f"{path} is missing")
        elif path not in expected:
            wrong.append(f"{path} should not be there")
        elif _plain(found[path]) != _plain(expected[path]):
            wrong.append(f"{path} has other content: {_plain(found[path])[:200]!r}")
    wrong += [f"{path} is a link" for path in folder.rglob("*") if path.is_symlink()]
    print("\n".join(wrong) or "all right")
    sys.exit(bool(wrong))


def read(path):
    """The text of a file in the work folder, empty if it is missing."""
    return _files(Path(os.environ["FILESYSTEM_TEST_DIR"])).get(path, b"").decode(errors="replace")


def _files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def _plain(content):
    if isinstance(content, bytes):
        try:
            content = content.decode()
        except UnicodeDecodeError:
            return content
    return "\n".join(line.rstrip() for line in content.splitlines()).rstrip("\n")
