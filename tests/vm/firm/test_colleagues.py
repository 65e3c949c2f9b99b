"""Colleagues answer by scripts, the same each time."""

from __future__ import annotations

from string import Formatter

from ambidex.vm.building.services import SERVICES
from ambidex.vm.firm.draw import draw_firm
from tests.support.guest_programs import program_of

SCRIPTS = SERVICES / "colleagues/files/usr/share/ambidex/colleagues/scripts"
script = program_of("colleagues", "colleagues/script.py")
FIRM = draw_firm(1)
FACTS = dict(FIRM.facts)


def finance(*messages: str) -> str | None:
    scripts = {one["person"]: one for one in script.read_scripts(SCRIPTS)}
    said: str | None = script.answer(scripts["finance.0"], list(messages), FACTS)
    return said


def test_every_script_is_of_somebody_and_says_only_what_firms_know() -> None:
    places = {f"{team.name}.{n}" for team in FIRM.teams for n in range(len(team.members))}
    for one in script.read_scripts(SCRIPTS):
        assert one["person"] in places
        states = {rule.get("state", "") for rule in one["rule"]}
        assert {rule["next"] for rule in one["rule"] if "next" in rule} <= states | {""}
        for rule in one["rule"]:
            names = {name for _, name, _, _ in Formatter().parse(rule["say"]) if name}
            assert names <= FACTS.keys(), rule


def test_an_answer_follows_from_what_was_said_before() -> None:
    asked = "Which cost centre do I use?"
    assert finance(asked) == "Which team is it for?"
    assert finance(asked, "No idea") == "I need the name of the team."
    answered = f"Operations has {FACTS['cost_centre']}."
    assert finance(asked, "For operations, please") == answered
    assert finance(asked, "No idea", "Operations") == answered
    assert finance("For operations, please") is None, "nobody asked"
    assert finance(asked, "Operations", asked) == "Which team is it for?", "it starts again"


def test_a_word_is_found_at_its_beginning_in_any_case() -> None:
    assert (
        finance("The BUDGETS?") == f"The budget for training is {FACTS['training']} EUR this year."
    )
    assert finance("The lowbudget?") is None


def test_a_message_is_for_the_only_other_person_or_for_whom_it_names() -> None:
    def is_meant(text: str, members: int) -> bool:
        meant: bool = script.is_meant(text, "Carlos Keller", "carlos.keller", members)
        return meant

    assert is_meant("Hello", 2)
    assert not is_meant("Hello", 3)
    assert is_meant("carlos, which one?", 3)
    assert is_meant("@carlos.keller: which one?", 3)
    assert not is_meant("Carlosia is a town", 3)
