"""A small MCP server on stdin and stdout: `python small_server.py`."""

from fastmcp import FastMCP

server: FastMCP = FastMCP("small")


@server.tool
def count_words(text: str, least: int = 1) -> int:
    """Count the words of a text with at least so many letters."""
    return sum(len(word) >= least for word in text.split())


@server.tool
def shout(text: str) -> str:
    """Make a text loud."""
    return text.upper()


if __name__ == "__main__":
    server.run("stdio", show_banner=False)
