"""In the guest: load a draft and call its tool, or run its tests, and say what came of it.

`python3 runner.py` reads one request as JSON from its standard input and writes the answer after
the mark that the request gave: what a draft prints is no answer. Written for Python 3.10.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DRAFT = "ambidex.mcp_tools.foundry_draft"


def load(path: str, name: str) -> Any:
    """The module of a file, by a name of our choosing."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def known() -> dict[str, Any]:
    """Every tool that the guest serves."""
    found: dict[str, Any] = importlib.import_module("ambidex.mcp_tools.catalogue").tools()
    return dict(found)


def drafted(path: str) -> dict[str, Any]:
    """The tools that a draft adds, by name."""
    before = known()
    load(path, DRAFT)
    after = known()
    return {name: tool for name, tool in after.items() if before.get(name) is not tool}


def failure(error: BaseException) -> dict[str, Any]:
    """As the guest's worker tells it: `tool` is for the model, anything else is a bug."""
    refused = importlib.import_module("ambidex.mcp_tools").ToolError
    if isinstance(error, refused):
        return {"kind": "tool", "code": error.code, "message": str(error)}
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    last = traceback.format_exception_only(type(error), error)[-1].strip()
    return {"kind": "bug", "code": "bug", "message": last, "traceback": trace[-4000:]}


def call(tool: Any, given: dict[str, Any]) -> dict[str, Any]:
    """One call, as the worker makes it: arguments checked, the result as JSON."""
    start = time.monotonic()
    said: dict[str, Any]
    try:
        value = tool.function(**tool.arguments(given))
        if type(value).__name__ == "Picture":
            said = {"value": {"picture": len(value.png)}}
        else:
            said = {"value": tool.returns.dump_python(value, mode="json")}
    except Exception as error:  # noqa: BLE001  the border: the host decides what it means
        said = {"error": failure(error)}
    return {**said, "seconds": round(time.monotonic() - start, 3)}


def described(tool: Any) -> dict[str, Any]:
    """What a model would be told of it."""
    return {
        "name": tool.name,
        "app": tool.app,
        "description": tool.description,
        "parameters": tool.parameters,
        "reads_only": tool.reads_only,
        "timeout": tool.timeout,
    }


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """What is asked: `calls` of the draft's tools, or its `tests`."""
    guard = load(str(HERE / "guard.py"), "foundry_guard")
    # Everything that tools lean on is loaded before the guard looks: a draft answers for itself.
    known()
    importlib.import_module("uno" if importlib.util.find_spec("uno") else "json")
    marks = guard.watch(asked["allowance"])
    try:
        tools = drafted(asked["draft"])
    except Exception as error:  # noqa: BLE001  a draft that cannot be loaded is an answer
        return {"load": failure(error), "marks": marks}
    said: dict[str, Any] = {"tools": [described(tool) for tool in tools.values()], "marks": marks}
    if "tests" in asked:
        tests = load(str(HERE / "tests.py"), "foundry_tests")
        said["tests"] = tests.run(asked["tests"], {**known(), **tools}, call)
    said["calls"] = [
        call(tools[each["call"]], each["with"])
        if each["call"] in tools
        else {"error": {"kind": "bug", "code": "bug", "message": f"no tool {each['call']}"}}
        for each in asked.get("calls", [])
    ]
    return said


def main() -> None:
    """One request, one answer."""
    asked = json.load(sys.stdin)
    told = answer(asked)
    sys.stdout.flush()
    sys.stdout.write("\n" + asked["mark"] + json.dumps(told, default=str) + "\n")
    sys.stdout.flush()
    # Threads that a draft left behind do not hold it up.
    os._exit(0)


if __name__ == "__main__":
    main()
