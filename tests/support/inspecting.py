"""Evaluations of Inspect with a scripted model."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

__all__ = ["Script", "evaluated", "scripted_model"]

Script = Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]]
"""By a part of the instruction, the calls in order."""


class Scripted(ModelAPI):
    """Answers with the calls of a script. Inspect's own scripted model downloads a tokenizer."""

    def __init__(self, model_name: str, *, script: Script, **other: Any) -> None:
        super().__init__(model_name)
        self._script = script

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        asked = " ".join(message.text for message in input if message.role == "user")
        calls = next(calls for words, calls in self._script.items() if words in asked)
        name, arguments = calls[sum(message.role == "assistant" for message in input)]
        output = ModelOutput.for_tool_call("model", name, dict(arguments))
        output.usage = ModelUsage(input_tokens=60, input_tokens_cache_read=40, output_tokens=5)
        return output


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    return Scripted


def scripted_model(script: Script) -> Model:
    """The model `scripted/model`."""
    return get_model("scripted/model", script=script, memoize=False)


def evaluated(inspected: Task, asked: Model, folder: Path, **options: Any) -> EvalLog:
    """The log of an evaluation, which is stored in the folder too."""
    with warnings.catch_warnings():  # of Inspect's own code
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        [log] = evaluate(
            inspected, model=asked, log_dir=str(folder / "logs"), display="none", **options
        )
        gc.collect()  # of the streams that Inspect leaves open
    return log
