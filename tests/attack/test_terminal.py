"""Text from a guest, a model or a task's author that tries to control the terminal."""

from __future__ import annotations

import ast
import json
import sys
import unicodedata
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from ambidex.host import Limits
from ambidex.host.cli.main import main
from ambidex.host.client.survey import Change, as_evidence
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Failure
from ambidex.host.room import tui
from ambidex.host.runs.progress_lines import ProgressDisplay
from ambidex.host.terminal import Terminal, echo, one_line, print_json, visible
from tests.host.runs.test_progress import State
from tests.support.played import row, run_of

ROOT = Path(__file__).parents[2]

TITLE = "\x1b]0;solved\x07"
CLIPBOARD = "\x1b]52;c;cm0gLXJmIH4K\x07"
REPORT = "\x1b[6n"
EIGHT_BIT = "\x9b2J"
OVERWRITE = "score 0\rscore 1"
BIDI = "\u202e1 erocs\u202c"
HALF = "\udcff"
EVIL = TITLE + CLIPBOARD + REPORT + EIGHT_BIT + OVERWRITE + BIDI + HALF + "\x00\x7f\u2028\u200b"
MARKUP = "[link=file:///etc/passwd]here[/link] [/] [bold"


def harmless(shown: str) -> bool:
    """Whether a terminal only displays the text."""
    kinds = {unicodedata.category(each) for each in shown if each not in "\n\t"}
    return not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_what_a_terminal_obeys_is_shown_as_what_it_is() -> None:
    assert harmless(visible(EVIL))
    assert visible("\x1b[2J") == "\\x1b[2J"
    assert visible("\u202e") == "\\u202e"
    assert visible("\U000e0041") == "\\U000e0041"
    assert visible("a\tb\nc: Zoë, 日本語, 🙂, שלום") == "a\tb\nc: Zoë, 日本語, 🙂, שלום"


def test_every_control_character_is_shown_and_not_sent() -> None:
    kinds = {"Cc", "Cs", "Zl", "Zp"}
    sent = [
        hex(number)
        for number in range(sys.maxunicode + 1)
        if unicodedata.category(chr(number)) in kinds
        and chr(number) not in "\n\t"
        and visible(chr(number)) == chr(number)
    ]
    assert sent == []


def test_a_quoted_reason_cannot_pass_for_a_line_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert one_line("no\n10 of 10 hold") == "no\\n10 of 10 hold"
    echo(EVIL)
    echo(EVIL, error=True)
    said = capsys.readouterr()
    assert harmless(said.out)
    assert harmless(said.err)


def test_a_table_is_no_way_round(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(EVIL, title=EVIL, caption=EVIL)
    table.add_row(EVIL)
    table.add_row(Text(EVIL))
    table.add_row(MARKUP)
    Terminal(width=200).print(table, EVIL, MARKUP)
    shown = capsys.readouterr().out
    assert harmless(shown)
    assert shown.count(MARKUP) == 2


def test_a_report_of_hostile_rows_is_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ambidex report` on a run from somebody else."""
    evil = EVIL.replace(HALF, "")  # rows are UTF-8
    played = [
        row("a", beneficial=True, score=0, tool=1, domain=evil, useful_tools=[evil], agent=evil),
        row("c", beneficial=False, score=1, domain=MARKUP, reason=MARKUP),
    ]
    failure = Failure(type="GuestError", message=evil + MARKUP)
    void = row("b", beneficial=True, score=0).model_copy(
        update={"fate": "void", "score": None, "failure": failure}
    )
    run = run_of(tmp_path / "[b]run", [*played, void])
    for words in (["report", str(run)], ["report", str(run), "--json"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        said = capsys.readouterr()
        assert ended.value.code == 0, said.err
        assert harmless(said.out + said.err)


def test_colours_of_ours_are_still_sent_and_those_in_a_text_are_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    Terminal(width=100).print(Text.assemble(("ours", "red"), " \x1b[31mtheirs"))
    shown = capsys.readouterr().out
    assert "\x1b[31mours" in shown
    assert "\\x1b[31mtheirs" in shown


@pytest.mark.parametrize("text", [EVIL, MARKUP])
def test_a_line_of_progress_is_harmless(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay(2, f"run {text}", Limits()) as show:
        show.run_started([], 2)
        show.attempt_started(Job(text, text, 1), 1, State())
        scored = row(beneficial=True, score=0, reason=text, agent=text)
        scored = scored.model_copy(update={"task": text})
        show.attempt_ended(scored, 1)
        failure = Failure(type=text, message=text, console=text)
        show.attempt_ended(scored.model_copy(update={"fate": "void", "failure": failure}), 0)
        show.message(text)
    said = capsys.readouterr()
    assert harmless(said.out)
    assert harmless(said.err)


def test_an_error_s_message_and_hint_are_harmless(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    missing = tmp_path / f"run{EVIL}".replace("\x00", "")
    with pytest.raises(SystemExit) as ended:
        main(["report", str(missing)])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert "\\x1b]0;solved" in said
    assert harmless(said)


def test_a_traceback_is_harmless(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError(EVIL)

    monkeypatch.setattr("ambidex.host.cli.main.app", broken)
    with pytest.raises(SystemExit) as ended:
        main(["tools"])
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert "Traceback" in said
    assert harmless(said)


def test_json_means_the_same_and_holds_no_controls(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"reason": EVIL, "other": ["\U000e0041", "é", 1, None]}
    print_json(value)
    said = capsys.readouterr().out
    assert harmless(said)
    assert json.loads(said) == value
    evidence = as_evidence([Change("file", EVIL, "new")], "/home/user")
    assert harmless(evidence)
    assert json.loads(evidence)["changes"][0]["what"] == EVIL


@pytest.mark.parametrize("text", [EVIL, MARKUP])
def test_the_room_on_a_terminal_shows_steps_as_text(text: str) -> None:
    step = {
        "kind": "step",
        "number": 1,
        "actor": "agent",
        "thought": text,
        "calls": [{"name": text, "arguments": {text: text}}, {"name": "b", "arguments": {}}],
        "results": [{"error": text, "text": text}, {"error": "", "text": text}],
        "malformed": text,
        "stop": text,
    }
    for actor in ("agent", "human"):
        shown = tui._line_text({**step, "actor": actor})
        assert harmless(shown.plain)
        assert not any("link" in str(span.style) for span in shown.spans)
    said = {"text": text, "login": text, "answer": text}
    for kind in ("person", "colleague"):
        shown = tui._line_text({"kind": kind, "order": "hint", **said})
        assert harmless(shown.plain)


WRITERS = {"host/terminal.py"}
INSIDE = ("host/client/inside/", "toolgen/inside/")
"""They run in a guest."""


def test_nothing_else_in_host_and_toolgen_writes_to_a_terminal() -> None:
    found = []
    for package in ("host", "toolgen"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if name not in WRITERS and not name.startswith(INSIDE):
                source = path.read_text(encoding="utf-8")
                found += [f"{name}:{line}: {what}" for line, what in _written(source)]
    assert found == []


WORDS = ("print", "Console", "stdout", "stderr")


def _written(source: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    if not any(word in source for word in WORDS):  # most files need no parsing
        return found
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="print")):
                found.append((node.lineno, "print"))
            case ast.Name(id="Console"):
                found.append((node.lineno, "Console"))
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr"):
                found.append((node.lineno, f"sys.{node.attr}"))
            case ast.Attribute(value=ast.Name(id="traceback"), attr="print_exc"):
                found.append((node.lineno, "traceback.print_exc"))
    return found
