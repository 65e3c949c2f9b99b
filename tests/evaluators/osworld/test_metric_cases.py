"""Each metric on tables, texts and documents, judged right, nearly right and broken, both ways."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from ambidex.evaluators.osworld.registry import bind_metric, metrics
from tests.evaluators.osworld.cases import Case
from tests.evaluators.osworld.document_cases import CASES as DOCUMENTS
from tests.evaluators.osworld.document_look_cases import CASES as DOCUMENT_LOOKS
from tests.evaluators.osworld.package_cases import CASES as PACKAGES
from tests.evaluators.osworld.table_cases import CASES as TABLES
from tests.evaluators.osworld.table_look_cases import CASES as TABLE_LOOKS
from tests.evaluators.osworld.text_cases import CASES as TEXTS
from tests.support.tables import every_case

CASES = [*TEXTS, *TABLES, *TABLE_LOOKS, *DOCUMENTS, *DOCUMENT_LOOKS, *PACKAGES]
METRICS = [
    "check_csv", "check_direct_json_object", "check_highlighted_words", "check_include_exclude",
    "check_italic_font_size_14", "check_json", "check_line_number", "check_list",
    "check_pdf_pages", "check_tabstops", "compare_archive", "compare_conference_city_in_order",
    "compare_csv", "compare_docx_files", "compare_docx_files_and_ignore_new_lines",
    "compare_docx_images", "compare_docx_tables", "compare_epub", "compare_font_names",
    "compare_htmls", "compare_line_spacing", "compare_pdf_images", "compare_pdfs",
    "compare_python_pure_text", "compare_references", "compare_result_files",
    "compare_subscript_contains", "compare_table", "compare_text_file",
    "compare_unique_train_records", "compare_zip_files", "contains_page_break",
    "diff_text_file", "evaluate_colored_words_in_tables",
    "evaluate_strike_through_last_paragraph", "exact_match", "file_contains",
    "find_default_font", "fuzzy_place_math", "has_page_numbers_in_footers",
    "is_first_line_centered", "is_in_list", "literal_match", "match_in_list", "run_sqlite3",
]  # fmt: skip


@every_case("case", CASES, ids=lambda item: f"{item.metric}: {item.says}")
def test_both_verdicts_are_as_expected(case: Case, tmp_path: Path) -> None:
    options = case.make(tmp_path)
    bound = bind_metric(case.metric, options.options)
    if options.expected is not None:
        bound.check_expected(options.expected)
    verdicts = bound(options.result, options.expected)
    assert verdicts.compat.value == pytest.approx(case.compat, abs=5e-4), verdicts.compat.reason
    assert verdicts.strict.value == pytest.approx(case.strict, abs=5e-4), verdicts.strict.reason
    assert verdicts.strict.reason
    assert case.because in verdicts.strict.reason


@every_case("name", METRICS)
def test_every_metric_has_a_right_a_near_miss_and_a_broken_case(name: str) -> None:
    kinds = {item.kind for item in CASES if item.metric == name}
    assert kinds == {"right", "near-miss", "broken"}


@every_case("name", METRICS)
def test_a_metric_with_repairs_has_a_case_where_the_verdicts_differ(name: str) -> None:
    differing = [item for item in CASES if item.metric == name and item.compat != item.strict]
    assert bool(differing) is bool(metrics()[name].repairs)


def test_the_cases_of_a_metric_have_distinct_names() -> None:
    called = defaultdict(list)
    for item in CASES:
        called[item.metric].append(item.says)
    assert not [name for name, says in called.items() if len(set(says)) != len(says)]
