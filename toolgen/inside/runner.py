"""In the guest: loads a draft, calls its tool or runs its tests, and prints the results.

`python3 runner.py` reads one request as JSON from its standard input and prints the answer after
the mark in the request, which separates it from what the draft prints. Written for Python 3.10.
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
    """Import a file as a module with the given name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def catalogue_tools() -> dict[str, Any]:
    """Every tool that the guest serves."""
    tools: dict[str, Any] = importlib.import_module("ambidex.mcp_tools.catalogue").tools()
    return dict(tools)


def draft_tools(path: str) -> dict[str, Any]:
    """The tools that a draft adds, by name."""
    before = catalogue_tools()
    load(path, DRAFT)
    after = catalogue_tools()
    return {name: tool for name, tool in after.items() if before.get(name) is not tool}


def failure(error: BaseException) -> dict[str, Any]:
    """The JSON of a failure. Kind `tool` is a `ToolError`, for the model; kind `bug` is anything
    else."""
    tool_error = importlib.import_module("ambidex.mcp_tools").ToolError
    if isinstance(error, tool_error):
        return {"kind": "tool", "code": error.code, "message": str(error)}
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    last = traceback.format_exception_only(type(error), error)[-1].strip()
    return {"kind": "bug", "code": "bug", "message": last, "traceback": trace[-4000:]}


def call(tool: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make one call as the guest's worker does: with validated arguments and the result as JSON."""
    start = time.monotonic()
    result: dict[str, Any]
    try:
        value = tool.function(**tool.arguments(arguments))
        if type(value).__name__ == "Picture":
            result = {"value": {"picture": len(value.png)}}
        else:
            result = {"value": tool.returns.dump_python(value, mode="json")}
    except Exception as error:  # noqa: BLE001  the boundary: the host decides what it means
        result = {"error": failure(error)}
    return {**result, "seconds": round(time.monotonic() - start, 3)}


def describe(tool: Any) -> dict[str, Any]:
    """A tool's declaration, as a model would see it."""
    return {
        "name": tool.name,
        "app": tool.app,
        "description": tool.description,
        "parameters": tool.parameters,
        "reads_only": tool.reads_only,
        "timeout": tool.timeout,
    }


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer a request, which asks for `calls` of the draft's tools or for its `tests`."""
    guard = load(str(HERE / "guard.py"), "foundry_guard")
    # Load what tools depend on before the hook is installed, so that it sees only the draft.
    catalogue_tools()
    importlib.import_module("uno" if importlib.util.find_spec("uno") else "json")
    marks = guard.watch(request["allowance"])
    try:
        tools = draft_tools(request["draft"])
    except Exception as error:  # noqa: BLE001  a draft that cannot be loaded is an answer
        return {"load": failure(error), "marks": marks}
    results: dict[str, Any] = {
        "tools": [describe(tool) for tool in tools.values()],
        "marks": marks,
    }
    if "tests" in request:
        tests = load(str(HERE / "tests.py"), "foundry_tests")
        results["tests"] = tests.run(request["tests"], {**catalogue_tools(), **tools}, call)
    results["calls"] = [
        call(tools[requested["call"]], requested["with"])
        if requested["call"] in tools
        else {"error": {"kind": "bug", "code": "bug", "message": f"no tool {requested['call']}"}}
        for requested in request.get("calls", [])
    ]
    return results


def main() -> None:
    """Read one request and print its answer."""
    request = json.load(sys.stdin)
    results = answer(request)
    sys.stdout.flush()
    sys.stdout.write("\n" + request["mark"] + json.dumps(results, default=str) + "\n")
    sys.stdout.flush()
    # Do not wait for threads that the draft started.
    os._exit(0)


if __name__ == "__main__":
    main()
