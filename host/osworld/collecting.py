"""All getters of a task, carried out in the order in which OSWorld asks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from ambidex.evaluators.manifest import Source
from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.client.guest import Guest
from ambidex.host.osworld import suite_runs
from ambidex.host.osworld.from_browser import from_address, html, pages
from ambidex.host.osworld.from_files import cache_file, cloud_files, content, guest_files, of_slide
from ambidex.host.osworld.from_profile import appearance, profile, table
from ambidex.host.osworld.from_sites import site
from ambidex.host.osworld.from_system import command, desktop, program_file, vscode_file
from ambidex.host.osworld.getter_context import GetterError, Place, value
from ambidex.host.osworld.questions import QuestionRefusedError
from ambidex.host.osworld.shutdown import end_browser
from ambidex.host.osworld.waiting import Waiting
from ambidex.tasks.osworld import getter_types as asked
from ambidex.tasks.osworld import web_getter_types as web
from ambidex.tasks.osworld.evidence import Collected, StoredFile
from ambidex.tasks.osworld.getters import Getter
from ambidex.tasks.osworld.relative_dates import RelativeRules, fill_dates
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["Collector"]

Gathered = tuple[Collected | None, ...]
FILES = (
    asked.BackgroundInSlide,
    asked.CacheFile,
    asked.CloudFile,
    asked.ContentOfFile,
    asked.Directory,
    asked.GimpFile,
    asked.GuestFile,
    asked.RelativeRule,
    asked.Rule,
    asked.Shortcuts,
    asked.SoundInSlide,
    asked.VlcConfig,
    web.Profile,
    web.ProfileTable,
)
"""Getters that need nothing of the agent's session: files tell, or the benchmark itself."""


class Collector:
    """Carries out the getters of one task in its guest."""

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
        self._evidence = evidence
        self._steps = steps
        self._waiting = waiting
        self._clock = clock
        self.sources: dict[str, Source] = {}
        """Where each answer came from, once all are given."""

    def all(self) -> tuple[Gathered, Gathered]:
        """What every question is given: the results, and what they are compared with.

        The session is asked first, in OSWorld's order. Then all processes of the agent are frozen,
        and what files alone tell is read.
        """
        getters: list[tuple[str, Getter]] = []
        for index, question in enumerate(self._body.questions):
            getters.append((f"result-{index}", question.result))
            if question.expected:
                getters.append((f"expected-{index}", question.expected))
        live = [each for each in getters if not isinstance(each[1], FILES)]
        found = {name: self._one(name, getter) for name, getter in live}
        _ = self._guest.home  # where relative paths begin: nobody answers that afterwards
        if any(isinstance(each, web.Profile | web.ProfileTable) for _, each in getters):
            end_browser(self._guest)
        self._guest.freeze()
        for name, getter in getters:
            if isinstance(getter, FILES):
                found[name] = self._one(name, getter)
        self.sources = {name: _source(found[name], getter) for name, getter in getters}
        folder: dict[str, StoredFile | None] = {}
        seen = {name: _shadowed(found[name], folder) for name, _ in getters}
        count = range(len(self._body.questions))
        return (
            tuple(seen[f"result-{index}"] for index in count),
            tuple(seen.get(f"expected-{index}") for index in count),
        )

    def run_apart(
        self,
        results: Gathered,
        expected: Gathered,
        fresh: Callable[[], AbstractContextManager[Guest]],
    ) -> Gathered:
        """The results, with a report in the place of those that have to be run to be judged."""
        found = list(results)
        for index, question in enumerate(self._body.questions):
            if question.metric.metric.name in suite_runs.RUNS:
                name = str(question.metric.options.get("test_function_name", "test"))
                both, store = (results[index], expected[index]), self._body.store
                with fresh() as guest:
                    found[index] = suite_runs.report(guest, self._evidence, store, *both, name)
        return tuple(found)

    def _one(self, name: str, getter: Getter) -> Collected:
        place = Place(
            self._guest,
            self._body.store,
            self._waiting,
            self._evidence,
            name,
            self._steps,
            self._clock,
        )
        try:
            return self._got(place, getter)
        except (GetterError, QuestionRefusedError, GuestRefusalError) as failed:
            return Collected(getter=getter.type, state="failed", said=str(failed))

    def _got(self, place: Place, getter: Getter) -> Collected:
        match getter:
            case asked.GuestFile():
                return guest_files(place, getter)
            case asked.CloudFile():
                return cloud_files(place, getter)
            case asked.CacheFile():
                return cache_file(place, getter)
            case asked.ContentOfFile():
                return content(place, getter)
            case asked.SoundInSlide() | asked.BackgroundInSlide():
                return of_slide(place, getter)
            case asked.Rule():
                return value(getter.type, getter.rules)
            case asked.RelativeRule():
                return value(getter.type, fill_dates(getter.rules, self._today(getter.rules)))
            case asked.CommandOutput():
                return command(place, getter)
            case asked.GimpFile() | asked.VlcConfig() | asked.VlcStatus() | asked.Wallpaper():
                return program_file(place, getter)
            case asked.VscodeFile():
                return vscode_file(place, getter)
            case web.Profile():
                return profile(place, getter)
            case web.ProfileTable():
                return table(place, getter)
            case web.AppearanceMode():
                return appearance(place, getter)
            case web.ActiveTab() | web.OpenTabsInfo() | web.PageInfo():
                return pages(place, getter)
            case web.ActiveUrl() | web.UrlParse() | web.UrlPart() | web.UrlPath():
                return from_address(place, getter)
            case web.HtmlParse():
                return html(place, getter)
            case web.FromSite() | web.PdfFromUrl() | web.RecreationPage():
                return site(place, getter)
            case asked.GoogleDriveFile():
                raise GetterError("there is no Google account here")
            case _:
                return desktop(place, getter)

    def _today(self, rules: RelativeRules) -> date:
        """By the clock of the zone that is named, else by the guest's own."""
        now = datetime.fromisoformat(self._clock)
        return (now.astimezone(ZoneInfo(rules.timezone)) if rules.timezone else now).date()


def _source(collected: Collected, getter: Getter) -> Source:
    by: Literal["collector", "session"] = "collector" if isinstance(getter, FILES) else "session"
    flaw = collected.said if collected.state == "failed" else ""
    return Source(by=by, asked=getter.type, state=collected.state, flaw=flaw)


def _shadowed(collected: Collected, folder: dict[str, StoredFile | None]) -> Collected:
    """OSWorld keeps everything of a task in one folder, and does not fetch a file of the benchmark
    if one of that name is there: it then compares the guest's file with itself."""

    def plain(kept: StoredFile) -> str:
        return kept.name.rpartition("/")[2]

    files = [each for each in (*collected.files, *collected.beside) if each is not None]
    known = [each for each in files if each.sha256 and plain(each) in folder]
    seen = {plain(each): folder[plain(each)] for each in known}
    folder |= {plain(each): each for each in files if each not in known}
    if not any(other is not None and not other.sha256 for other in seen.values()):
        return collected
    instead = tuple(each and seen.get(plain(each), each) for each in collected.files)
    return collected.model_copy(update={"shadowed": instead})
