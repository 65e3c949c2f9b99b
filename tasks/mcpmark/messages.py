"""The conversation as MCPMark's verifiers read it, in the file that `MCP_MESSAGES` names."""

from __future__ import annotations

import json
from collections.abc import Sequence

__all__ = ["conversation"]


def conversation(instruction: str, replies: Sequence[str]) -> str:
    """The JSON text of `messages.json`: the instruction, and what the agent said, in order. The
    verifiers take the last reply as the answer."""
    messages: list[dict[str, object]] = [{"role": "user", "content": instruction}]
    messages += [
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": reply}],
        }
        for reply in replies
    ]
    return json.dumps(messages, ensure_ascii=False)
