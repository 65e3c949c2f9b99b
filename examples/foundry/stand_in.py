"""A stand-in for the model of the tool foundry: its answers are files, imperfect on purpose.

    python -m examples.foundry.stand_in     then: ambidex toolgen propose … --model openai/careful

`answers/<model>/<candidate>.md` contains the answers of a model about a candidate, which is
recognized by a line of the conversation (`knows:`), one section per answer: `## propose 2` is
the second answer of the stage propose, and the last one is repeated. `careful` makes good tools,
though not at the first attempt; `hasty` fits its tool to the one case; `idle` reports success and
does nothing; `copycat` duplicates an existing tool; `sly` looks for the token.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

ANSWERS = Path(__file__).parent / "answers"
PORT = 8701
STAGES = {
    "You solve a task on a Linux desktop by writing code": "propose",
    "You have solved this task with code": "filter",
    "You turn working code into one tool": "wrap",
}
"""The start of each stage's prompt."""
AGAIN = "Your last draft was:"
SECTION = re.compile(r"^## (\w+) (\d+)\n", re.MULTILINE)


def next_answer(model: str, messages: list[dict[str, Any]]) -> str:
    """The next answer of a model; `LookupError` if it has none."""
    text = json.dumps(messages, ensure_ascii=False)
    stage = next(name for begins, name in STAGES.items() if begins in text)
    number = 1 + sum(message["role"] == "assistant" for message in messages) + text.count(AGAIN)
    for file in sorted((ANSWERS / model).glob("*.md")):
        head, *parts = SECTION.split(file.read_text(encoding="utf-8"))
        if head.removeprefix("knows:").strip() not in text:
            continue
        answers: list[str] = [
            answer
            for name, count, answer in zip(*[iter(parts)] * 3, strict=True)
            if name == stage and int(count) <= number
        ]
        if answers:
            return answers[-1].strip() + "\n"
    raise LookupError(f"{model} has no answer {number} for {stage}")


async def answer(request: Request) -> Response:
    """Answer like OpenAI's chat completions. Four characters count as a token."""
    body = await request.json()
    model = str(body["model"]).rpartition("/")[2]
    try:
        text = next_answer(model, body["messages"])
    except LookupError as error:
        return JSONResponse({"error": {"message": str(error), "type": "stand_in"}}, 404)
    counted = len(json.dumps(body["messages"])) // 4, len(text) // 4
    usage = {
        "prompt_tokens": counted[0],
        "completion_tokens": counted[1],
        "total_tokens": sum(counted),
    }
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "stand-in", "object": "chat.completion", "created": 0, "model": body["model"]}
    return JSONResponse({**head, "choices": [choice], "usage": usage})


def app() -> Starlette:
    """The server's application."""
    return Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else PORT
    print(f"serving a stand-in for a model at http://127.0.0.1:{port}/v1; stop it with Ctrl-C")
    uvicorn.run(app(), host="127.0.0.1", port=port, log_level="warning")
