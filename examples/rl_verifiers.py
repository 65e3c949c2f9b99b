"""A scripted policy on desktops as an environment of verifiers, in an environment of its own.

pip install "$(ambidex bridge --client)[verifiers]"
ambidex bridge tasks/demo --provider sandbox --json bridge.json
AMBIDEX_BRIDGE=bridge.json python examples/rl_verifiers.py            50 episodes
"""

from __future__ import annotations

import json
import sys

import httpx
import verifiers as vf
from openai import AsyncOpenAI

POLICY = [
    ("gnome_set_dark_style", {"enable": True}),
    ("os_change_text_scale", {"new_scale": 1.25}),
    ("os_set_do_not_disturb", {"enable": True}),
    ("done", {}),
]


def answer(request: httpx.Request) -> httpx.Response:
    """The policy's next call, as a model's answer: one for each turn so far."""
    messages = json.loads(request.content)["messages"]
    name, arguments = POLICY[sum(message["role"] == "assistant" for message in messages)]
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": name, "type": "function", "function": function}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    head = {"id": "1", "object": "chat.completion", "created": 0, "model": "script"}
    return httpx.Response(200, json={**head, "choices": [choice]})


def main(episodes: int) -> float:
    """Play, and return the mean reward."""
    transport = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    client = vf.OpenAIChatCompletionsClient(AsyncOpenAI(api_key="none", http_client=transport))
    env = vf.load_environment("ambidex-desktop", tasks=["gnome-evening"])
    results = env.evaluate_sync(client, "script", rollouts_per_example=episodes)
    if failed := [output for output in results["outputs"] if output["error"]]:
        raise SystemExit(f"{len(failed)} of {episodes} episodes failed: {failed[0]['error']}")
    return float(results["metadata"]["avg_reward"])


if __name__ == "__main__":
    print(f"mean reward: {main(int(sys.argv[1]) if sys.argv[1:] else 50):.3f}")
