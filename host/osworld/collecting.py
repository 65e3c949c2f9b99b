"""Runs all getters of a task, in OSWorld's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from ambidex.evaluators.manifest import Source
from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.client.evidence_files import EvidenceFiles, FileReader
from ambidex.host.client.guest import Guest
from ambidex.host.osworld import suite_runs
from ambidex.host.osworld.from_browser import from_address, html, pages
from ambidex.host.osworld.from_files import cache_file, cloud_files, content, guest_files, of_slide
from ambidex.host.osworld.from_profile import appearance, profile, table
from ambidex.host.osworld.from_sites import site
from ambidex.host.osworld.from_system import command, desktop, program_file, vscode_file
from ambidex.host.osworld.getter_context import GetterContext, GetterError, value
from ambidex.host.osworld.questions import QuestionRefusedError
from ambidex.host.osworld.shutdown import end_browser
from ambidex.host.osworld.waiting import Waiting
from ambidex.tasks.osworld import getter_types
from ambidex.tasks.osworld import web_getter_types as web
from ambidex.tasks.osworld.evidence import Collected, StoredFile
from ambidex.tasks.osworld.getters import Getter
from ambidex.tasks.osworld.relative_dates import RelativeRules, fill_dates
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["Collector"]

Answers = tuple[Collected | None, ...]
FILES = (
    getter_types.BackgroundInSlide,
    getter_types.CacheFile,
    getter_types.CloudFile,
    getter_types.ContentOfFile,
    getter_types.Directory,
    getter_types.GimpFile,
    getter_types.GuestFile,
    getter_types.RelativeRule,
    getter_types.Rule,
    getter_types.Shortcuts,
    getter_types.SoundInSlide,
    getter_types.VlcConfig,
    web.Profile,
    web.ProfileTable,
)
"""Getters that need only files or the benchmark's own data, not the agent's session."""
BY_PATH = (
    getter_types.BackgroundInSlide,
    getter_types.ContentOfFile,
    getter_types.GimpFile,
    getter_types.GuestFile,
    getter_types.SoundInSlide,
    getter_types.VlcConfig,
)
"""Of these, the getters that read files by path. The host can read them from the machine's disk;
folders, shortcuts and the browser's profile are always read by the guest's collector."""


class Collector:
    """Runs the getters of one task in its guest."""

    def __init__(
        self,
        body: OSWorldBody,
        guest: Guest,
        evidence: Path,
        steps: Sequence[Path],
        waiting: Waiting,
        clock: str,
    ) -> None:
        self._body = body
        self._guest = guest
        self._files: FileReader = guest
        self._evidence = evidence
        self._steps = steps
        self._waiting = waiting
        self._clock = clock
        self.sources: dict[str, Source] = {}
        """The source of each answer; fill_dates by `all`."""

    def all(
        self, open_files: Callable[[], AbstractContextManager[EvidenceFiles]]
    ) -> tuple[Answers, Answers]:
        """The results of all questions, and the expected values they are compared with.

        Getters that need the session run first, in OSWorld's order. Then all processes of the agent
        are frozen, and the getters that only read files run; those that read them by path come
        last, and use `open_files`.
        """
        getters: list[tuple[str, Getter]] = []
        for index, question in enumerate(self._body.questions):
            getters.append((f"result-{index}", question.result))
            if question.expected:
                getters.append((f"expected-{index}", question.expected))
        live = [(name, getter) for name, getter in getters if not isinstance(getter, FILES)]
        answers = {name: self._run_getter(name, getter) for name, getter in live}
        _ = self._guest.home  # read and cached now: it cannot be queried after freezing
        if any(isinstance(getter, web.Profile | web.ProfileTable) for _, getter in getters):
            end_browser(self._guest)
        self._guest.freeze()
        for name, getter in getters:
            if isinstance(getter, FILES) and not isinstance(getter, BY_PATH):
                answers[name] = self._run_getter(name, getter)
        with open_files() as files:
            self._files, by = files.reader, files.by
            for name, getter in getters:
                if isinstance(getter, BY_PATH):
                    answers[name] = self._run_getter(name, getter)
        self.sources = {name: _source(answers[name], getter, by) for name, getter in getters}
        folder: dict[str, StoredFile | None] = {}
        shadowed = {name: _shadowed(answers[name], folder) for name, _ in getters}
        indices = range(len(self._body.questions))
        return (
            tuple(shadowed[f"result-{index}"] for index in indices),
            tuple(shadowed.get(f"expected-{index}") for index in indices),
        )

    def run_apart(
        self,
        results: Answers,
        expected: Answers,
        fresh: Callable[[], AbstractContextManager[Guest]],
    ) -> Answers:
        """The results, with those that must be executed to be judged replaced by a report.

        `fresh` makes a fresh guest for each of these runs.
        """
        replaced = list(results)
        for index, question in enumerate(self._body.questions):
            if question.metric.metric.name in suite_runs.RUNS:
                name = str(question.metric.options.get("test_function_name", "test"))
                both, store = (results[index], expected[index]), self._body.store
                with fresh() as guest:
                    replaced[index] = suite_runs.report(guest, self._evidence, store, *both, name)
        return tuple(replaced)

    def _run_getter(self, name: str, getter: Getter) -> Collected:
        context = GetterContext(
            self._guest,
            self._files,
            self._body.store,
            self._waiting,
            self._evidence,
            name,
            self._steps,
            self._clock,
        )
        try:
            return self._dispatch(context, getter)
        except (GetterError, QuestionRefusedError, GuestRefusalError) as failed:
            return Collected(getter=getter.type, state="failed", said=str(failed))

    def _dispatch(self, context: GetterContext, getter: Getter) -> Collected:
        match getter:
            case getter_types.GuestFile():
                return guest_files(context, getter)
            case getter_types.CloudFile():
                return cloud_files(context, getter)
            case getter_types.CacheFile():
                return cache_file(context, getter)
            case getter_types.ContentOfFile():
                return content(context, getter)
            case getter_types.SoundInSlide() | getter_types.BackgroundInSlide():
                return of_slide(context, getter)
            case getter_types.Rule():
                return value(getter.type, getter.rules)
            case getter_types.RelativeRule():
                return value(getter.type, fill_dates(getter.rules, self._today(getter.rules)))
            case getter_types.CommandOutput():
                return command(context, getter)
            case (
                getter_types.GimpFile()
                | getter_types.VlcConfig()
                | getter_types.VlcStatus()
                | getter_types.Wallpaper()
            ):
                return program_file(context, getter)
            case getter_types.VscodeFile():
                return vscode_file(context, getter)
            case web.Profile():
                return profile(context, getter)
            case web.ProfileTable():
                return table(context, getter)
            case web.AppearanceMode():
                return appearance(context, getter)
            case web.ActiveTab() | web.OpenTabsInfo() | web.PageInfo():
                return pages(context, getter)
            case web.ActiveUrl() | web.UrlParse() | web.UrlPart() | web.UrlPath():
                return from_address(context, getter)
            case web.HtmlParse():
                return html(context, getter)
            case web.FromSite() | web.PdfFromUrl() | web.RecreationPage():
                return site(context, getter)
            case getter_types.GoogleDriveFile():
                raise GetterError("no Google account is available")
            case _:
                return desktop(context, getter)

    def _today(self, rules: RelativeRules) -> date:
        """The current date in the rules' time zone or, if they name none, in the guest's."""
        now = datetime.fromisoformat(self._clock)
        return (now.astimezone(ZoneInfo(rules.timezone)) if rules.timezone else now).date()


def _source(collected: Collected, getter: Getter, by_path: Literal["collector", "disk"]) -> Source:
    flaw = collected.said if collected.state == "failed" else ""
    by: Literal["collector", "disk", "session"] = "session"
    if isinstance(getter, FILES):
        by = by_path if isinstance(getter, BY_PATH) else "collector"
    return Source(by=by, asked=getter.type, state=collected.state, flaw=flaw)


def _shadowed(collected: Collected, folder: dict[str, StoredFile | None]) -> Collected:
    """Reproduce an oddity of OSWorld: it stores all files of a task in one folder, and does not
    download a file of the benchmark if one of that name exists. It then compares the guest's file
    with itself."""

    def plain(kept: StoredFile) -> str:
        return kept.name.rpartition("/")[2]

    files = [file for file in (*collected.files, *collected.beside) if file is not None]
    known = [file for file in files if file.sha256 and plain(file) in folder]
    existing = {plain(file): folder[plain(file)] for file in known}
    folder |= {plain(file): file for file in files if file not in known}
    if not any(other is not None and not other.sha256 for other in existing.values()):
        return collected
    instead = tuple(file and existing.get(plain(file), file) for file in collected.files)
    return collected.model_copy(update={"shadowed": instead})
