"""`python3 -m ambidex.guest.questions.ask`: answers one question of the host about the desktop.

Reads JSON from standard input, `{"do": ..., "with": {...}}`, and writes JSON to standard output,
`{"value": ...}` or `{"error": {"code", "message", "hint"}}`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from ambidex.mcp_tools import ToolError

__all__ = ["main"]


def questions() -> dict[str, Callable[..., Any]]:
    """All questions by name."""
    from ambidex.guest.questions import pages, profile, recompute, scene, sites, xml_tree

    functions = (
        scene.windows, scene.activate, scene.shown_as, scene.close,
        scene.wait_until_gone, scene.wait_until_saved, scene.wait_until_written,
        scene.lacking, scene.listing, scene.desktop, scene.wallpaper, scene.get, scene.clock,
        xml_tree.xml, xml_tree.terminal, xml_tree.address,
        pages.answering, pages.tabs, pages.open_tabs, pages.close_tabs, pages.opened, pages.texts,
        pages.appearance, pages.shown,
        profile.end_browser, profile.profile_json, profile.profile_rows,
        recompute.recompute,
        sites.printed, sites.information, sites.recreation,
    )  # fmt: skip
    return {function.__name__: function for function in functions}


def main() -> None:
    """Answer one question; a bug ends with a traceback and a nonzero status."""
    question = json.load(sys.stdin)
    try:
        answer: dict[str, Any] = {"value": questions()[question["do"]](**question["with"])}
    except ToolError as error:
        answer = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
