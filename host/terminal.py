"""All output to a terminal, with unsafe characters escaped.

Much of the output is untrusted: reasons quote evidence, tables name tools and files, errors end
with lines of a guest's console. Terminals act on control characters (titles, colours, the
clipboard, answers typed as if by the user), and bidirectional text can hide what it says. Such
characters are printed as escapes (`\\x1b`), and markup is printed as text.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

__all__ = ["Terminal", "counted", "echo", "one_line", "print_json", "visible", "visible_json"]

UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, including carriage return (overwrites the line)
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls
    "\u200b\u2028\u2029\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb"  # invisible, or line ends
    "\ud800-\udfff"  # lone surrogates, which cannot be encoded
    "\U000e0000-\U000e007f"  # invisible copies of ASCII
    "]"
)
"""Characters that a terminal acts on, reorders or hides, except tab and line feed."""


def visible(text: str) -> str:
    """The text with unsafe characters as Python escapes: `\\x1b`, `\\u202e`."""
    return UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def counted(count: int, noun: str) -> str:
    """A number of things, such as "1 task" or "2 tasks"; for nouns that only need an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def one_line(text: str) -> str:
    """Like `visible`, with line feeds escaped too, so that quoted text cannot forge a line."""
    return visible(text).replace("\n", "\\n")


def visible_json(value: object) -> str:
    """The value as JSON, with unsafe characters as JSON escapes."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def echo(text: object = "", *, error: bool = False, end: str = "\n") -> None:
    """Print to standard output, or to standard error."""
    print(visible(str(text)), file=sys.stderr if error else sys.stdout, end=end)


def print_json(value: object) -> None:
    """Print a value as JSON to standard output, for another program to read."""
    print(visible_json(value))


class Terminal(Console):
    """A rich console for untrusted text: markup and emoji codes are not interpreted by default."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Escape text segments; rich's own control codes are separate segments and pass."""
        for segment in super().render(renderable, options):
            if segment.control or not UNSAFE.search(segment.text):
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)
