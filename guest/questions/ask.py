"""`python3 -m ambidex.guest.questions.ask`: answer one question from the host about the desktop.
 JSON on standard input, `{"do": ..., "with": {...}}`; JSON on standard output,
`{"value": ...}` or `{"error": {"code", "message", "hint"}}`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from ambidex.mcp_tools import ToolError

__all__ = ["main"]


def verbs() -> dict[str, Callable[..., Any]]:
    """Everything that can be asked."""
    from ambidex.guest.questions import pages, profile, recompute, scene, sites, xml_tree

    asked = (
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
    return {function.__name__: function for function in asked}


def main() -> None:
    """Answer. What goes wrong inside is a traceback and a status that is not 0."""
    asked = json.load(sys.stdin)
    try:
        said: dict[str, Any] = {"value": verbs()[asked["do"]](**asked["with"])}
    except ToolError as error:
        said = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
