"""Property tests of every reader of a guest's bytes: it returns a value that can be stored, or
raises a `GuestError`."""

from __future__ import annotations

import base64
import json
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any, cast

import mcp_types
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ambidex.evaluators.bounded import BoundsError, inflate, parse_json, without_surrogates
from ambidex.host import ToolCall
from ambidex.host.client.answers import CommandResult, CompletedCommand, Health, StartedProcess
from ambidex.host.client.frames import Screen
from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import survey
from ambidex.host.errors import GuestError
from ambidex.host.osworld.questions import ANSWERS, QuestionRefusedError, ask
from ambidex.host.untrusted import MalformedError, calls
from ambidex.host.untrusted.parsing import (
    base64_bytes,
    json_value,
    model,
    picture_kind,
    pixels,
    text,
    typed,
)
from tests.support.tables import every_case

SURROGATES = st.text(st.characters(codec=None, categories=["Cs", "Lu", "Nd"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | SURROGATES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SURROGATES, inner, max_size=4),
    max_leaves=12,
)
WRITTEN = JSON.map(json.dumps)
BYTES = st.binary(max_size=200) | WRITTEN.map(str.encode)


def storable(value: object) -> None:
    """Assert that the value is UTF-8, finite, and shallow enough to be written and read again."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    assert json.loads(written.encode().decode()) == value


def read(reader: Callable[..., object], *arguments: object) -> object:
    """The reader's value; None if it raises an error that blames the guest."""
    try:
        return reader(*arguments)
    except GuestError as error:
        str(error).encode()
        return None


@given(BYTES)
@example(b'"\\ud800"')
@example(b'{"\\udfff": ["\\ud83d\\ude00", "\\\\ud800"]}')
@example(b"[1e400]")
@example(b"\xef\xbb\xbf[]")
@example("[]".encode("utf-16"))
def test_parsed_json_can_always_be_stored(content: bytes) -> None:
    storable(read(json_value, content, "it"))


@given(JSON)
def test_ordinary_json_is_parsed_unchanged(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return
    assert json_value(json.dumps(value), "it") == value


@given(SURROGATES)
def test_lone_surrogates_are_escaped_and_other_text_is_unchanged(written: str) -> None:
    clean = without_surrogates(written)
    clean.encode()
    assert without_surrogates(clean) == clean


def test_two_names_with_invalid_unicode_stay_distinct() -> None:
    assert parse_json('{"\\udcfe": 1, "\\udcff": 2}') == {"\\udcfe": 1, "\\udcff": 2}


@pytest.mark.parametrize("kind", [Health, CompletedCommand, StartedProcess])
@given(BYTES)
def test_any_bytes_give_a_model_or_a_malformed_error(kind: Any, content: bytes) -> None:
    parsed = read(model, kind, content, "it")
    if parsed is not None:
        cast(CommandResult, parsed).model_dump_json().encode()


@given(st.binary(max_size=300))
def test_text_never_fails(content: bytes) -> None:
    assert len(text(content, 10)) <= 10
    text(content).encode()


@given(
    st.text(max_size=40) | st.binary(max_size=30).map(lambda raw: base64.b64encode(raw).decode())
)
def test_base64_is_decoded_within_the_bound_or_refused(written: str) -> None:
    parsed = read(base64_bytes, written, 20, "it")
    assert parsed is None or len(cast(bytes, parsed)) <= 22


@given(
    st.binary(max_size=100),
    st.integers(-3, 20),
    st.integers(-3, 20),
    st.sampled_from(["zlib", "raw"]),
)
def test_pixels_match_the_announced_size_or_are_refused(
    body: bytes, width: int, height: int, encoding: str
) -> None:
    for content in (body, zlib.compress(body)):
        parsed = read(pixels, content, encoding, width, height, "it")
        assert parsed is None or len(cast(bytes, parsed)) == width * height * 4


HEADER = st.fixed_dictionaries(
    {},
    optional={
        "id": st.text(max_size=3),
        "size": st.lists(st.integers(-1, 5), min_size=2, max_size=2) | JSON,
        "base": st.sampled_from([None, "", "f"]) | JSON,
        "rect": st.lists(st.integers(-1, 5), min_size=4, max_size=4) | JSON,
        "encoding": st.sampled_from(["zlib", "raw", "lzma"]),
        "waited": JSON,
        "focused": SURROGATES,
    },
)


@given(st.lists(st.tuples(st.booleans(), HEADER, st.binary(max_size=64)), max_size=4))
def test_any_sequence_of_screenshot_answers_is_handled(
    answers: list[tuple[bool, Any, bytes]],
) -> None:
    screen = Screen()
    for unchanged, header, body in answers:
        frame = read(screen.update, unchanged, json.dumps(header), body)
        if frame is not None:
            shown = cast(Any, frame)
            assert len(shown.rgb) == shown.size[0] * shown.size[1] * 3
            storable([shown.waited, shown.focused, shown.still])


@given(
    st.binary(max_size=200) | st.binary(max_size=80).map(lambda rest: b"\x89PNG\r\n\x1a\n" + rest)
)
@example(b"GIF89a" + b"\xff" * 20)
@example(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n")
def test_an_image_of_an_unknown_type_is_refused(content: bytes) -> None:
    assert read(picture_kind, content, "it") in (
        None, "image/png", "image/jpeg", "image/webp", "image/gif",
    )  # fmt: skip


class Printing:
    """A guest whose every program prints the same text."""

    def __init__(self, printed: str) -> None:
        self.ran = CommandResult(returncode=0, stdout=printed)

    def run(self, *args: object, **kwargs: object) -> CommandResult:
        return self.ran


@given(BYTES)
def test_a_malformed_survey_is_refused(content: bytes) -> None:
    guest = cast(Guest, Printing(content.decode("utf-8", "replace")))
    state = read(survey, guest)
    storable(state)


@pytest.mark.parametrize("question", ANSWERS)
@settings(max_examples=30)
@given(value=JSON)
def test_an_answer_with_the_wrong_form_for_its_question_is_refused(
    question: str, value: object
) -> None:
    guest = cast(Guest, Printing(json.dumps({"value": value})))
    try:
        storable(read(ask, guest, question))
    except QuestionRefusedError:
        raise AssertionError("nobody refused") from None


@given(JSON)
def test_a_desktop_refusal_without_code_or_message_is_malformed(value: object) -> None:
    guest = cast(Guest, Printing(json.dumps({"error": value})))
    try:
        assert read(ask, guest, "clock") is None
    except QuestionRefusedError as refused:
        refused.code.encode()


BLOCKS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "resource_link", "strange"])},
    optional={"text": SURROGATES, "data": st.text(max_size=20), "mimeType": st.text(max_size=20)},
)


@given(st.lists(BLOCKS, max_size=3), JSON, st.booleans())
def test_any_tool_result_is_converted_to_our_type(
    blocks: list[Any], value: Any, failed: bool
) -> None:
    result = {"content": blocks, "structuredContent": value, "isError": failed}
    try:
        # As in production: parsed here first, then by the client's own models.
        answer = mcp_types.CallToolResult.model_validate(read(json_value, json.dumps(result), "it"))
    except ValidationError:
        return
    converted = calls.result(ToolCall("one", "a_tool", {}), answer)
    storable([converted.text, converted.error, converted.value, *converted.images])
    assert not failed or converted.error


@given(JSON)
def test_a_listed_tool_without_an_app_is_refused(meta: Any) -> None:
    listed = mcp_types.Tool(name="a", input_schema={}, _meta={"ambidex": meta})
    converted = read(calls.spec, listed)
    assert converted is None or isinstance(cast(Any, converted).app, str)


def test_a_malformed_answer_names_only_the_first_wrong_fields() -> None:
    with pytest.raises(MalformedError, match=r"must be .*; and 97 more") as caught:
        typed(list[int], ["a" * 10_000] * 100, "it")
    assert len(str(caught.value)) < 300


BOMB = zlib.compress(bytes(1 << 26))


@every_case(
    "read",
    [
        lambda: inflate(BOMB, 1 << 20),
        lambda: parse_json(b"[" + b"[]," * 3_000_000 + b"1]"),
        lambda: parse_json(b'"' + b"a" * (1 << 20) + b'"', largest=1 << 20),
        lambda: pixels(b"", "zlib", 1 << 14, 1 << 14, "it"),
        lambda: base64_bytes("A" * (1 << 22), 1 << 20, "it"),
    ],
)
def test_a_refused_answer_takes_no_more_memory_than_was_sent(read: Callable[[], object]) -> None:
    tracemalloc.start()
    try:
        with pytest.raises((BoundsError, MalformedError)):
            read()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 << 20, "what was sent, which is made here, takes half of that"
