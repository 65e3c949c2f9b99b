"""How often evaluators are wrong, over proofs, null agents and mutated evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import docx
import pytest
from odf.opendocument import OpenDocumentText
from odf.text import P
from openpyxl import Workbook

from ambidex.evaluators.registry import bind, evaluators
from ambidex.host.agents import agent_maker
from ambidex.host.cli.trust import prove as prove_command
from ambidex.host.errors import UsageError
from ambidex.host.records.config import adopt, locked
from ambidex.host.runs.matrix import INFEASIBLE, matrix
from ambidex.host.runs.mutations import REQUIRED, mutations
from ambidex.host.runs.null import read_null_run
from ambidex.host.runs.prove import agents_of, jobs
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Check
from tests.support.commands import ambidex
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import CELL, config_of, run_in, write_suite
from tests.support.suites import suite as suite

NULLS = ("idle", "says_done", "says_infeasible")
JSON_FIELDS = "output.json_fields_equal"


def proved(folder: Path, suite: Suite) -> Path:
    names = tuple({name for task in suite.tasks for name in agents_of(task)})
    config = config_of(suite, agents=names)
    with locked(folder):
        adopt(folder, config)
        make = agent_maker(config, lambda _: pytest.fail("no model here"))
        run_jobs(jobs(suite), config, suite, folder, PeerMachine, make)
    return folder


def test_all_that_is_known_about_a_suite_is_counted_by_evaluator(
    suite: Suite, tmp_path: Path
) -> None:
    proof = proved(tmp_path / "proof", suite)
    run_in(tmp_path / "null", suite, config_of(suite, agents=NULLS))
    qualities, wrong = matrix(suite, proof, read_null_run(tmp_path / "null"))
    by_name = {one.name: one for one in qualities}
    assert set(by_name) == {JSON_FIELDS, INFEASIBLE}
    cells = by_name[JSON_FIELDS]
    assert (cells.checks, cells.right, cells.false_fails) == (1, 1, 0)
    # says_done of the proof is the one of the null run; says_infeasible asks no check.
    assert dict(cells.wrong) == {
        **{"near miss": 1, "null agent": 2, "dropped": 1, "emptied": 1},
        **{"cut": 1, "untouched": 1, "altered": 1},
    }
    assert (cells.refused, cells.false_pass_rate, cells.false_fail_rate) == (3, 0, 0)
    stop = by_name[INFEASIBLE]
    assert (stop.right, dict(stop.wrong), stop.false_pass_rate) == (1, {"null agent": 2}, 0)
    assert wrong == ()


def test_a_near_miss_that_passes_and_a_variant_that_fails_are_wrong_verdicts(
    tmp_path: Path,
) -> None:
    saved = '{ call = "calc_set_cell_value", with = { cell = "B2", value = 42 } }'
    text = CELL.replace(f"calls = [{saved}]", f'calls = [{saved}, {{ call = "calc_save" }}]')
    text += f'\n[[oracle]]\nby = "tools"\nvariant = "unsaved"\ncalls = [{saved}]\n'
    suite = load_suite(write_suite(tmp_path / "suite", cell=text), CATALOGUE)
    (cells,), wrong = matrix(suite, proved(tmp_path / "proof", suite))
    assert (cells.right, cells.false_fails, cells.false_passes["near miss"]) == (2, 1, 1)
    assert [(one.played, one.right) for one in wrong] == [
        ("oracle:tools:2", True),
        ("near_miss:1", False),
    ]


def test_evidence_of_another_version_of_a_task_is_refused(suite: Suite, tmp_path: Path) -> None:
    proof = proved(tmp_path / "proof", suite)
    path = suite.folder / "cell" / "task.toml"
    path.write_text(path.read_text().replace("and save", "and save it"))
    with pytest.raises(UsageError, match="another version of cell"):
        matrix(load_suite(suite.folder, CATALOGUE), proof)


def test_a_finished_proof_prints_its_matrix_without_a_machine(
    suite: Suite,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prove_command, "read_catalogue", lambda: CATALOGUE)
    proof = proved(tmp_path / "proof", suite)
    words = ("prove", suite.folder, "--out", proof, "--matrix", "--provider", "nowhere:NONE")
    assert ambidex(*words) == 0
    printed = capsys.readouterr().out
    assert JSON_FIELDS in printed
    assert "No verdict was wrong." in printed
    assert ambidex(*words, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert [one["evaluator"] for one in said["evaluators"]] == [INFEASIBLE, JSON_FIELDS]
    assert ambidex("prove", suite.folder, "--null", tmp_path) == 2
    assert "--null is for --matrix" in capsys.readouterr().err


def test_required_arguments_are_arguments_of_their_evaluators() -> None:
    known = evaluators()
    for use, names in REQUIRED.items():
        assert set(names) <= set(known[use].model.model_fields), use


def kinds(use: str, folder: Path, untouched: Path | None = None, **arguments: Any) -> list[str]:
    """The mutations of the evidence in `folder`, each judged: all must fail."""
    check = Check.model_validate({"use": use, "with": arguments})
    bound = bind(use, arguments, folder)
    assert bound(folder).value == 1
    found = []
    for mutation in mutations(check, bound, folder, folder, untouched):
        with mutation.applied(folder) as evidence:
            score = mutation.check(evidence)
        assert score.value < 1, (mutation, score)
        found.append(f"{mutation.kind} {mutation.what}")
    assert bound(folder).value == 1, "the evidence itself is left alone"
    return found


def test_values_within_lists_and_tables_are_altered_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("Anna, and then Jaan\n")
    said = kinds("answer.states", tmp_path, facts=[["Anna", "Ann"], ["Jaan"]])
    assert [each for each in said if each.startswith("altered")] == [
        "altered facts[0]",
        "altered facts[1]",
    ]


def test_each_mutation_destroys_what_the_check_looks_at(tmp_path: Path) -> None:
    evidence, nothing = tmp_path / "evidence", tmp_path / "nothing"
    for folder, text in ((evidence, "green\n"), (nothing, "red\n")):
        folder.mkdir()
        (folder / "colour.txt").write_text(text)
    assert kinds("files.text_equals", evidence, nothing, file="colour.txt", text="green") == [
        f"{kind} colour.txt" for kind in ("dropped", "emptied", "cut", "untouched")
    ] + ["altered text"]
    assert kinds("files.exists", evidence, file="colour.txt") == ["dropped colour.txt"]
    assert kinds("files.absent", evidence, file="other.txt") == ["planted other.txt"]


def test_every_required_value_is_altered_within_what_its_argument_allows(tmp_path: Path) -> None:
    answer = {"data": [{"PlaybackStatus": {"data": "Paused"}, "Shuffle": {"data": True}}]}
    (tmp_path / "vlc.json").write_text(json.dumps(answer))
    (tmp_path / "list.txt").write_text("a\nb\n")
    assert kinds("vlc.player_is", tmp_path, file="vlc.json", state="Paused", shuffle=True)[3:] == [
        "altered state",
        "altered shuffle",
    ]
    assert kinds("files.listing_equals", tmp_path, file="list.txt", paths=["a", "b"])[2:] == [
        "altered paths[0]",
        "altered paths[1]",
    ]


def test_half_a_package_cannot_be_read(tmp_path: Path) -> None:
    book = Workbook()
    book.active["A1"], book.active["B2"] = "Rent", 42  # type: ignore[index]
    book.save(tmp_path / "budget.xlsx")
    cells = {"A1": "Rent", "B2": 42}
    assert kinds("spreadsheet.cells_equal", tmp_path, file="budget.xlsx", cells=cells) == [
        *(f"{kind} budget.xlsx" for kind in ("dropped", "emptied", "cut")),
        "altered cells.A1",
        "altered cells.B2",
    ]
    given: dict[str, Any] = {
        "file": "budget.xlsx",
        "original": "budget.xlsx",
        "changed": {"Sheet": ["A1"]},
    }
    assert kinds("spreadsheet.rest_unchanged", tmp_path, **given)[3:] == [
        f"altered original, {what}" for what in ("value", "fill", "bold", "comment", "row")
    ]


def test_each_thing_that_must_stay_in_a_document_is_altered(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Rent")
    document.add_paragraph("Title")
    document.save(str(tmp_path / "letter.docx"))
    given: dict[str, Any] = {"file": "letter.docx", "original": "letter.docx"}
    names = ("strike", "highlight", "size", "color", "alignment")
    things = [f"altered original, {name}" for name in names]
    found = kinds("document.rest_unchanged", tmp_path, **given, restyled=["Title"])
    assert found[3:] == [*things, "altered original, comment"]
    assert kinds("document.rest_unchanged", tmp_path, **given, commented=True)[3:] == things


def test_an_original_in_which_nothing_is_certain_to_be_compared_is_not_altered(
    tmp_path: Path,
) -> None:
    book = Workbook()
    book.active["A1"] = "Rent"  # type: ignore[index]
    book.save(tmp_path / "budget.xlsx")
    given: dict[str, Any] = {"file": "budget.xlsx", "original": "budget.xlsx"}
    free = {"Sheet": ["A1:B2"]}
    found = kinds("spreadsheet.rest_unchanged", tmp_path, **given, changed=free)
    assert not any(each.startswith("altered") for each in found)
    letter = OpenDocumentText()
    letter.text.addElement(P(text="Rent"))
    letter.save(str(tmp_path / "letter.odt"))
    given = {"file": "letter.odt", "original": "letter.odt"}
    found = kinds("document.rest_unchanged", tmp_path, **given)
    assert not any(each.startswith("altered") for each in found)
