"""Parsing Python from a model or a guest: in several threads, and within bounds."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ambidex.evaluators.bounded import BoundsError, parse_expression, parse_python

CALLS = "x = [" + ", ".join(f"f({number})" for number in range(300)) + "]"


@pytest.fixture
def another_thread_during_collections() -> Iterator[None]:
    """Python's garbage collector runs often, and another thread goes on while it does."""

    def give_way(phase: str, info: dict[str, int]) -> None:
        time.sleep(0.0005)

    thresholds = gc.get_threshold()
    gc.callbacks.append(give_way)
    gc.set_threshold(100)
    yield
    gc.set_threshold(*thresholds)
    gc.callbacks.remove(give_way)


@pytest.mark.usefixtures("another_thread_during_collections")
def test_threads_parse_python_at_the_same_time() -> None:
    """`ast.parse` itself raises `SystemError` here with CPython 3.11."""
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(parse_python, [CALLS] * 12))
    assert [len(tree.body) for tree in trees] == [1] * 12


def test_python_that_is_wrong_too_long_or_too_deep_is_refused() -> None:
    with pytest.raises(BoundsError, match="not Python: invalid syntax"):
        parse_python("x = = 1")
    with pytest.raises(BoundsError, match="length 1048577"):
        parse_python("#" * ((1 << 20) + 1))
    with pytest.raises(BoundsError, match="too many nested"):
        parse_expression("[" * 300 + "]" * 300)
