"""What is written to a terminal: all of it goes through here.

Much of it was written by others: reasons quote evidence, tables name tools and files, errors end
with lines of a guest's console. A terminal obeys the control characters in it (titles, colours,
the clipboard, answers typed as if by the user), and text in the other direction hides what it says.
So they are shown as what they are, `\\x1b`, and markup is text.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

__all__ = ["Terminal", "echo", "one_line", "print_json", "visible", "visible_json"]

UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, and a carriage return, which writes over a line
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the other direction
    "\u200b\u2028\u2029\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb"  # unseen, or line ends
    "\ud800-\udfff"  # halves of characters, which no terminal can be sent
    "\U000e0000-\U000e007f"  # unseen copies of ASCII
    "]"
)
"""What a terminal obeys, reorders or does not show; not the tab and the line feed."""


def visible(text: str) -> str:
    """The text with every such character written as Python does: `\\x1b`, `\\u202e`."""
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """The same, and a line feed too: what is quoted cannot pass for a line of ours."""
    return visible(text).replace("\n", "\\n")


def visible_json(value: object) -> str:
    """JSON that means the same and holds none of those characters."""
    said = json.dumps(value, indent=1, ensure_ascii=False)
    return UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], said)


def echo(text: object = "", *, error: bool = False, end: str = "\n") -> None:
    """Print to the standard output, or to the standard error."""
    print(visible(str(text)), file=sys.stderr if error else sys.stdout, end=end)


def print_json(value: object) -> None:
    """Print a value to the standard output, for another program to read."""
    print(visible_json(value))


class Terminal(Console):
    """rich's, for text by others: no markup is read in it unless that is asked for."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """See rich; its own control codes are segments of another kind."""
        for segment in super().render(renderable, options):
            if segment.control or not UNSAFE.search(segment.text):
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)
