"""Paths in tasks that would leave their directory."""

import pytest
from pydantic import ValidationError

from ambidex.tasks.spec import Facts, Get
from tests.support.tables import every_case


@every_case("path", ["~/..", "/home/user/..", "/", "~/answer.txt", "/tmp/x/../.."])
def test_a_fetched_file_is_kept_under_no_name_that_is_a_path_or_the_agent_s_answer(
    path: str,
) -> None:
    with pytest.raises(ValidationError, match="a plain file name in the evidence directory"):
        Get(get=path)


@every_case("to", ["..", "../rows.jsonl", "a/b", "/etc/passwd", "answer.txt", ""])
def test_a_fetched_file_is_not_renamed_out_of_the_evidence(to: str) -> None:
    with pytest.raises(ValidationError, match=r"plain file name|kept as"):
        Get(get="~/notes.txt", to=to)


def test_a_fetched_file_keeps_its_name_or_gets_a_plain_one() -> None:
    assert Get(get="~/notes.txt").kept_as == "notes.txt"
    assert Get(get="~/answer.txt", to="theirs.txt").kept_as == "theirs.txt"


@every_case("name", ["../ready", "/ready", "a b", "x\nquit", ""])
def test_a_task_starts_from_no_snapshot_whose_name_is_a_path(name: str) -> None:
    with pytest.raises(ValidationError, match="a snapshot's name"):
        Facts(instruction="Do it.", tool_beneficial=False, snapshot=name)
