"""Runs cases with OSWorld's own functions, in OSWorld's environment: one JSON object per line.

`python child.py DIR` reads `{"metric", "result", "expected"?, "options"}` and writes
`{"kind", "score", "said"}`. Some packages for models and services are not installed: cases that
need one are `unavailable`. Standard library only, because OSWorld's environment is not ours.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import math
import os
import sys
import types
import warnings
from typing import Any

ABSENT = ("easyocr", "playwright", "pydrive", "torch", "transformers", "borb", "acoustid")


class UnavailableError(BaseException):
    """Upstream needs a missing package; a `BaseException`, so that it is not caught."""


def stub(name: str) -> None:
    """Install a module of this name whose attributes raise `UnavailableError` when called."""

    def missing(attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)

        def call(*args: object, **words: object) -> object:
            raise UnavailableError(f"{name}.{attribute}")

        return call

    module = types.ModuleType(name)
    vars(module).update(__path__=[], __getattr__=missing)  # a path makes it a package
    sys.modules[name] = module


def answer(function: object, request: dict[str, Any]) -> dict[str, Any]:
    """Run one of upstream's functions."""
    arguments = [request["result"]] + ([request["expected"]] if "expected" in request else [])
    try:
        score = function(*arguments, **request["options"])  # type: ignore[operator]
        number = 0.0 if score is None else float(score)
    except UnavailableError as error:
        return {"kind": "unavailable", "score": 0.0, "said": str(error)}
    except BaseException as error:  # anything raised would end a run of OSWorld
        if isinstance(error, KeyboardInterrupt):
            raise
        return {"kind": "raised", "score": 0.0, "said": f"{type(error).__name__}: {error}"[:300]}
    if not math.isfinite(number):
        return {"kind": "score", "score": str(number), "said": ""}
    return {"kind": "score", "score": number, "said": "None" if score is None else ""}


def main() -> None:
    """Answer until the input ends."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # upstream prints
    sys.path.insert(0, sys.argv[1])
    for name in ABSENT:
        if importlib.util.find_spec(name) is None:
            stub(name)
    from desktop_env.evaluators import metrics  # type: ignore[import-not-found]

    answers.write('"ready"\n')
    answers.flush()
    for line in sys.stdin:
        request = json.loads(line)
        function = getattr(metrics, request["metric"], None)
        if function is None:
            result = {"kind": "unavailable", "score": 0.0, "said": "upstream has no such function"}
        else:
            result = answer(function, request)
        answers.write(json.dumps(result) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
