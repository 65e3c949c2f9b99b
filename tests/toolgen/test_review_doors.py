"""The HTTP interface of the review page: who has access, and who may see what, and when."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from ambidex.host import ROOT
from ambidex.host.errors import UsageError
from ambidex.host.runs.machines import MachineOptions
from ambidex.toolgen import Admission, Outcome
from ambidex.toolgen.review.schema import told_arguments
from ambidex.toolgen.review.serve import review_app, serve_in_background
from ambidex.toolgen.review.signature import signature
from ambidex.toolgen.store import Folder, folders, now
from ambidex.toolgen.verdicts import decision_on, give_verdict, record_opinion
from tests.support.tables import every_case
from tests.toolgen.reviewed import (
    ONE_CASE,
    full_candidate,
    new_candidate,
    pass_stage,
    redraft,
    submission,
)

NO_MACHINES = MachineOptions(provider="none")
MARK = "a-word-that-only-ann-wrote"


class Client(httpx.Client):
    """One reviewer's browser."""

    def __init__(self, name: str, address: str) -> None:
        super().__init__(base_url=address.partition("?")[0], follow_redirects=True)
        self.name = name
        assert self.get(address).status_code == 200

    def submit(self, folder: Folder, verdict: str, /, **more: Any) -> httpx.Response:
        """Submit a verdict on the latest draft."""
        draft = folder.latest()
        assert draft is not None
        reasons = {} if verdict == "accept" else {"general": f"one case; {MARK}"}
        body = {
            "reviewer": self.name,
            "draft": draft.n,
            "sha256": draft.sha256,
            "verdict": verdict,
            "reasons": reasons,
            "comment": f"{MARK}",
        }
        return self.post(f"/api/candidates/{folder.path.name}/verdict", json={**body, **more})

    def everything(self) -> str:
        """The answers of all paths to this reviewer, in one text."""
        listing = self.get("/api/candidates")
        answers = [listing.text, self.get("/api/desk").text]
        for candidate in listing.json()["candidates"]:
            name = candidate["name"]
            answers.append(self.get(f"/api/candidates/{name}").text)
            reviews = [
                f"reviews/{number}-{reviewer}.json"
                for number, reviewer in itertools.product((1, 2), ("ann", "model.toy"))
            ]
            for path in [*reviews, "exchanges/0001.json", "stages/7-review.json", "candidate.json"]:
                for variant in (path, f"evidence/../{path}", f"evidence/%2e%2e/{path}"):
                    answer = self.get(f"/files/{name}/{variant}")
                    assert answer.status_code == 404, variant
                    answers.append(answer.text)
        return "\n".join(answers)


@contextmanager
def page(foundry: Path, *names: str) -> Iterator[list[Client]]:
    with (
        serve_in_background(review_app(foundry, names, NO_MACHINES)) as address,
        ExitStack() as stack,
    ):
        yield [stack.enter_context(closing(Client(name, address(name)))) for name in names]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return full_candidate(tmp_path)


def test_access_needs_a_code(folder: Folder) -> None:
    with serve_in_background(
        review_app(folder.path.parent, ["ann", "ben"], NO_MACHINES)
    ) as address:
        base = address("ann").partition("/?")[0]
        assert base.startswith("http://127.0.0.1:")
        for path in ("/", "/api/candidates", "/api/desk", "/review/main.js", "/pages/dom.js"):
            assert httpx.get(base + path).status_code == 401
            assert httpx.get(base + path, params={"code": "guessed"}).status_code == 401
        verdict = f"{base}/api/candidates/text-size/verdict"
        assert httpx.post(verdict, json={}).status_code == 401
    assert folder.reviews() == []


def test_each_address_identifies_one_reviewer(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        assert ann.get("/api/candidates").json()["reviewer"] == "ann"
        assert ben.get("/api/candidates").json()["reviewer"] == "ben"
        answer = ann.submit(folder, "accept", reviewer="ben")
        assert (answer.status_code, "this page is ben's" in answer.text) == (409, True)
        foreign = ann.post("/api/desk", json={"order": "end"}, headers={"origin": "http://x.org"})
        assert foreign.status_code == 421
    assert folder.reviews() == []


def test_a_reviewer_sees_no_other_verdict_before_giving_one(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        before = ben.everything()
        draft = folder.latest()
        assert draft is not None
        opinion = record_opinion(folder, "toy", submission(draft, "accept", MARK))
        assert ann.submit(folder, "reject").status_code == 201
        waiting = pass_stage(
            folder, "review", draft.n, outcome=Outcome.WAITING, reason=f"ann: {MARK}"
        )
        folder.add_exchange({"stage": "review", "answer": MARK})
        assert ben.everything() == before
        assert MARK in ann.get("/api/candidates/text-size").text
        assert ben.submit(folder, "accept").status_code == 201
        card = ben.get("/api/candidates/text-size").json()
        assert {review["reviewer"] for review in card["reviews"]} == {
            "ann",
            "ben",
            opinion.reviewer,
        }
        assert card["text"] == "two reviewers disagree; waiting for a third"
        assert waiting.reason not in json.dumps(card)


def test_a_third_reviewer_sees_no_more_than_the_first_two_did(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben", "cleo") as (ann, ben, cleo):
        before = cleo.everything()
        ann.submit(folder, "reject")
        assert cleo.everything() == before
        ben.submit(folder, "accept")
        assert cleo.everything() == before
        assert cleo.submit(folder, "accept").status_code == 201
        for client in (ann, ben, cleo):
            card = client.get("/api/candidates/text-size").json()
            assert card["state"] == "accept"
            assert len(card["reviews"]) == 3
    assert decision_on(folder).reviewers == ("ben", "cleo")


def test_verdicts_on_earlier_drafts_are_withheld_too(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        ann.submit(folder, "revise")
        redraft(folder, ONE_CASE, by="review")
        redraft(folder, ONE_CASE + "# again\n", by="ann")
        assert MARK not in ben.everything()
        card = ben.get("/api/candidates/text-size").json()
        assert [draft["from"] for draft in card["drafts"]] == ["wrap", "trial", "", ""]
        assert ann.get("/api/candidates/text-size").json()["reviews"][0]["draft"] == 2
        ben.submit(folder, "accept")
        card = ben.get("/api/candidates/text-size").json()
        assert [draft["from"] for draft in card["drafts"]] == ["wrap", "trial", "review", "ann"]
        assert [(review["reviewer"], review["draft"]) for review in card["reviews"]] == [
            ("ann", 2),
            ("ben", 4),
        ]


def test_the_error_for_a_malformed_verdict_file_does_not_quote_it(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        ann.submit(folder, "accept")
        (folder.path / "reviews" / "2-ann.json").write_text(f'{{"verdict": "{MARK}"}}')
        assert MARK not in ben.everything()
        answer = ben.submit(folder, "accept")
        assert (answer.status_code, MARK in answer.text) == (409, False)
        assert "2-ann" not in answer.text


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"verdict": "perhaps"}, "verdict: must be 'accept', 'revise' or 'reject'"),
        ({"draft": "two"}, "draft: must be a valid integer"),
        ({"mood": "good"}, "mood: unknown key"),
        ({"reasons": {"elegant": "yes"}}, "reasons.elegant: unknown key"),
        ({"reasons": {"safe": 1}}, "reasons.safe: must be a valid string"),
    ],
)
def test_a_malformed_verdict_is_refused_with_the_reason(
    folder: Folder, more: dict[str, Any], what: str
) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        answer = ann.submit(folder, "accept", **more)
        assert (answer.status_code, what in answer.json()["error"]) == (400, True), answer.text
        assert ann.post("/api/candidates/text-size/verdict", content="{").status_code == 400
    assert folder.reviews() == []


@pytest.mark.parametrize(
    ("verdict", "more", "what"),
    [
        ("accept", {"draft": 1}, "about another draft (1); the latest is 2"),
        ("accept", {"sha256": "0" * 64}, "about another draft"),
        ("reject", {"reasons": {}}, "reject needs a reason"),
    ],
)
def test_a_verdict_on_another_draft_or_without_a_reason_is_refused(
    folder: Folder, verdict: str, more: dict[str, Any], what: str
) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        answer = ann.submit(folder, verdict, **more)
        assert (answer.status_code, what in answer.json()["error"]) == (409, True), answer.text
        assert ann.submit(folder, "accept").status_code == 201
        assert "already" in ann.submit(folder, "accept").json()["error"]
    assert len(folder.reviews()) == 1


def test_candidates_that_wait_for_the_reviewer_come_first(tmp_path: Path) -> None:
    for name in ("a-reviewed", "b-decided", "c-waiting", "d-admitted"):
        new_candidate(tmp_path, name)
    new_candidate(tmp_path, "e-early").add_draft(ONE_CASE, "", "wrap")
    reviewed, decided, _, admitted, _ = folders(tmp_path)
    _accept(reviewed, "ann")
    _accept(decided, "ben", "cleo")
    _accept(admitted, "ben", "cleo")
    admitted.add_admission(_admission(admitted))
    with page(tmp_path, "ann") as (ann,):
        candidates = ann.get("/api/candidates").json()["candidates"]
    assert [(candidate["name"], candidate["state"]) for candidate in candidates] == [
        ("c-waiting", "yours"),
        ("a-reviewed", "others"),
        ("b-decided", "accept"),
        ("e-early", "early"),
        ("d-admitted", "admitted"),
    ]


def test_evidence_is_served_and_no_other_file_is(folder: Folder) -> None:
    (folder.path / "pictures" / "other.png").write_bytes(b"not of a stage")
    (folder.path / "evidence" / "trial-source" / "page.html").write_text(
        "<script>alert(1)</script>"
    )
    with page(folder.path.parent, "ann") as (ann,):
        card = ann.get("/api/candidates/text-size").json()
        trial = next(result for result in card["stages"] if result["stage"] == "trial")
        kinds = {file["path"]: file["kind"] for file in trial["evidence"]}
        assert kinds["evidence/trial-source/calls.json"] == "table"
        assert kinds["evidence/trial-source/tests.txt"] == "text"
        assert kinds["pictures/trial-before.png"] == "picture"
        picture = ann.get("/files/text-size/pictures/trial-before.png")
        assert (picture.headers["content-type"], picture.content[:4]) == ("image/png", b"\x89PNG")
        html = ann.get("/files/text-size/evidence/trial-source/page.html")
        assert html.headers["content-type"].startswith("text/plain")
        assert html.headers["x-content-type-options"] == "nosniff"
        for path in ("pictures/other.png", "evidence/../candidate.json", "/etc/passwd"):
            assert ann.get(f"/files/text-size/{path}").status_code == 404
        assert ann.get("/api/candidates/nothing").status_code == 404
        assert ann.get("/files/..%2f/x").status_code == 404


def test_the_card_has_the_declaration_the_changes_and_the_similar_tools(folder: Folder) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        card = ann.get("/api/candidates/text-size").json()
    signature = card["now"]["signature"]
    assert (signature["name"], signature["returns"]) == ("gnome_set_text_size", "Setting")
    factor, relative = signature["arguments"]
    assert factor["type"].startswith("number")
    assert factor["default"] == ""
    assert (relative["name"], relative["type"], relative["default"]) == (
        "relative",
        "boolean",
        "false",
    )
    assert "a quarter larger" in factor["description"]
    first, second = card["drafts"]
    signs = [line["sign"] for line in first["tool"]]
    assert {"+", "-", " "} <= set(signs)
    assert second["tool"] == []
    added = "".join(
        text for line in first["tool"] if line["sign"] == "+" for _, text in line["words"]
    )
    assert "relative" in added
    nearest = {tool["name"] for tool in card["nearest"]}
    assert {"gnome_set_setting", "os_change_text_scale"} <= nearest
    assert card["cost"] == {
        "calls": 5,
        "input_tokens": 27_353,
        "output_tokens": 4_386,
        "dollars": pytest.approx(0.0898),
    }


def test_an_alias_of_a_type_is_shown_as_the_schema_that_a_model_is_told() -> None:
    text = (ROOT / "mcp_tools" / "calc" / "data.py").read_text()
    written = signature(text, "calc")
    assert written
    assert ("source_range", "Range", "") in [(a.name, a.type, a.default) for a in written.arguments]
    told = told_arguments(text, "calc", written.name)
    assert told
    assert [argument.name for argument in told] == [item.name for item in written.arguments]
    assert (told[0].type, told[0].description) == ("string", "cells such as B2:D10, B2, A:C or 3:5")
    assert told_arguments("x = open('/etc/passwd')\n", "calc", "calc_x") is None
    assert told_arguments(text, "nowhere", "nowhere_x") is None


def test_a_draft_that_does_not_parse_is_shown_as_text(tmp_path: Path) -> None:
    redraft(new_candidate(tmp_path), "def broken(:\n")
    with page(tmp_path, "ann") as (ann,):
        card = ann.get("/api/candidates/text-size").json()
    assert card["now"]["signature"] is None
    assert "".join(text for _, text in card["now"]["tool"][0]) == "def broken(:"


@every_case("names", [[], ["ann", "Ann"], ["a b"], ["model.gpt"]])
def test_reviewers_need_different_valid_names(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(UsageError):
        review_app(tmp_path, names, NO_MACHINES)


def test_a_desktop_that_cannot_be_started_says_why(folder: Folder) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        assert ann.get("/api/desk").json()["state"] == "none"
        assert ann.post("/api/desk", json={"order": "call"}).status_code == 409
        assert ann.post("/api/desk", json={"order": "dance"}).status_code == 400
        unknown = ann.post("/api/desk", json={"order": "start", "candidate": "nothing"})
        assert (unknown.status_code, "no candidate 'nothing'" in unknown.text) == (409, True)
        order = {"order": "start", "candidate": "text-size"}
        assert ann.post("/api/desk", json=order).status_code == 202
        while (desk := ann.get("/api/desk").json())["state"] == "starting":
            pass
        assert (desk["state"], "unknown provider: 'none'" in desk["note"]) == ("failed", True)
        assert ann.post("/api/desk", json={"order": "end"}).status_code == 202
        assert ann.get("/api/desk").json()["state"] == "none"


def _accept(folder: Folder, *names: str) -> None:
    draft = folder.latest()
    assert draft is not None
    for name in names:
        give_verdict(folder, name, submission(draft, "accept"))


def _admission(folder: Folder) -> Admission:
    draft = folder.latest()
    assert draft is not None
    return Admission(
        tool="gnome_set_text_size",
        draft=draft.n,
        sha256=draft.sha256,
        reviewers=("ben", "cleo"),
        by="dan",
        at=now(),
        files=(),
        root=".",
        why="two people accept it",
    )
