"""Fixtures that create evidence folders and judge them as a task would."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.evaluators import Score
from ambidex.evaluators.registry import bind

Judge = Callable[..., Score]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Judge the test's folder as a task would: by evaluator name, with arguments as data."""

    def run(use: str, **arguments: object) -> Score:
        return bind(use, arguments, folder=tmp_path)(tmp_path)

    return run


@pytest.fixture
def package(tmp_path: Path) -> Callable[..., Path]:
    """Write an office package with the given members."""

    def write(name: str, members: dict[str, bytes]) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        return path

    return write
