"""Attacks on the getters of OSWorld's tasks: whatever the desktop answers, the result can be stored
or is an error of the guest, and never a bug."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ambidex.host.client.evidence_files import EvidenceFiles
from ambidex.host.client.guest import Guest
from ambidex.host.client.limits import Patience
from ambidex.host.errors import GuestError
from ambidex.host.osworld.collecting import Collector
from ambidex.host.osworld.waiting import Waiting
from ambidex.tasks.osworld.evidence import Collected, Record
from ambidex.tasks.osworld.getters import parse_getter
from ambidex.tasks.osworld.task import OSWorldBody
from tests.attack.hostile import FRAME, NONSENSE, Hostile, ReceivedRequest, answer, as_json, hostile

ADDRESS = {"type": "active_url_from_accessTree"}
HTML = {"type": "active_tab_html_parse", "category": "class", "class_singleObject": {"a": "b"}}
PROFILE = (
    "bookmarks", "chrome_font_size", "data_delete_automacally", "default_search_engine",
    "enable_do_not_track", "enable_safe_browsing", "find_installed_extension_name",
    "find_unpacked_extension_path", "new_startup_page", "profile_name",
)  # fmt: skip
GETTERS: tuple[dict[str, Any], ...] = (
    *({"type": name} for name in PROFILE),
    {"type": "cookie_data"},
    {"type": "chrome_appearance_mode_ui"},
    {"type": "open_tabs_info"},
    {"type": "page_info", "url": "http://a.example"},
    ADDRESS,
    {"type": "active_tab_info"},
    {"type": "active_tab_url_parse", "parse_keys": ["q"]},
    {"type": "url_dashPart", "partIndex": 3, "returnType": "string"},
    {"type": "url_dashPart", "partIndex": -9, "returnType": "json"},
    {"type": "url_path_parse", "parse_keys": ["shirts", "Price_discount_range"]},
    HTML,
    {"type": "info_from_website", "url": "http://a.example", "infos": [], "backups": []},
    {"type": "pdf_from_url", "path": "http://a.example", "dest": "a.pdf"},
    {"type": "accessibility_tree"},
    {"type": "list_directory", "path": "/"},
    {"type": "vm_terminal_output"},
    {"type": "vm_screen_size"},
    {"type": "vm_window_size", "app_class_name": "a"},
    {"type": "vm_wallpaper", "dest": "a.png"},
    {"type": "shortcuts_on_desktop"},
    {"type": "default_video_player"},
    {"type": "vlc_config", "dest": "a"},
    {"type": "vlc_playing_info", "dest": "a"},
    {"type": "vm_command_line", "command": ["a"]},
    {"type": "audio_in_slide", "ppt_file_path": "/a.pptx", "slide_index": 0, "dest": "a"},
    {
        "type": "background_image_in_slide",
        "ppt_file_path": "/a.pptx",
        "slide_index": 0,
        "dest": "a",
    },
    {"type": "vm_file", "path": "/a", "dest": "a"},
)


@pytest.fixture(scope="module")
def server() -> Iterator[Hostile]:
    with hostile() as server:
        yield server


@pytest.fixture(scope="module")
def guest(server: Hostile) -> Iterator[Guest]:
    with Guest(server.endpoint, "token", patience=Patience(answer=20, call=20, back=1)) as guest:
        yield guest


def collected(guest: Guest, evidence: Path, getter: dict[str, Any]) -> Collected | None:
    """The getter's value as it is stored; None for an error of the guest."""
    question = SimpleNamespace(result=parse_getter(getter), expected=None)
    body = cast(OSWorldBody, SimpleNamespace(questions=[question], store=None))
    waiting = Waiting(guest, literal=False)
    try:
        collector = Collector(body, guest, evidence, (), waiting, "2026-01-02T03:04:05+00:00")
        results, _ = collector.all(lambda: nullcontext(EvidenceFiles(guest, "collector")))
    except GuestError as error:
        str(error).encode()
        return None
    written = Record(results=results, expected=()).model_dump_json(indent=1)
    (evidence / "record.json").write_text(written, encoding="utf-8")
    return results[0]


def desktop(stdout: str, content: bytes = b"") -> Any:
    """A guest whose every program prints the same text, except the one that prints the home, and
    whose every file has the same content."""
    file = json.dumps({"state": "file", "size": len(content)})
    health = {"ready": True, "checks": {}, "screen": [64, 48]}

    def says(request: ReceivedRequest) -> list[bytes]:
        match request.path:
            case "/harness/run":
                home = b"printenv" in request.body
                said = "/home/user\n" if home else stdout
                return as_json({"returncode": 0, "stdout": said, "stderr": ""})
            case "/harness/evidence/ask":
                return answer(stdout.encode())
            case "/harness/file" | "/harness/evidence/file":
                return answer(content, Ambidex_File=file)
            case "/harness/screenshot":
                return answer(zlib.compress(bytes(64 * 48 * 4)), Ambidex_Frame=json.dumps(FRAME))
        return as_json(health)

    return says


def named(getter: dict[str, Any]) -> str:
    return str(getter["type"])


@pytest.mark.parametrize("getter", GETTERS, ids=named)
def test_nonsense_from_the_desktop_is_collected_as_such_or_the_guests_fault(
    server: Hostile, guest: Guest, tmp_path: Path, getter: dict[str, Any]
) -> None:
    for nonsense in NONSENSE:
        for said in (
            nonsense,
            {"value": nonsense},
            {"error": nonsense},
            {"value": {"a": nonsense}},
        ):
            server.says = desktop(json.dumps(said))
            collected(guest, tmp_path, getter)
    for text in ("", "no JSON", "[" * 100_000, '{"value": ' + "[" * 150 + "]" * 150 + "}", "NaN"):
        server.says = desktop(text)
        collected(guest, tmp_path, getter)


@pytest.mark.parametrize(
    "typed", ["http://[", "https://a]b/?q=1", "//", "?" * 5000, "\0", "http://a/%zz?%zz=%"]
)
def test_whatever_is_typed_into_the_address_bar_is_no_bug(
    server: Hostile, guest: Guest, tmp_path: Path, typed: str
) -> None:
    server.says = desktop(json.dumps({"value": typed}))
    for getter in GETTERS:
        if "goto_prefix" in type(parse_getter(getter)).model_fields:
            collected(guest, tmp_path, getter)


PREFERENCES: tuple[dict[str, Any], ...] = (
    {"browser": [], "extensions": []},
    {"browser": {"theme": 1}, "extensions": {"settings": [], "theme": []}},
    {"browser": {"theme": {"color_scheme2": []}}, "extensions": {"theme": {"system_theme": {}}}},
    {"browser": {"theme": {"color_scheme2": {}}}, "extensions": {"settings": {"a": []}}},
    {"profile": [], "session": 5, "webkit": "", "safebrowsing": None, "roots": 7},
    {"default_search_provider_data": {"template_url_data": {"short_name": ["\udcff"]}}},
)


@pytest.mark.parametrize(
    "getter", [{"type": name} for name in (*PROFILE, "chrome_appearance_mode_ui")], ids=named
)
def test_preferences_of_the_agents_own_making_are_no_bug(
    server: Hostile, guest: Guest, tmp_path: Path, getter: dict[str, Any]
) -> None:
    for preferences in PREFERENCES:

        def says(
            request: ReceivedRequest, preferences: dict[str, Any] = preferences
        ) -> list[bytes]:
            refused = {"error": {"code": "no_browser", "message": "There is none.", "hint": ""}}
            live = any(do in request.body for do in (b"appearance", b"end_browser"))
            value: object = {"value": preferences}
            if live:
                value = refused if b"appearance" in request.body else {"value": True}
            said = desktop(json.dumps(value))
            return cast(list[bytes], said(request))

        server.says = says
        assert collected(guest, tmp_path, getter) is not None


def deck(**members: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return target.getvalue()


RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Type="audio" Id="a" Target="{}"/></Relationships>'
)
RELS, SLIDE = "ppt__slides___rels__slide1.xml.rels", "ppt__slides__slide1.xml"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\3\4",
        deck(),
        deck(**{RELS: b"<a"}),
        deck(**{RELS: RELATIONS.format("../" + "a" * 300).encode(), SLIDE: b"<a/>"}),
        deck(**{RELS: RELATIONS.format("..").encode(), SLIDE: b"<a/>"}),
        deck(**{RELS: RELATIONS.format("file://%00").encode(), SLIDE: b"<a/>"}),
        deck(**{RELS: RELATIONS.format("http://a").encode(), SLIDE: b"<a/>"}),
        deck(**{RELS: "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>".encode("utf-16")}),
        deck(**{RELS: RELATIONS.format("../a").encode()}).replace(b"Relation", b"RELATION"),
        deck(**{"ppt__media__" + "a" * 300: b"", SLIDE: b"<a/>",
                RELS: RELATIONS.format("../media/" + "a" * 300).encode()}),
    ],
)  # fmt: skip
def test_a_broken_presentation_is_no_bug(
    server: Hostile, guest: Guest, tmp_path: Path, content: bytes
) -> None:
    server.says = desktop("", content)
    for getter in GETTERS:
        if "ppt_file_path" in getter:
            found = collected(guest, tmp_path, getter)
            assert found is not None
            assert found.state == "failed" or found.files == (None,)
