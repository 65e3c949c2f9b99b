"""Each reader of a guest's bytes, fed with bytes that nobody thought of: it gives a value that can
be stored, or raises a `GuestError`."""

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
from ambidex.host.client.answers import Health, Ran, Started, Whole
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

SURROGATES = st.text(st.characters(codec=None, categories=["Cs", "Lu", "Nd"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | SURROGATES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SURROGATES, inner, max_size=4),
    max_leaves=12,
)
WRITTEN = JSON.map(json.dumps)
BYTES = st.binary(max_size=200) | WRITTEN.map(str.encode)


def storable(value: object) -> None:
    """It is UTF-8, finite, and not too deep to be written and read again."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    assert json.loads(written.encode().decode()) == value


def read(reader: Callable[..., object], *given: object) -> object:
    """What the reader gives; None where it says that it is the guest's fault."""
    try:
        return reader(*given)
    except GuestError as error:
        str(error).encode()
        return None


@given(BYTES)
@example(b'"\\ud800"')
@example(b'{"\\udfff": ["\\ud83d\\ude00", "\\\\ud800"]}')
@example(b"[1e400]")
@example(b"\xef\xbb\xbf[]")
@example("[]".encode("utf-16"))
def test_json_is_read_as_what_can_be_stored(content: bytes) -> None:
    storable(read(json_value, content, "it"))


@given(JSON)
def test_json_without_oddities_is_read_as_it_is(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return
    assert json_value(json.dumps(value), "it") == value


@given(SURROGATES)
def test_a_text_without_surrogates_is_utf_8_and_others_stay_as_they_are(written: str) -> None:
    clean = without_surrogates(written)
    clean.encode()
    assert without_surrogates(clean) == clean


def test_two_names_that_are_no_unicode_stay_two() -> None:
    assert parse_json('{"\\udcfe": 1, "\\udcff": 2}') == {"\\udcfe": 1, "\\udcff": 2}


@pytest.mark.parametrize("kind", [Health, Whole, Started])
@given(BYTES)
def test_models_are_read_from_anything(kind: Any, content: bytes) -> None:
    found = read(model, kind, content, "it")
    if found is not None:
        cast(Ran, found).model_dump_json().encode()


@given(st.binary(max_size=300))
def test_text_never_fails(content: bytes) -> None:
    assert len(text(content, 10)) <= 10
    text(content).encode()


@given(
    st.text(max_size=40) | st.binary(max_size=30).map(lambda raw: base64.b64encode(raw).decode())
)
def test_base64_is_bytes_within_the_bound_or_refused(written: str) -> None:
    found = read(base64_bytes, written, 20, "it")
    assert found is None or len(cast(bytes, found)) <= 22


@given(
    st.binary(max_size=100),
    st.integers(-3, 20),
    st.integers(-3, 20),
    st.sampled_from(["zlib", "raw"]),
)
def test_pixels_are_as_many_as_announced_or_refused(
    body: bytes, width: int, height: int, encoding: str
) -> None:
    for content in (body, zlib.compress(body)):
        found = read(pixels, content, encoding, width, height, "it")
        assert found is None or len(cast(bytes, found)) == width * height * 4


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
def test_a_screen_takes_any_sequence_of_answers(answers: list[tuple[bool, Any, bytes]]) -> None:
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
def test_a_picture_has_a_known_type_or_is_refused(content: bytes) -> None:
    assert read(picture_kind, content, "it") in (
        None, "image/png", "image/jpeg", "image/webp", "image/gif",
    )  # fmt: skip


class Printing:
    """A guest whose every program prints that."""

    def __init__(self, printed: str) -> None:
        self.ran = Ran(returncode=0, stdout=printed)

    def run(self, *args: object, **kwargs: object) -> Ran:
        return self.ran


@given(BYTES)
def test_a_survey_is_names_and_states_or_refused(content: bytes) -> None:
    guest = cast(Guest, Printing(content.decode("utf-8", "replace")))
    found = read(survey, guest)
    storable(found)


@pytest.mark.parametrize("question", ANSWERS)
@settings(max_examples=30)
@given(value=JSON)
def test_an_answer_of_the_desktop_has_the_form_of_its_question(
    question: str, value: object
) -> None:
    guest = cast(Guest, Printing(json.dumps({"value": value})))
    try:
        storable(read(ask, guest, question))
    except QuestionRefusedError:
        raise AssertionError("nobody refused") from None


@given(JSON)
def test_a_refusal_of_the_desktop_has_a_code_and_a_message(value: object) -> None:
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
def test_any_result_of_a_tool_is_one_of_ours(blocks: list[Any], value: Any, failed: bool) -> None:
    said = {"content": blocks, "structuredContent": value, "isError": failed}
    try:
        # As it comes from the connection: read once, and then by the client's own models.
        answer = mcp_types.CallToolResult.model_validate(read(json_value, json.dumps(said), "it"))
    except ValidationError:
        return
    found = calls.result(ToolCall("one", "a_tool", {}), answer)
    storable([found.text, found.error, found.value, *found.images])
    assert not failed or found.error


@given(JSON)
def test_any_tool_that_is_listed_has_an_app(meta: Any) -> None:
    listed = mcp_types.Tool(name="a", input_schema={}, _meta={"ambidex": meta})
    found = read(calls.spec, listed)
    assert found is None or isinstance(cast(Any, found).app, str)


def test_a_wrong_form_names_the_first_fields_alone() -> None:
    with pytest.raises(MalformedError, match=r"Input should be .*; and 97 more") as caught:
        typed(list[int], ["a" * 10_000] * 100, "it")
    assert len(str(caught.value)) < 300


BOMB = zlib.compress(bytes(1 << 26))


@pytest.mark.parametrize(
    "read",
    [
        lambda: inflate(BOMB, 1 << 20),
        lambda: parse_json(b"[" + b"[]," * 3_000_000 + b"1]"),
        lambda: parse_json(b'"' + b"a" * (1 << 20) + b'"', largest=1 << 20),
        lambda: pixels(b"", "zlib", 1 << 14, 1 << 14, "it"),
        lambda: base64_bytes("A" * (1 << 22), 1 << 20, "it"),
    ],
)
def test_what_is_refused_takes_no_memory_beyond_what_was_sent(read: Callable[[], object]) -> None:
    tracemalloc.start()
    try:
        with pytest.raises((BoundsError, MalformedError)):
            read()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 << 20, "what was sent, which is made here, takes half of that"
