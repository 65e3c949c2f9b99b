"""JSON with comments: parsing, and edits in place."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools.code.jsonc import MalformedJsonError, edit, merge, parse, remove
from tests.support.tables import every_case

KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
LEAVES = st.none() | st.booleans() | st.integers(-9999, 9999) | st.floats(-9, 9) | KEYS
VALUES = st.recursive(
    LEAVES, lambda deeper: st.lists(deeper, max_size=3) | st.dictionaries(KEYS, deeper, max_size=3)
)
WORDS = st.text("ab /*{}[],:\"'\\é漢😀", max_size=8)
GAPS = st.lists(
    st.sampled_from(["", " ", "\t", "\n", "\r\n", "    "])
    | st.builds("//{}\n".format, WORDS)
    | st.builds(lambda words: "/*" + words.replace("/", "") + "*/", WORDS.map(lambda w: w + " ")),
    max_size=3,
).map("".join)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """The value in a random layout, with comments and trailing commas."""
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    parts = []
    for item in value:
        key = ""
        if isinstance(value, dict):
            key, item = json.dumps(item) + draw(GAPS) + ":" + draw(GAPS), value[item]
        parts.append(draw(GAPS) + key + draw(written(item)) + draw(GAPS))
    last = "," if draw(st.booleans()) and parts else ""
    opens, closes = "{}" if isinstance(value, dict) else "[]"
    return opens + ",".join(parts) + last + draw(GAPS) + closes


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """The value and the text of a file."""
    value = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    return value, draw(GAPS) + draw(written(value)) + draw(GAPS)


def comments(text: str) -> list[str]:
    """The comments, found independently of the parser."""
    token = re.compile(r'"(?:[^"\\]|\\.)*"|(//[^\r\n]*|/\*.*?\*/)', re.DOTALL)
    return [item.group(1) for item in token.finditer(text) if item.group(1)]


def stripped(text: str) -> Any:
    """The value by Python's json module, after removing comments and trailing commas."""
    keep = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
    bare = keep.sub(lambda found: found.group(1) or " ", text)
    commas = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])')
    return json.loads(commas.sub(lambda found: found.group(1) or "", bare))


@given(files())
def test_any_layout_is_parsed(file: tuple[dict[str, Any], str]) -> None:
    value, text = file
    assert parse(text) == value == stripped(text)


@given(files(), KEYS, VALUES)
def test_an_edit_sets_one_key_and_leaves_the_rest(
    file: tuple[dict[str, Any], str], key: str, new: Any
) -> None:
    value, text = file
    changed = edit(text, [key], new)
    assert parse(changed) == stripped(changed) == {**value, key: new}
    if not isinstance(value.get(key), (dict, list)):
        assert comments(changed) == comments(text)
    assert edit(changed, [key], new) == changed
    assert edit(text, [key], value[key]) == text if key in value else True


@given(files(), KEYS, KEYS, VALUES)
def test_an_edit_creates_keys_in_nested_objects(
    file: tuple[dict[str, Any], str], key: str, inner: str, new: Any
) -> None:
    value, text = file
    if key in value and not isinstance(value[key], dict):
        with pytest.raises(TypeError):
            edit(text, [key, inner], new)
        return
    changed = edit(text, [key, inner], new)
    assert parse(changed) == {**value, key: {**value.get(key, {}), inner: new}}


@given(files(), st.data())
def test_a_removal_affects_one_key_only(
    file: tuple[dict[str, Any], str], data: st.DataObject
) -> None:
    value, text = file
    key = data.draw(st.sampled_from(sorted(value)) if value else KEYS)
    changed = remove(text, [key])
    assert parse(changed) == {name: item for name, item in value.items() if name != key}
    assert stripped(changed) == parse(changed)
    # Comments inside the removed value are removed; the others stay in order.
    before = iter(comments(text))
    assert all(comment in before for comment in comments(changed))


@given(files(), VALUES)
def test_a_value_is_appended_to_an_array(file: tuple[dict[str, Any], str], new: Any) -> None:
    value, text = file
    text = "[" + text + "]"
    assert parse(edit(text, [1], new)) == [value, new]
    assert parse(remove(edit(text, [1], new), [0])) == [new]


def test_comments_order_and_layout_are_preserved() -> None:
    text = """// Mine.
{
  "editor.fontSize": 14, // large
  /* of the file list */
  "files.exclude": { "**/.git": true },
  "last": [1, 2,] // no comma
}
"""
    text = merge(text, ["files.exclude"], {"**/*.pyc": True})
    text = edit(text, ["editor.fontSize"], 16)
    text = edit(text, ["[python]", "editor.tabSize"], 4)
    assert (
        text
        == """// Mine.
{
  "editor.fontSize": 16, // large
  /* of the file list */
  "files.exclude": { "**/.git": true, "**/*.pyc": true },
  "last": [1, 2,], // no comma
  "[python]": {
    "editor.tabSize": 4
  }
}
"""
    )


@every_case(
    ("text", "made"),
    [
        ("", '{\n    "a": 1\n}\n'),
        ("// empty\n", '// empty\n{\n    "a": 1\n}\n'),
        ("{}", '{\n    "a": 1\n}'),
        ("{\n}\n", '{\n    "a": 1\n}\n'),
        ('{\r\n\t"b": 2,\r\n}\r\n', '{\r\n\t"b": 2,\r\n\t"a": 1,\r\n}\r\n'),
        ("{ // why\n}", '{ // why\n    "a": 1\n}'),
        ('{"a": 0, "a": 5}', '{"a": 0, "a": 1}'),
        ('\ufeff{"b": 2}', '\ufeff{"b": 2, "a": 1}'),
    ],
)
def test_a_key_is_added_in_the_files_own_layout(text: str, made: str) -> None:
    assert edit(text, ["a"], 1) == made
    assert parse(made)["a"] == 1


def test_a_key_is_removed_with_its_line() -> None:
    text = '{\n    "a": 1,\n    // of b\n    "b": 2 // two\n}\n'
    assert remove(text, ["a"]) == '{\n    // of b\n    "b": 2 // two\n}\n'
    assert remove(text, ["b"]) == '{\n    "a": 1\n    // of b\n     // two\n}\n'
    assert remove(text, ["c"]) == text


@every_case(
    ("text", "line", "column", "expected"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, ", or }"),
        ('{"a": }', 1, 7, "a value"),
        ('{"a": 1', 1, 8, ", or }"),
        ('{"a": 1}}', 1, 9, "the end of the file"),
        ("{'a': 1}", 1, 2, 'a key in "" or }'),
        ('{"a": "x\n"}', 1, 7, "a string that ends"),
        ('{"a": 1 /* }', 1, 9, "*/ somewhere after this /*"),
        ("[" * 200, 1, 102, "nesting of at most 100 levels"),
        ("{,}", 1, 2, 'a key in "" or }'),
        ("[1,,2]", 1, 4, "a value"),
        ("{true: 1}", 1, 2, 'a key in "" or }'),
    ],
)
def test_malformed_text_is_refused_with_line_and_column(
    text: str, line: int, column: int, expected: str
) -> None:
    for action in (parse, lambda given: edit(given, ["a"], 1), lambda given: remove(given, ["a"])):
        with pytest.raises(MalformedJsonError) as caught:
            action(text)
        result = caught.value
        assert (result.line, result.column, result.expected) == (line, column, expected)


def test_a_lone_surrogate_can_be_stored() -> None:
    changed = edit("{}", ["a"], "\ud83d")
    assert changed.encode("utf-8")
    assert parse(changed) == {"a": "\ud83d"}
