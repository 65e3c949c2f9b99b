"""Tables of cases that one test checks: an item of pytest costs more than most cases do."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

__all__ = ["every_case"]

Test = Callable[..., None]
Ids = Callable[[Any], object] | Iterable[str]


def every_case(
    names: str | Sequence[str], table: Iterable[Any], ids: Ids | None = None
) -> Callable[[Test], Test]:
    """Check all cases of a table in one test, which names every case that fails.

    The arguments are those of `pytest.mark.parametrize`, and a test reads the same with either.
    Each case has a `tmp_path` of its own, an empty `capsys` and a `monkeypatch` that is undone
    after it. All cases share the other fixtures, so a test that changes what a fixture made needs
    `parametrize`.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    cases = [*_named(columns, table, ids)]
    assert cases, "a table without cases checks nothing"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def check_all(**fixtures: Any) -> None:
            failures = []
            for number, (name, values) in enumerate(cases):
                reason = _check(test, {**fixtures, **values}, number)
                if reason:
                    failures.append(f"[{name}] {reason}")
            if failures:
                shown = "\n".join(failures)
                pytest.fail(f"{len(failures)} of {len(cases)} cases fail:\n{shown}", pytrace=False)

        signature = inspect.signature(test)
        left = [value for key, value in signature.parameters.items() if key not in columns]
        assert len(left) == len(signature.parameters) - len(columns), f"no parameters: {columns}"
        check_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return check_all

    return decorate


def _named(
    columns: list[str], table: Iterable[Any], ids: Ids | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    given = None if ids is None or callable(ids) else iter(ids)
    for row in table:
        values = (row,) if len(columns) == 1 else tuple(row)
        if given is not None:
            name = next(given)
        else:
            name = ", ".join(_short(ids(value) if callable(ids) else value) for value in values)
        yield name, dict(zip(columns, values, strict=True))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else getattr(value, "__name__", "") or repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _check(test: Test, given: dict[str, Any], number: int) -> str:
    """Why a case fails; nothing if it holds."""
    if "tmp_path" in given:
        own: Path = given["tmp_path"] / str(number)
        own.mkdir()
        given["tmp_path"] = own
    if "capsys" in given:
        given["capsys"].readouterr()
    try:
        with pytest.MonkeyPatch.context() as patch:
            if "monkeypatch" in given:
                given["monkeypatch"] = patch
            test(**given)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == inspect.unwrap(test).__code__.co_filename
        ]
        return f"line {lines[-1]}: {type(error).__name__}: {error}" if lines else repr(error)
    return ""
