"""`python docs/error_codes.py` prints docs/error-codes.md from the codes of the tools."""

from __future__ import annotations

from ambidex.mcp_tools.error_codes import ErrorCode

HEAD = """# Error codes

An error of a tool has a message for the model and a code for programs. The codes are those of
`mcp_tools/error_codes.py`, from which this page is printed:
`python docs/error_codes.py > docs/error-codes.md`. A call of a tool that is not on offer is
refused on the host, before the guest sees it.

| code | meaning |
| --- | --- |
"""


def page() -> str:
    """The page in Markdown."""
    return HEAD + "".join(f"| `{code.value}` | {code.meaning} |\n" for code in ErrorCode)


if __name__ == "__main__":
    print(page(), end="")
