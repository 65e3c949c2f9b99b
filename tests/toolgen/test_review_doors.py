"""The doors of the review page, without a browser: who is let in, and who is told what, when."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from ambidex.host.errors import UsageError
from ambidex.host.runs.machines import MachineOptions
from ambidex.toolgen import Admission, Outcome
from ambidex.toolgen.review.serve import opened, reviewing
from ambidex.toolgen.store import Folder, folders, now
from ambidex.toolgen.verdicts import Said, decided, give, keep_opinion
from tests.toolgen.reviewed import ONE_CASE, furnished, made, passed, redraft, said

NO_MACHINES = MachineOptions(provider="none")
MARK = "a-word-that-only-ann-wrote"


class Client(httpx.Client):
    """One reviewer's browser."""

    def __init__(self, name: str, address: str) -> None:
        super().__init__(base_url=address.partition("?")[0], follow_redirects=True)
        self.name = name
        assert self.get(address).status_code == 200

    def say(self, folder: Folder, verdict: str, /, **more: Any) -> httpx.Response:
        """Give a verdict on the latest draft."""
        draft = folder.latest()
        assert draft is not None
        reasons = {} if verdict == "accept" else {"general": f"one case; {MARK}"}
        asked = {
            "reviewer": self.name,
            "draft": draft.n,
            "sha256": draft.sha256,
            "verdict": verdict,
            "reasons": reasons,
            "comment": f"{MARK}",
        }
        return self.post(f"/api/candidates/{folder.path.name}/verdict", json={**asked, **more})

    def everything(self) -> str:
        """All that any door tells this reviewer, in one text."""
        listed = self.get("/api/candidates")
        found = [listed.text, self.get("/api/desk").text]
        for each in listed.json()["candidates"]:
            found.append(self.get(f"/api/candidates/{each['name']}").text)
            tries = [
                f"reviews/{number}-{name}.json"
                for number, name in itertools.product((1, 2), ("ann", "model.toy"))
            ]
            for path in [*tries, "exchanges/0001.json", "stages/7-review.json", "candidate.json"]:
                for at in (path, f"evidence/../{path}", f"evidence/%2e%2e/{path}"):
                    answer = self.get(f"/files/{each['name']}/{at}")
                    assert answer.status_code == 404, at
                    found.append(answer.text)
        return "\n".join(found)


@contextmanager
def page(foundry: Path, *names: str) -> Iterator[list[Client]]:
    with opened(reviewing(foundry, names, NO_MACHINES)) as address, ExitStack() as stack:
        yield [stack.enter_context(closing(Client(name, address(name)))) for name in names]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return furnished(tmp_path)


def test_nobody_is_let_in_without_a_code_of_theirs(folder: Folder) -> None:
    with opened(reviewing(folder.path.parent, ["ann", "ben"], NO_MACHINES)) as address:
        base = address("ann").partition("/?")[0]
        assert base.startswith("http://127.0.0.1:")
        for path in ("/", "/api/candidates", "/api/desk", "/review/main.js", "/pages/dom.js"):
            assert httpx.get(base + path).status_code == 401
            assert httpx.get(base + path, params={"code": "guessed"}).status_code == 401
        verdict = f"{base}/api/candidates/text-size/verdict"
        assert httpx.post(verdict, json={}).status_code == 401
    assert folder.reviews() == []


def test_each_address_is_one_person(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        assert ann.get("/api/candidates").json()["reviewer"] == "ann"
        assert ben.get("/api/candidates").json()["reviewer"] == "ben"
        answer = ann.say(folder, "accept", reviewer="ben")
        assert (answer.status_code, "this page is ben's" in answer.text) == (409, True)
        another = ann.post("/api/desk", json={"order": "end"}, headers={"origin": "http://x.org"})
        assert another.status_code == 421
    assert folder.reviews() == []


def test_nothing_of_a_verdict_is_told_to_who_has_not_given_theirs(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        before = ben.everything()
        draft = folder.latest()
        assert draft is not None
        opinion = keep_opinion(folder, "toy", said(draft, "accept", MARK))
        assert ann.say(folder, "reject").status_code == 201
        told = passed(folder, "review", draft.n, outcome=Outcome.WAITING, reason=f"ann: {MARK}")
        folder.add_exchange({"stage": "review", "answer": MARK})
        assert ben.everything() == before
        assert MARK in ann.get("/api/candidates/text-size").text
        assert ben.say(folder, "accept").status_code == 201
        card = ben.get("/api/candidates/text-size").json()
        assert {each["reviewer"] for each in card["reviews"]} == {"ann", "ben", opinion.reviewer}
        assert card["text"] == "two people disagree: it waits for a third"
        assert told.reason not in json.dumps(card)


def test_a_third_person_knows_no_more_than_the_first_two_did(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben", "cleo") as (ann, ben, cleo):
        before = cleo.everything()
        ann.say(folder, "reject")
        assert cleo.everything() == before
        ben.say(folder, "accept")
        assert cleo.everything() == before
        assert cleo.say(folder, "accept").status_code == 201
        for each in (ann, ben, cleo):
            card = each.get("/api/candidates/text-size").json()
            assert card["state"] == "accept"
            assert len(card["reviews"]) == 3
    assert decided(folder).reviewers == ("ben", "cleo")


def test_what_was_said_of_an_earlier_draft_is_held_back_too(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        ann.say(folder, "revise")
        redraft(folder, ONE_CASE, by="review")
        redraft(folder, ONE_CASE + "# again\n", by="ann")
        assert MARK not in ben.everything()
        card = ben.get("/api/candidates/text-size").json()
        assert [each["from"] for each in card["drafts"]] == ["wrap", "trial", "", ""]
        assert ann.get("/api/candidates/text-size").json()["reviews"][0]["draft"] == 2
        ben.say(folder, "accept")
        card = ben.get("/api/candidates/text-size").json()
        assert [each["from"] for each in card["drafts"]] == ["wrap", "trial", "review", "ann"]
        assert [(each["reviewer"], each["draft"]) for each in card["reviews"]] == [
            ("ann", 2),
            ("ben", 4),
        ]


def test_a_verdict_that_cannot_be_read_says_nothing_of_itself_to_others(folder: Folder) -> None:
    with page(folder.path.parent, "ann", "ben") as (ann, ben):
        ann.say(folder, "accept")
        (folder.path / "reviews" / "2-ann.json").write_text(f'{{"verdict": "{MARK}"}}')
        assert MARK not in ben.everything()
        answer = ben.say(folder, "accept")
        assert (answer.status_code, MARK in answer.text) == (409, False)
        assert "2-ann" not in answer.text


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"verdict": "perhaps"}, "verdict: Input should be 'accept', 'revise' or 'reject'"),
        ({"draft": "two"}, "draft: Input should be a valid integer"),
        ({"mood": "good"}, "mood: unknown key"),
        ({"reasons": {"elegant": "yes"}}, "reasons.elegant: unknown key"),
        ({"reasons": {"safe": 1}}, "reasons.safe: Input should be a valid string"),
    ],
)
def test_a_malformed_verdict_is_refused_with_what_is_wrong(
    folder: Folder, more: dict[str, Any], what: str
) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        answer = ann.say(folder, "accept", **more)
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
def test_a_verdict_that_may_not_be_given_is_refused(
    folder: Folder, verdict: str, more: dict[str, Any], what: str
) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        answer = ann.say(folder, verdict, **more)
        assert (answer.status_code, what in answer.json()["error"]) == (409, True), answer.text
        assert ann.say(folder, "accept").status_code == 201
        assert "already" in ann.say(folder, "accept").json()["error"]
    assert len(folder.reviews()) == 1


def test_candidates_that_wait_for_the_reviewer_come_first(tmp_path: Path) -> None:
    for name in ("a-given", "b-decided", "c-waits", "d-admitted"):
        made(tmp_path, name)
    made(tmp_path, "e-early").add_draft(ONE_CASE, "", "wrap")
    given, done, _, admitted, _ = folders(tmp_path)
    _accept(given, "ann")
    _accept(done, "ben", "cleo")
    _accept(admitted, "ben", "cleo")
    admitted.admitted(_admission(admitted))
    with page(tmp_path, "ann") as (ann,):
        found = ann.get("/api/candidates").json()["candidates"]
    assert [(each["name"], each["state"]) for each in found] == [
        ("c-waits", "yours"),
        ("a-given", "others"),
        ("b-decided", "accept"),
        ("e-early", "early"),
        ("d-admitted", "admitted"),
    ]


def test_evidence_is_shown_and_nothing_else_is_given_out(folder: Folder) -> None:
    (folder.path / "pictures" / "other.png").write_bytes(b"not of a stage")
    (folder.path / "evidence" / "trial-source" / "page.html").write_text(
        "<script>alert(1)</script>"
    )
    with page(folder.path.parent, "ann") as (ann,):
        card = ann.get("/api/candidates/text-size").json()
        trial = next(each for each in card["stages"] if each["stage"] == "trial")
        kinds = {each["path"]: each["kind"] for each in trial["evidence"]}
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


def test_the_card_tells_what_a_model_is_told_and_what_changed(folder: Folder) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        card = ann.get("/api/candidates/text-size").json()
    told = card["now"]["signature"]
    assert (told["name"], told["returns"]) == ("gnome_set_text_size", "Setting")
    factor, relative = told["arguments"]
    assert (factor["type"], factor["default"]) == ("float", "")
    assert (relative["name"], relative["default"]) == ("relative", "False")
    assert "a quarter larger" in factor["description"]
    first, second = card["drafts"]
    signs = [each["sign"] for each in first["tool"]]
    assert {"+", "-", " "} <= set(signs)
    assert second["tool"] == []
    added = "".join(
        text for each in first["tool"] if each["sign"] == "+" for _, text in each["words"]
    )
    assert "relative" in added
    near = {each["name"] for each in card["nearest"]}
    assert {"gnome_set_setting", "os_change_text_scale"} <= near
    assert card["cost"] == {
        "calls": 5,
        "input_tokens": 27_353,
        "output_tokens": 4_386,
        "dollars": pytest.approx(0.0898),
    }


def test_a_draft_that_does_not_parse_is_shown_as_it_is(tmp_path: Path) -> None:
    redraft(made(tmp_path), "def broken(:\n")
    with page(tmp_path, "ann") as (ann,):
        card = ann.get("/api/candidates/text-size").json()
    assert card["now"]["signature"] is None
    assert "".join(text for _, text in card["now"]["tool"][0]) == "def broken(:"


@pytest.mark.parametrize("names", [[], ["ann", "Ann"], ["a b"], ["model.gpt"]])
def test_reviewers_have_a_name_each(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(UsageError):
        reviewing(tmp_path, names, NO_MACHINES)


def test_a_desktop_that_cannot_be_had_says_why(folder: Folder) -> None:
    with page(folder.path.parent, "ann") as (ann,):
        assert ann.get("/api/desk").json()["state"] == "none"
        assert ann.post("/api/desk", json={"order": "call"}).status_code == 409
        assert ann.post("/api/desk", json={"order": "dance"}).status_code == 400
        unknown = ann.post("/api/desk", json={"order": "start", "candidate": "nothing"})
        assert (unknown.status_code, "no candidate 'nothing'" in unknown.text) == (409, True)
        asked = {"order": "start", "candidate": "text-size"}
        assert ann.post("/api/desk", json=asked).status_code == 202
        while (desk := ann.get("/api/desk").json())["state"] == "starting":
            pass
        assert (desk["state"], "unknown provider: 'none'" in desk["note"]) == ("failed", True)
        assert ann.post("/api/desk", json={"order": "end"}).status_code == 202
        assert ann.get("/api/desk").json()["state"] == "none"


def _accept(folder: Folder, *names: str) -> None:
    draft = folder.latest()
    assert draft is not None
    for name in names:
        give(folder, name, Said(draft=draft.n, sha256=draft.sha256, verdict="accept"))


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
