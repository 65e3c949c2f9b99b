from pathlib import Path

import pytest

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.registry import bind, evaluator, evaluators
from tests.support.tables import every_case


def test_every_module_is_found_and_names_are_those_of_the_functions() -> None:
    names = evaluators()
    assert {"spreadsheet.cells_equal", "files.same_bytes", "vlc.player_is"} <= set(names)
    assert all(item.name == name for name, item in names.items())


@every_case("use", ["spreadsheet.cell_equal", "nothing.exists", "os.system", "", "x"])
def test_an_unknown_evaluator_is_refused_with_suggestions(use: str) -> None:
    with pytest.raises(ValueError, match=r"no evaluator .*; (did you mean|available:) \w+\.\w+"):
        bind(use, {})


@every_case(
    ("arguments", "message"),
    [
        ({}, "argument 'file' is required"),
        (
            {"file": "a", "text": "b", "txt": "c"},
            "unknown argument 'txt'; expected one of: file, text",
        ),
        ({"file": "a", "text": 42}, r"argument 'text': .*string \(got 42\)"),
        ({"file": "../a", "text": "b"}, "argument 'file': .*inside the directory"),
        ({"file": "/etc/passwd", "text": "b"}, "argument 'file': .*inside the directory"),
        ({"file": "a", "text": "b", "exact": "yes"}, "argument 'exact': .*boolean"),
    ],
)
def test_a_wrong_argument_is_named_when_the_task_is_loaded(
    arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bind("files.text_equals", arguments)


def test_a_file_of_the_task_must_exist_inside_the_tasks_folder(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a").write_bytes(b"a")
    task = tmp_path / "files"
    bind("files.same_bytes", {"file": "a", "expected": "a"}, task)
    for name, message in (("b", "no file b"), ("../files/a", "inside the directory")):
        with pytest.raises(ValueError, match=message):
            bind("files.same_bytes", {"file": "a", "expected": name}, task)
    with pytest.raises(ValueError, match="directory is not known"):
        bind("files.same_bytes", {"file": "a", "expected": "a"})


def test_unreadable_evidence_scores_0_but_a_bug_is_an_exception(tmp_path: Path) -> None:
    @evaluator
    def broken(evidence: Path, *, bug: bool) -> Score:
        """Fail in one of two ways."""
        if bug:
            raise KeyError("a bug")
        raise UnreadableError("the file is missing")

    assert broken(tmp_path, bug=False) == Score(0.0, "the file is missing")
    with pytest.raises(KeyError):
        broken(tmp_path, bug=True)


def test_an_evaluator_with_another_signature_is_refused_at_declaration() -> None:
    def silent(evidence: Path) -> Score:
        return Score(1.0, "")

    def positional(evidence: Path, file: str) -> Score:
        """Take an argument by position."""
        return Score(1.0, file)

    for wrong in (silent, positional):
        with pytest.raises(TypeError, match=wrong.__name__):
            evaluator(wrong)
