"""Rank tools for a request in natural language, by BM25 or by a user's embedder."""

from __future__ import annotations

import functools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ambidex.host.models.embedders import Embedder, embedder_of, unit_vectors
from ambidex.tasks import ToolSpec

__all__ = ["knowledge", "ranked", "words"]

Scores = Sequence[Sequence[float]]
"""A row per query, a column per tool: how well the tool matches."""

WORD = re.compile(r"[a-z]{2,}|(?<=[\s\d)])[-+*/^](?=[\s\d(])")
"""Words, and arithmetic operators between numbers or spaces: they may be the only hint at what is
requested."""

CAMEL = re.compile(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*")
"""Words such as tabSize: indexed whole and by their parts."""

HYPHENATED = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)+")
"""Words such as drop-down: indexed whole and by their parts."""

KNOWLEDGE = Path(__file__).with_name("search.toml")


@dataclass(frozen=True)
class Knowledge:
    """The search's vocabulary, from search.toml."""

    apps: dict[str, str]
    """What users call each app and the things it works on."""
    ignored: frozenset[str]
    """Words that say nothing about a tool."""
    synonyms: dict[str, str]
    """From the stem of each word of a group to the stem that represents the group."""
    values: dict[str, re.Pattern[str]]
    """Patterns of values, keyed by the words that describe such a value."""


@functools.cache
def knowledge() -> Knowledge:
    """Load search.toml and the stop words of bm25s."""
    from bm25s.stopwords import STOPWORDS_EN_PLUS  # only this policy needs it

    tables = tomllib.loads(KNOWLEDGE.read_text())
    return Knowledge(
        tables["apps"],
        frozenset([*tables["ignored"], *STOPWORDS_EN_PLUS]),
        {_stem(word): _stem(group[0]) for group in tables["synonyms"] for word in group},
        {words: re.compile(pattern) for words, pattern in tables["values"].items()},
    )


def ranked(
    tools: Sequence[ToolSpec], queries: Sequence[str], embedder: str = ""
) -> list[list[str]]:
    """For each query the names of all tools, best match first; ties are sorted by name.

    Ranks by BM25, or by the vectors of `embedder`: see `host.models.embedders`.
    """
    if not tools:
        return [[] for _ in queries]
    common = _common_parameters(tools)
    texts = [_text(tool, common) for tool in tools]
    if embedder:
        scores = _by_vectors(embedder_of(embedder), texts, queries)
    else:
        scores = _bm25(texts, queries)
    return [
        [tool.name for _, tool in sorted(zip(row, tools, strict=True), key=_best_first)]
        for row in scores
    ]


def _best_first(scored: tuple[float, ToolSpec]) -> tuple[float, str]:
    score, tool = scored
    return -score, tool.name


def _text(tool: ToolSpec, common: frozenset[tuple[str, str]]) -> str:
    """The indexed text of a tool: its name, app, description, parameters and their choices."""
    parts = [tool.name, knowledge().apps.get(tool.app, tool.app), tool.description]
    for name, schema in tool.parameters.get("properties", {}).items():
        if (tool.app, name) not in common:
            parts += [name, *_choices(schema)]
    return ". ".join(parts).replace("_", " ")


def _choices(schema: dict[str, Any]) -> Iterator[str]:
    for part in (schema, *schema.get("anyOf", ())):
        yield from (value for value in part.get("enum", ()) if isinstance(value, str))


def _common_parameters(tools: Sequence[ToolSpec]) -> frozenset[tuple[str, str]]:
    """App and name of each parameter that most tools of the app share: it distinguishes none."""
    sizes = Counter(tool.app for tool in tools)
    counts = Counter(
        (tool.app, name) for tool in tools for name in tool.parameters.get("properties", {})
    )
    return frozenset(pair for pair, count in counts.items() if 2 * count > sizes[pair[0]])


def _bm25(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    import bm25s  # only this policy needs it

    index = bm25s.BM25()
    index.index([words(text) for text in texts], show_progress=False)
    zeros = [0.0] * len(texts)  # bm25s rejects queries without words
    return [index.get_scores(known) if (known := words(query)) else zeros for query in queries]


def words(text: str) -> list[str]:
    """The words of a text that say something about a tool, reduced to stems and synonyms."""
    known = knowledge()
    values = [about for about, pattern in known.values.items() if pattern.search(text)]
    parts = [re.sub(r"(?=[A-Z])", " ", word) for word in CAMEL.findall(text)]
    joined = [word.replace("-", "") for word in HYPHENATED.findall(text)]
    found = WORD.findall(" ".join([text, *values, *parts, *joined]).lower())
    stems = [_stem(word) for word in found if word not in known.ignored]
    return [known.synonyms.get(stem, stem) for stem in stems]


@functools.cache
def _stem(word: str) -> str:
    """The word without plural and tense endings, with British and American spelling unified."""
    stem = re.sub(r"(?<=\w\w\w)(ings?|ed|es|s|e)$", "", re.sub(r"(?<=\w\w)our", "or", word))
    stem = re.sub(r"(?<=\w\w\w)([bdgmnprt])\1$", r"\1", stem)  # formatting, stopped
    stem = re.sub(r"(?<=\w\w)y$", "i", stem)  # copy, copies
    return re.sub(r"tr$", "ter", re.sub(r"(?<=\w\w\w)is$", "iz", stem))  # centre, initialise


def _by_vectors(embed: Embedder, texts: Sequence[str], queries: Sequence[str]) -> Scores:
    vectors = unit_vectors(embed, [*texts, *queries])
    return cast("Scores", vectors[len(texts) :] @ vectors[: len(texts)].T)
