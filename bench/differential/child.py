"""Answers cases with OSWorld's own functions, in OSWorld's environment: a JSON object a line.

`python child.py DIR` reads `{"metric", "result", "expected"?, "options"}` and writes
`{"kind", "score", "said"}`. Models and services that no check needs a network for are absent: what
asks for one is `unavailable`. Standard library only, because OSWorld's environment is not ours.
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
    """Upstream wants what is not installed; not an `Exception`, so that nothing catches it."""


def stub(name: str) -> None:
    """A module of this name whose every attribute is `UnavailableError` when it is called."""

    def missing(attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)

        def call(*args: object, **words: object) -> object:
            raise UnavailableError(f"{name}.{attribute}")

        return call

    module = types.ModuleType(name)
    module.__path__ = []  # type: ignore[attr-defined]  # a package, as far as imports go
    module.__getattr__ = missing
    sys.modules[name] = module


def answer(function: object, asked: dict[str, Any]) -> dict[str, Any]:
    """What one of upstream's functions gives."""
    given = [asked["result"]] + ([asked["expected"]] if "expected" in asked else [])
    try:
        score = function(*given, **asked["options"])  # type: ignore[operator]
        number = 0.0 if score is None else float(score)
    except UnavailableError as error:
        return {"kind": "unavailable", "score": 0.0, "said": str(error)}
    except BaseException as error:  # whatever ends it ends a run of OSWorld
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
        asked = json.loads(line)
        function = getattr(metrics, asked["metric"], None)
        if function is None:
            said = {"kind": "unavailable", "score": 0.0, "said": "upstream has no such function"}
        else:
            said = answer(function, asked)
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
