"""The report: which lines there are, and that its tables, its JSON and its page say the same."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import matplotlib
import pytest
from rich.console import Console, RenderableType

from ambidex.host import Stop
from ambidex.host.errors import UsageError
from ambidex.host.records.rows import InterimVerdict
from ambidex.host.report.findings import find
from ambidex.host.report.history import histories
from ambidex.host.report.html_report import write_html
from ambidex.host.report.plots import plots
from ambidex.host.report.report_lines import lines
from ambidex.host.report.text_report import as_json, tables
from tests.support.played import row, run_of

ROWS = [
    row("a", beneficial=True, score=1, tool=2, steps=3, domain="calc", useful_tools=["calc_save"],
        offered=["calc_save", "calc_open"]),
    row("b", beneficial=True, score=0, tool=1, errors=1, steps=15, stop=Stop.STEP_LIMIT,
        domain="vlc", useful_tools=["vlc_play"], offered=["calc_save", "vlc_play"]),
    row("c", beneficial=False, score=1, gui=4, steps=5, domain="calc"),
]  # fmt: skip


def printed(found: RenderableType) -> str:
    console = Console(width=220, file=io.StringIO(), record=True)
    console.print(found)
    return console.export_text()


def reached(steps: int, score: float) -> InterimVerdict:
    return InterimVerdict(
        score=score, reason="", stop=Stop.STEP_LIMIT, steps=steps, malformed=0, unsettled=0,
        calls=(), input_tokens=0, output_tokens=0, cached_tokens=0, cost=0.0, requests=0, retries=0,
    )  # fmt: skip


def test_a_run_with_interim_verdicts_has_a_line_for_each_and_one_for_its_limit(
    tmp_path: Path,
) -> None:
    long = row("a", beneficial=True, score=1, tool=1, steps=40, checkpoints=[reached(15, 0.0)])
    run = run_of(tmp_path / "r", [long], checkpoints=[15], limits={"steps": 50})
    at15, at50 = lines([run])
    assert [(line.cap, line.summary.groups[2].accuracy) for line in (at15, at50)] == [
        (15, 0.0),
        (50, 1.0),
    ]
    assert (at15.summary.groups[2].acs, at50.summary.groups[2].acs) == (15.0, 40.0)
    assert (at15.name, at50.name) == ("a @15", "a @50")


def test_an_experiment_s_directory_stands_for_the_runs_in_it(tmp_path: Path) -> None:
    for name in ("two", "one"):
        run_of(tmp_path / name, ROWS)
    (tmp_path / "notes").mkdir()
    assert [line.run.name for line in lines([tmp_path])] == ["one", "two"]
    with pytest.raises(UsageError, match="not a run directory"):
        lines([tmp_path / "notes"])


def test_the_paper_s_figures_are_shown_for_a_model_that_it_has(tmp_path: Path) -> None:
    model = {"name": "anthropic/claude-sonnet-4-20250514"}
    played = [each.model_copy(update={"agent": "model"}) for each in ROWS]
    found = lines([run_of(tmp_path / "known", played, model=model)])
    beside = find(found)
    assert {each.model for each in beside.paper} == {"Claude-4-Sonnet"}
    assert "paper: Claude-4-Sonnet" in printed(tables(found, beside))
    assert {each["table"] for each in as_json(found, beside)[0]["paper"]} == {1}
    unknown = lines([run_of(tmp_path / "unknown", ROWS)])
    assert find(unknown).paper == ()
    assert {each.model for each in find(unknown, paper="o3").paper} == {"OpenAI o3"}
    with pytest.raises(UsageError, match="the paper has no model"):
        find(unknown, paper="nobody")


def test_two_equal_runs_are_reported_as_identical(tmp_path: Path) -> None:
    found = lines([run_of(tmp_path / name, ROWS) for name in ("one", "two")])
    said = printed(tables(found))
    assert "one a and two a: the rows of 3 trials are identical" in said
    assert "identical rows" in said
    (pair,) = as_json(found)[0]["against"]
    assert pair["identical"]["same"] is True
    assert pair["accuracy"]["verdict"] == "cannot tell"


def test_a_run_that_solves_eight_more_tasks_is_reported_as_better(tmp_path: Path) -> None:
    rows = [row(f"t{n}", beneficial=True, score=1, tool=1) for n in range(8)]
    worse = [each.model_copy(update={"score": 0.0}) for each in rows]
    found = lines([run_of(tmp_path / "good", rows), run_of(tmp_path / "bad", worse)])
    said = printed(tables(found))
    # 2 of 2^8 patterns of signs.
    assert re.search(r"accuracy % .* 100.0 .* 0.0 .*  8 .* 0.008 .* A is better", said)


def test_the_released_script_s_metrics_are_shown_only_if_requested(tmp_path: Path) -> None:
    found = lines([run_of(tmp_path / "r", ROWS)])
    assert "released script" not in printed(tables(found))
    assert as_json(found)[0]["released"] is None
    beside = find(found, as_released=True)
    assert "As the released script computes them" in printed(tables(found, beside))
    assert as_json(found, beside)[0]["released"][2]["tir"] == pytest.approx(2 / 3)


def test_a_run_without_any_score_is_reported_too(tmp_path: Path) -> None:
    void = row("a", beneficial=True, score=None, fate="void")
    found = lines([run_of(tmp_path / "r", [void])])
    assert "0/1" in printed(tables(found))
    write_html(found, find(found), tmp_path / "report.html")
    assert list(plots(found)) == []


VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """What a page holds and would load; fails where an element is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.loads: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    @property
    def trial_links(self) -> list[str]:
        """The links out of the page."""
        return [link for link in self.links if not link.startswith("#")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if tag == "a" and name == "href":
                self.links.append(value or "")
            elif name in ("src", "srcset", "href", "data", "action") and (value or "")[:1] != "#":
                self.loads.append(f"{tag} {value}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page about a run with an odd name and an odd reason in each row."""
    folder = tmp_path_factory.mktemp("published")
    rows = [
        each.model_copy(
            update={
                "trial": trial,
                "folder": f"{each.task}.{trial}",
                "seconds": {"model": 2.0, "guest": 1.0},
                "requests": 3,
                "input_tokens": 3000,
                "reason": '<script>alert("1")</script> & more',
            }
        )
        for each in ROWS
        for trial in (1, 2)
    ]
    run = run_of(folder / "odd $name$", rows)
    for each in rows:
        (run / each.folder).mkdir()
    found = lines([run])
    beside = find(found, as_released=True, paper="o3")
    for name in ("report.html", "again.html"):
        write_html(found, beside, folder / name)
    return folder / "report.html"


@pytest.fixture
def page(published: Path) -> str:
    return published.read_text(encoding="utf-8")


def test_the_page_is_the_same_for_the_same_rows(published: Path) -> None:
    assert published.read_bytes() == published.with_name("again.html").read_bytes()


def test_the_page_loads_nothing_and_is_well_formed(page: str) -> None:
    parsed = Page(page)
    assert parsed.loads == []
    assert re.findall(r"https?://", page) == []
    assert not re.search(r"@import|url\((?!#)", page)
    assert len(parsed.ids) == len(set(parsed.ids)), "an id is there twice"
    assert page.count("<script") == 1, "what a task's check said is text; one sorts tables"
    for used in re.findall(r'(?:url\(|href=")#([\w-]+)', page):
        assert used in parsed.ids


def test_the_page_has_the_numbers_of_the_tables(page: str) -> None:
    text = " ".join(Page(page).text.split())
    # a solved with a tool, c without, b not: 2/3 twice over.
    assert "66.7 % of 6 trials solved 95 %: 0.0–100.0 (bootstrap) TIR 66.7 %, 7.7 steps" in text
    for said in (
        "As the released script computes them",
        "paper: OpenAI o3",
        "Where the time of a trial goes",
        "a called 1 tool, and never 2 that it was offered",
        "6 of 6 planned trials were scored",
        "turn limit 2 (100.0)",
        "catalogue of tools",
    ):
        assert said in text, said


def test_every_trial_links_to_its_directory_relative_to_the_page(published: Path) -> None:
    links = Page(published.read_text(encoding="utf-8")).trial_links
    assert len(links) == 6
    assert all((published.parent / unquote(link)).is_dir() for link in links)


def test_every_section_has_an_anchor_that_the_contents_name(page: str) -> None:
    contents = re.search(r'<nav class="contents".*?</nav>', page, re.DOTALL)
    assert contents
    assert re.findall(r'href="#([\w-]+)"', contents[0]) == re.findall(r'<h2 id="([\w-]+)"', page)


def test_no_title_or_fact_names_a_directory_of_this_machine(published: Path, page: str) -> None:
    assert str(published.parent) not in page
    assert "<title>s: a</title>" in page


def test_labels_are_model_names_as_far_as_they_tell_lines_apart(tmp_path: Path) -> None:
    def line(run: str, model: str, condition: str = "hybrid") -> Path:
        own = row("a", beneficial=True, score=1, agent="model", model=model, condition=condition)
        config = {"model": {"name": model}, "condition": condition}
        return run_of(tmp_path / run, [own], **config)

    one, two = line("one", "openai/gpt-5"), line("two", "anthropic/claude")
    assert [found.name for found in lines([one, two])] == ["gpt-5", "claude"]
    gui = line("gui", "openai/gpt-5", "gui")
    assert [found.name for found in lines([one, gui])] == ["gpt-5, hybrid", "gpt-5, gui"]
    again = line("again", "openai/gpt-5")
    assert [found.name for found in lines([one, again])] == ["one gpt-5", "again gpt-5"]


def test_results_of_several_days_have_a_history(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / day, [row("a", beneficial=True, score=score, started=f"{day}T09:00:00")])
        for day, score in (("2026-03-02", 1), ("2026-01-05", 0))
    ]
    found = lines(runs)
    (history,) = histories(found)
    assert [result.day.isoformat() for result in history.results] == ["2026-01-05", "2026-03-02"]
    assert list(histories(found[:1])) == []
    write_html(found, find(found), tmp_path / "page.html")
    parsed = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "Accuracy on s from 2026-01-05 to 2026-03-02" in " ".join(parsed.text.split())
    assert "#history-of-s" in parsed.links
    assert "History of s" in printed(tables(found))


def test_as_json_is_json(tmp_path: Path) -> None:
    found = lines([run_of(tmp_path / "r", ROWS)])
    said = json.loads(json.dumps(as_json(found, find(found))))
    # a and b have a useful tool on offer; a calls it, b another one.
    assert said[0]["groups"][0]["choice"]["use_given_opportunity"] == 1 / 2
    assert said[0]["unused"] == ["calc_open", "vlc_play"]
    assert said[0]["steps"] == 15, "the limit"
    assert [each["steps"] for each in said[0]["step_counts"]] == [3, 5, 15]


def test_plots_leave_matplotlib_s_settings_unchanged(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    names = [plot.name for plot in plots(lines([run_of(tmp_path / "r", ROWS)]))]
    assert names == ["tir", "useful", "apps", "census-0", "steps"]
    assert dict(matplotlib.rcParams) == before
