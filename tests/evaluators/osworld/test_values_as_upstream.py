"""Scores of OSWorld's own functions for texts, values, settings, pages and mail, observed
upstream. One case for each kind of difference that was found."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import UnboundedScore
from ambidex.evaluators.osworld.registry import ENDS, bind_metric
from ambidex.tasks.osworld.judging import clamp, combine
from tests.evaluators.osworld.makers import zipped
from tests.support.tables import every_case

RAISES = "upstream ends in an exception"


def compat(metric: str, result: Any, expected: Any = None, **options: Any) -> float | str:
    """The compat score under a valid rule; `RAISES` if upstream ends in an exception."""
    bound = bind_metric(metric, options)
    if not isinstance(expected, Path | list) or metric == "check_accessibility_tree":
        bound.check_expected(expected)
    score = bound(result, expected).compat
    return RAISES if score.reason.startswith(ENDS) else score.value


def url(address: str | None) -> dict[str, Any]:
    return {"type": "url", "url": address}


VALUES: list[tuple[str, Any, Any, dict[str, Any], float | str]] = [
    ("exact_match", None, {"expected": None}, {}, 1),
    ("match_in_list", "ing", {"expected": "Bing"}, {}, 1),
    ("match_in_list", "a", {"expected": None}, {}, RAISES),
    ("literal_match", 1, "1", {}, 1),
    ("literal_match", None, "None", {}, 1),
    ("literal_match", [1, None], ["1", "None"], {"type": "list"}, 1),
    ("check_include_exclude", ["a", "b"], {"include": ["a"]}, {}, 1),
    ("check_include_exclude", "abc", {"include": "cab"}, {}, 1),
    ("check_direct_json_object", [1], {"expected": {}}, {}, 1),
    ("check_direct_json_object", {"a": 1}, {"expected": None}, {}, 0),
    ("check_direct_json_object", {"a": {"b": 1}},
     {"expected": {"a": "b"}, "expect_in_result": True}, {}, 1),
    ("check_gnome_favorite_apps", "@as []", {"expected": []}, {}, 0),
    ("check_gnome_favorite_apps", "('a', 'b')", {"expected": ["b", "a"]}, {}, 1),
    ("is_expected_installed_extensions", ["Zoom for Google Chrome"],
     {"expected": ["Zoom Chrome Extension"]}, {}, 1),
    ("is_expected_installed_extensions", [], {"expected": []}, {}, 0),
    ("is_expected_active_tab", "http://www.m.a.org", url("http://m.a.org"), {}, 0),
    ("is_expected_active_tab", "http://www.a.org", url("http://a.de"), {}, 1),
    ("is_expected_active_tab", "http://a:b/", url("http://a:b"), {}, 1),
    ("is_expected_active_tab", "http://a.org", {"type": "title"}, {}, 0),
    ("is_expected_active_tab", {"title": "x"}, url(None), {}, 1),
    ("is_expected_search_query", "q=a", {"expect": {"pattern": "q"}}, {}, RAISES),
    ("is_expected_tabs", ["a.org"], {"type": "url", "urls": ["a.org"]}, {}, RAISES),
    ("is_expected_bookmarks", {"bookmark_bar": {"children": [{"name": "x"}]}},
     {"type": "bookmark_bar_folders_names", "names": []}, {}, RAISES),
    ("is_shortcut_on_desktop", {"a": "Name=PLAY chess"}, {"type": "name", "name": "play"}, {}, 1),
    ("is_shortcut_on_desktop", {"a": "Exec=chrome"}, {"type": "exec", "exec": "chrome x"}, {}, 1),
    ("check_font_size", {"default_font_size": 16}, {"type": "value", "value": None}, {}, 0),
    ("check_accessibility_tree", "<a/>", [{"xpath": "//a", "text": "", "exact": True}], {}, 0),
    ("check_accessibility_tree", "<a/>", [{"xpath": "//a", "text": None, "exact": True}], {}, 1),
    ("check_accessibility_tree", "<a>x</a>", [{"xpath": "//a", "text": "x"}], {}, RAISES),
    ("is_extension_installed", ["a.b"], {"type": "contain", "expected": "a.b"}, {}, 1),
    ("is_vlc_fullscreen", {}, {}, {}, RAISES),
]  # fmt: skip


@every_case(("metric", "result", "expected", "options", "score"), VALUES)
def test_a_value_is_judged_as_upstream_judges_it(
    metric: str, result: Any, expected: Any, options: dict[str, Any], score: float | str
) -> None:
    assert compat(metric, result, expected, **options) == score


FILTER = 'name="f"\nenabled="yes"\naction="Mark read"\ncondition="ALL"'
TWO = 'name="f"\ncondition="AND (a,is,\\"x\\") OR (b,is,\\"y\\")"\n'
RULED: list[tuple[str, str, Any, dict[str, Any], float | str]] = [
    ("file_contains", "abc", {"expected": None}, {}, 0),
    ("file_contains", "abc", {"expected": "cab"}, {}, 1),
    ("check_line_number", "12:00:00\n", {"expected": "+1"}, {}, 1),
    ("check_line_number", "12:00:00\n", {"expected": 1.5}, {}, 1),
    ("check_line_number", "12:00:00\n", {"expected": None}, {}, 0),
    ("check_list", "a\n", {"expect": ["a\n"]}, {}, 1),
    ("check_csv", "a,b\n1\n", {"expect": [{"b": None}]}, {}, 1),
    ("check_json", "null", {"expect": []}, {}, 1),
    ("check_json", "", {"unexpect": [{"key": ["a"], "method": "eq", "ref": 1}]},
     {"is_yaml": True}, 0),
    ("check_json", "{}", {"unexpect": [{"key": ["a"], "method": "eq", "ref": None}]}, {}, 0),
    ("check_json", '{"a": ["b"]}', {"expect": [{"key": ["a", -1], "method": "eq", "ref": "b"}]},
     {}, 1),
    ("check_json", '{"a": "bc"}', {"expect": [{"key": ["a", 1], "method": "eq", "ref": "c"}]},
     {}, 1),
    ("check_json_settings", "[]", {"expected": {}}, {}, 1),
    ("compare_config", '{"a": {"b": 1, "c": 2}}', {"expected": '{"a": {"b": 1}}'}, {}, 1),
    ("compare_config", "x", {"expected": None}, {}, 0),
    ("compare_config", "x\n", {"expected": "x"}, {"containment_ok": False}, 0),
    ("check_config_status", ")\n(a 1)\n", {"key": "a", "value": "1"}, {}, RAISES),
    ("check_qt_bgcone", "qt-bgcone=0\nx-qt-bgcone=1\n", {"expected_qt_bgcone": 1}, {}, 1),
    ("check_qt_bgcone", "qt-bgcone=0\x0bqt-other=1\n", {"expected_qt_bgcone": 1}, {}, 1),
    ("check_qt_bgcone", "", {"expected_qt_bgcone": None}, {}, 0),
    ("check_qt_slider_colours", "qt-slider-colours=+1; 2;3", {"type": "blackish"}, {}, 1),
    ("check_qt_slider_colours", "", {"type": "another"}, {}, 0),
    ("is_vlc_recordings_folder", "input-record-path=/a\ninput-record-path=/b\n",
     {"recording_file_path": "/a"}, {}, 1),
    ("check_thunderbird_filter", FILTER + "\n", {"expect": [{"condition": ["ALL"]}]}, {}, 1),
    ("check_thunderbird_filter", FILTER, {"expect": [{"condition": ["ALL"]}]}, {}, 0),
    ("check_thunderbird_filter", TWO,
     {"expect": [{"condition": ['AND (a,is,"x") OR (b,is,"y")']}]}, {}, 1),
    ("check_thunderbird_filter", 'type="17"\n', {"unexpect": []}, {}, RAISES),
    ("check_thunderbird_prefs", 'user_pref("a", 1);\nuser_pref("a", 2);\n',
     {"unexpect": {"a": {"method": "eq", "ref": 1}}}, {}, 0),
]  # fmt: skip


@every_case(("metric", "text", "expected", "options", "score"), RULED)
def test_a_file_is_judged_as_upstream_judges_it(
    metric: str,
    text: str,
    expected: Any,
    options: dict[str, Any],
    score: float | str,
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    path.write_text(text, newline="")
    assert compat(metric, path, expected, **options) == score


PAIRS: list[tuple[str, str, str, dict[str, Any], float]] = [
    ("diff_text_file", "a\nb", "a\nb\n", {}, 1),
    ("diff_text_file", "a\x85b", "a\nb", {}, 1),
    ("compare_text_file", "a\x0bb", "a b", {"ignore_blanks": True}, 1),
    ("compare_python_pure_text", "a\x0cb\n", "a\nb\n", {}, 1),
    ("compare_python_pure_text", "#!/bin/sh\nx\n", "x\n", {}, 1),
    ("compare_python_pure_text", "x\n# coding: a\n", "x\n", {}, 0),
    ("compare_htmls", "", "<p>a</p>", {}, 1),
    ("compare_htmls", '<p sdnum="1">a</p>', '<p sdnum="2">a</p>', {}, 0),
    ("compare_htmls", "<p>a<b></b>c</p>", "<p>a<b>c</b></p>", {}, 0),
    ("check_thunderbird_folder", "FROM - FROM - ", "FROM - ", {"remove_duplicate": False}, 0),
    ("check_thunderbird_folder", "From - a", "From - b", {}, 1),
]


@every_case(("metric", "one", "other", "options", "score"), PAIRS)
def test_two_files_are_compared_as_upstream_compares_them(
    metric: str, one: str, other: str, options: dict[str, Any], score: float, tmp_path: Path
) -> None:
    for name, text in (("one", one), ("other", other)):
        (tmp_path / name).write_text(text, newline="")
    assert compat(metric, tmp_path / "one", tmp_path / "other", **options) == score


def test_mail_folders_may_be_given_as_lists(tmp_path: Path) -> None:
    mail, empty = tmp_path / "mail", tmp_path / "empty"
    mail.write_text("From - x")
    empty.write_text("")
    assert compat("check_thunderbird_folder", [mail, empty], [mail, empty]) == 1
    assert compat("check_thunderbird_folder", [mail, empty], [mail, mail]) == 0
    assert compat("check_thunderbird_folder", [mail], [mail, empty]) == 1


def test_a_book_is_compared_after_reformatting(tmp_path: Path) -> None:
    one = zipped(tmp_path / "a.epub", {"toc.ncx": "a\n<navPoint x>\n", "c.html": "<p>a\n</p>"})
    same = zipped(tmp_path / "b.epub", {"toc.ncx": "a\n<navPoint y>\n", "c.html": "<p>a</p>"})
    deep = zipped(tmp_path / "c.epub", {"toc.ncx": "a\n", "d/c.html": "<p>a</p>"})
    assert compat("compare_epub", one, same) == 1
    assert compat("compare_epub", deep, same) == RAISES


def test_the_suffix_determines_the_format_of_an_archive(tmp_path: Path) -> None:
    right = zipped(tmp_path / "b.zip", {"a.txt": "x"})
    for name, score in (("a.zip", 1), ("a.ZIP", RAISES), ("a", RAISES)):
        assert compat("compare_archive", zipped(tmp_path / name, {"a.txt": "x"}), right) == score


@every_case(
    ("statement", "score"),
    [("SELECT -2.5", -2.5), ("SELECT 7", 7), ("SELECT NULL", 0), ("SELECT ''", 0),
     ("SELECT ' +3 '", 3), ("SELECT v FROM t", RAISES)],
)  # fmt: skip
def test_a_score_from_a_database_can_be_any_number(
    statement: str, score: float | str, tmp_path: Path
) -> None:
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE t (v)")
    connection.close()
    assert compat("run_sqlite3", tmp_path / "a.db", {"sql": statement}) == score


def test_an_empty_file_is_a_database_without_tables(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"")
    assert compat("run_sqlite3", tmp_path / "a.db", {"sql": "SELECT 1"}) == 1
    assert compat("run_sqlite3", tmp_path / "a.db", {"sql": "SELECT v FROM t"}) == 0


def test_unbounded_scores_are_combined_as_they_are_and_clamped_at_the_end() -> None:
    scores = [UnboundedScore(-1.0, "a"), Score(1.0, "b")]
    assert combine(scores, "and", several=True).value == 0
    assert combine([UnboundedScore(7.0, "a"), Score(0.5, "b")], "and", several=True).value == 3.75
    assert combine([UnboundedScore(7.0, "a"), Score(0.5, "b")], "or", several=True).value == 7
    assert clamp(UnboundedScore(7.0, "a")).value == 1
    assert clamp(UnboundedScore(-1.0, "a")) == Score(0.0, "a (OSWorld's own score: -1)")
