"""LiveMCPBench's files for tests: the released ones next to the repository, and a tiny checkout."""

import json
from pathlib import Path
from typing import Any

import pytest

LIVEMCPBENCH = Path(__file__).parents[2].parent / "shared" / "reference-data" / "livemcpbench"

needs_livemcpbench = pytest.mark.skipif(
    not LIVEMCPBENCH.is_dir(), reason=f"no files of LiveMCPBench at {LIVEMCPBENCH}"
)


def annotation(id: str, tools: str, **other: Any) -> dict[str, Any]:
    """A task with two key points whose annotator used these tools (a numbered list)."""
    fields: dict[str, Any] = {
        "task_id": f"{id}-0000-4000-8000-000000000000",
        "Question": "Sum the numbers in /root/txt/numbers.txt and write the sum to /root/txt/sum.",
        "answers": "42",
        "category": "Office",
        "file_name": "/root/txt/numbers.txt",
        "Annotator Metadata": {
            "Steps": "1. Read the numbers\n2. Write the sum",
            "Number of steps": "2",
            "Tools": tools,
            "Number of tools": "1",
        },
    }
    return fields | other


TASKS = (
    annotation("aaaaaaaa", "1. read_file\n2. calculate"),
    annotation("bbbbbbbb", "1. fetch", category="Travel"),
    annotation("cccccccc", "1. get-weread-rank"),
    annotation("dddddddd", "1. conjure"),
)
SERVERS = {
    "filesystem": ["read_file", "write_file"],
    "calculator": ["calculate"],
    "fetch": ["fetch"],
    "trends-hub": ["get-weread-rank"],
}


def write_checkout(folder: Path, *tasks: dict[str, Any]) -> Path:
    """Write a checkout with these tasks, by default one of each kind; returns its folder."""
    data, tools = folder / "annotated_data", folder / "tools" / "LiveMCPTool"
    (data / "txt").mkdir(parents=True)
    tools.mkdir(parents=True)
    (data / "txt" / "numbers.txt").write_text("40\n2\n", encoding="utf-8")
    (data / "all_annotations.json").write_text(json.dumps(tasks or TASKS), encoding="utf-8")
    entries = [
        {
            "name": server.title(),
            "tools": {
                server: {
                    "server_name": server,
                    "tools": [{"name": name, "description": f"To {name}."} for name in names],
                }
            },
        }
        for server, names in SERVERS.items()
    ]
    (tools / "tools.json").write_text(json.dumps(entries), encoding="utf-8")
    return folder
