"""The evaluator `changes.only`: allowed and unexpected changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.evaluators.changes import only

CHANGES = [
    ("file", "/home/user/report.odt", "changed"),
    ("file", "/home/user/Pictures/a.png", "made"),
    ("setting", "org.gnome.desktop.interface color-scheme", "'default' -> 'prefer-dark'"),
]


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    survey = [dict(zip(("kind", "what", "how"), item, strict=True)) for item in CHANGES]
    (tmp_path / "c.json").write_text(json.dumps({"home": "/home/user", "changes": survey}))
    return tmp_path


@pytest.mark.parametrize(
    ("files", "settings", "score"),
    [
        (["~/report.odt", "~/Pictures/"], ["org.gnome.desktop.interface color-scheme"], 1),
        (["/home/user/"], ["org.gnome.desktop.interface"], 1),
        (["~/report.odt", "~/Pictures"], ["org.gnome.desktop.interface"], 0),
        (["~/report", "~/Pictures/"], ["org.gnome.desktop.interface"], 0),
        (["~/"], ["org.gnome.desktop"], 0),
        (["~/"], ["org.gnome.desktop.interface gtk-theme"], 0),
        (["~/"], [], 0),
    ],
)
def test_only_named_files_and_settings_may_have_changed(
    evidence: Path, files: list[str], settings: list[str], score: float
) -> None:
    assert only(evidence, file="c.json", files=files, settings=settings).value == score


def test_the_reason_names_what_else_changed(evidence: Path) -> None:
    survey = only(evidence, file="c.json", files=["~/report.odt"], settings=["org.gnome.x"]).reason
    assert "/home/user/Pictures/a.png: made" in survey
    assert "color-scheme: 'default' -> 'prefer-dark'" in survey
    assert "report.odt" not in survey


def test_anything_but_a_list_of_changes_scores_0_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"home": "/", "changes": [{"kind": "file"}]}')
    score = only(tmp_path, file="c.json")
    assert score.value == 0
    assert "not a list of changes" in score.reason
