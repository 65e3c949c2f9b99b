"""New tools: from a draft to a reviewed file in mcp_tools/. So far the gate that every draft
passes.

findings = gate(Path("draft.py"), catalogue)      toolgen.gate: no model, no machine, seconds
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """One thing the gate says of a draft. A refusal must be mended; the rest is for reviewers."""

    line: int
    rule: str
    text: str
    refused: bool = True
