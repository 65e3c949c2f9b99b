"""OSWorld's metrics on the browser, with literal getter values."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld.browser.addresses import equal
from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.asked import Case, agrees, judge, lacking, of
from tests.support.tables import every_case

MODULES = ("browser", "browser_profile")
TRIED = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])


def page(url: str) -> dict[str, str]:
    return {"type": "url", "url": url}


NPC = page("https://www.drugs.com/npc/")
active = of("is_expected_active_tab")
ACTIVE = [
    active("right", "the address", "https://drugs.com/npc/", NPC),
    active("right", "of a tab", {"title": "NPC", "url": "https://www.drugs.com/npc/"}, NPC),
    active("near", "another path", "https://www.drugs.com/npp/", NPC),
    active("near", "another suffix", "https://www.drugs.org/npc/", NPC, 1, 0),
    active("near", "another port", "https://www.drugs.com:8443/npc/", NPC, 1, 0),
    active("near", "another scheme", "http://www.drugs.com/npc/", NPC),
    active("near", "a query", "https://www.drugs.com/npc/?q=1", NPC),
    active("broken", "no address", {"title": "NPC"}, NPC),
    active("broken", "no page", None, NPC),
    active("broken", "no host", "http://[::1/", NPC),
]

PASSWORDS = page("chrome://password-manager/passwords")
nearly = of("is_expected_active_tab_approximate")
NEARLY = [
    nearly("right", "with a query", "chrome://password-manager/passwords?q=a", PASSWORDS),
    nearly("right", "a slash more", "https://a.example/", page("https://a.example"), 0, 1),
    nearly("near", "another page", "chrome://password-manager/checkup", PASSWORDS),
    nearly("broken", "no page", {"url": None}, PASSWORDS),
]

FEES = {"expected": ["united\\.com/en/us/fees(/.*)?", "user=q"]}
pattern = of("is_expected_url_pattern_match")
PATTERNS = [
    pattern("right", "both", "https://www.united.com/en/us/fees/any?user=q", FEES),
    pattern("right", "of a tab", {"url": "https://www.united.com/en/us/fees?user=q"}, FEES),
    pattern("near", "one", "https://www.united.com/en/us/fees/any", FEES),
    pattern("broken", "no address", {}, FEES),
]

SEARCH = {"expect": {"pattern": "(?i)google\\.com/search\\?q=nereida(?:&|$)"}}
query = of("is_expected_search_query")
QUERIES = [
    query("right", "searched", {"url": "https://www.Google.com/search?q=nereida&hl=en"}, SEARCH),
    query("near", "for more", {"url": "https://www.google.com/search?q=nereida+x"}, SEARCH),
    query("broken", "no address", {"title": "nereida"}, SEARCH),
]


def tabs(*urls: str) -> list[dict[str, str]]:
    return [{"title": "any", "url": url} for url in urls]


TWO = {"type": "url", "urls": ["https://github.com", "https://docs.python.org/3/"]}
TWICE = {"type": "url", "urls": ["https://github.com", "https://github.com/"]}
opened = of("is_expected_tabs")
OPENED = [
    opened("right", "both", tabs("https://docs.python.org/3/", "https://www.github.com/"), TWO),
    opened(
        "near", "one more", tabs("https://docs.python.org/3/", "https://github.com", "a.b"), TWO
    ),
    opened("near", "another", tabs("https://docs.python.org/", "https://github.com/"), TWO),
    opened(
        "near", "another suffix", tabs("https://docs.python.com/3/", "https://github.io"), TWO, 1, 0
    ),
    opened("near", "once for two", tabs("https://github.com", "https://a.example"), TWICE, 1, 0),
    opened("broken", "no tabs", {"tabs": []}, TWO),
    opened("broken", "a tab without address", [{"title": "a"}, {"title": "b"}], TWO),
]

cart = of("is_added_to_steam_cart")
CART = {"items": ["The Dota 2 Official Soundtrack"]}
CARTS = [
    cart("right", "there", {"content": "<b>The Dota 2 Official Soundtrack</b>"}, CART),
    cart("near", "part of it", {"content": "<b>The Dota 2 Soundtrack</b>"}, CART),
    cart("broken", "no page", {"title": "Cart"}, CART),
]


def bar(*children: dict[str, Any]) -> dict[str, Any]:
    return {"bookmark_bar": {"type": "folder", "name": "bar", "children": list(children)}}


def link(url: str) -> dict[str, Any]:
    return {"type": "url", "name": "a page", "url": url}


def folder(name: str, *children: dict[str, Any]) -> dict[str, Any]:
    return {"type": "folder", "name": name, "children": list(children)}


FOLDERS = {"type": "bookmark_bar_folders_names", "names": ["Favorites"]}
LINKS = {"type": "bookmark_bar_websites_urls", "urls": ["https://a.example/"]}
AUTHORS = {
    "type": "liked_authors_websites_urls",
    "names": ["Liked Authors"],
    "urls": [
        ["https://a.example/", "https://b.example/"],
        ["https://b.example/", "https://c.example/"],
    ],
}
A, B, C = (link(f"https://{each}.example/") for each in "abc")
marked = of("is_expected_bookmarks")
MARKED = [
    marked("right", "a folder", bar(folder("Favorites"), A), FOLDERS),
    marked("near", "two folders", bar(folder("Favorites"), folder("More")), FOLDERS),
    marked("right", "a page", bar(A, folder("More", B)), LINKS),
    marked("near", "a page more", bar(A, B), LINKS),
    marked("right", "first choices", bar(folder("Liked Authors", A, B)), AUTHORS),
    marked("right", "one for both", bar(folder("Liked Authors", B)), AUTHORS),
    marked("near", "two of one", bar(folder("Liked Authors", A)), AUTHORS),
    marked("near", "one more", bar(folder("Liked Authors", A, B, C)), AUTHORS),
    marked("near", "another folder", bar(folder("Authors", A, B)), AUTHORS),
    marked("broken", "no bar", {"other": {}}, FOLDERS),
    marked("broken", "no children", {"bookmark_bar": {"children": None}}, LINKS),
    marked("broken", "nothing", None, LINKS),
]

extensions = of("is_expected_installed_extensions")
EXTENSIONS = [
    extensions("right", "and more", ["Momentum", "Web Store"], {"expected": ["Momentum"]}),
    extensions("near", "another name", ["Momentum 2"], {"expected": ["Momentum"]}),
    extensions("broken", "no list", "Momentum", {"expected": ["Momentum"]}),
]

AMAZON = {"type": "domains", "domains": [".amazon.com"]}


def cookies(*hosts: str) -> list[list[Any]]:
    return [[13345, host, "", "session", b""] for host in hosts]


crumbs = of("is_cookie_deleted")
CRUMBS = [
    crumbs("right", "deleted", cookies(".a.example"), AMAZON),
    crumbs("right", "none at all", [], AMAZON),
    crumbs("near", "still there", cookies(".a.example", ".amazon.com"), AMAZON),
    crumbs("near", "of a host below", cookies("api.amazon.com"), AMAZON, 1, 0),
    crumbs("right", "of another suffix", cookies(".amazon.de"), AMAZON, 0, 1),
    crumbs("right", "of another name", cookies("notamazon.com"), AMAZON),
    crumbs("broken", "no rows", ["amazon.com"], AMAZON, 1, 0),
]

WATCHED = {"type": "keywords", "keywords": ["youtube"]}
history = of("check_history_deleted")
HISTORY = [
    history("right", "deleted", [["https://a.example/", "YouTube", 1]], WATCHED),
    history("near", "one left", [["https://a.example/?v=youtube", "any", 1]], WATCHED),
    history("broken", "no rows", [[]], WATCHED),
    history("broken", "nothing", None, WATCHED),
]

LARGE = {"type": "range", "min": 16, "max": 99999}
font = of("check_font_size")
FONTS = [
    font("right", "larger", {"default_font_size": 20}, LARGE),
    font("near", "the end itself", {"default_font_size": 16}, LARGE),
    font("right", "the value", {"default_font_size": 16}, {"type": "value", "value": 16}),
    font("near", "another value", {"default_font_size": 20}, {"type": "value", "value": 16}),
    font("broken", "no size", {"default_font_size": None}, LARGE),
    font("broken", "a truth value", {"default_font_size": True}, LARGE),
]

GAME = {"type": "name", "name": "Play Puzzle Game 2048"}


def shortcut(name: str) -> dict[str, str]:
    return {"/home/user/Desktop/chrome-1.desktop": f"[Desktop Entry]\nName={name}\nExec=a\n"}


short = of("is_shortcut_on_desktop")
SHORTCUTS = [
    short("right", "the name", shortcut("Play Puzzle Game 2048"), GAME),
    short("right", "a longer name", shortcut("Play Puzzle Game 2048 Online"), GAME),
    short("near", "a part of it", shortcut("P"), GAME, 1, 0),
    short("near", "another", shortcut("Chess"), GAME),
    short("near", "no name", shortcut(""), GAME, 1, 0),
    short("broken", "no files", ["Play Puzzle Game 2048"], GAME),
]

CASES = [
    *ACTIVE, *NEARLY, *PATTERNS, *QUERIES, *OPENED, *CARTS, *MARKED, *EXTENSIONS, *CRUMBS, *HISTORY,
    *FONTS, *SHORTCUTS,
]  # fmt: skip


@judge(CASES)
def test_the_verdicts_on_the_browser(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_the_browser_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


@every_case(
    ("metric", "rule"),
    [
        ("is_expected_active_tab", {"url": "a"}),
        ("is_expected_url_pattern_match", {"expected": ["("]}),
        ("is_expected_search_query", {"expect": "a"}),
        ("is_expected_tabs", {"type": "url", "urls": "https://a.example"}),
        ("is_expected_bookmarks", {"type": "all", "names": []}),
        ("is_cookie_deleted", {"type": "domains"}),
        ("check_font_size", {"type": "range", "min": 1}),
        ("is_shortcut_on_desktop", {"type": "url", "url": "a"}),
    ],
)
def test_a_malformed_rule_is_refused_at_load(metric: str, rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=metric):
        bind_metric(metric, {}).check_expected(rule)


def test_comparing_urls_does_not_use_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    assert equal("https://a.co.uk", "https://a.com", strict=False)


Labels = st.text("abcxyz-09", min_size=1, max_size=6)
Hosts = st.builds(".".join, st.lists(Labels, min_size=1, max_size=3))
Suffixes = st.sampled_from(["com", "org", "co.uk", "de", "github.io"])
Tails = st.builds(
    lambda path, query, anchor: (
        path + (f"?{query}" if query else "") + (f"#{anchor}" if anchor else "")
    ),
    st.sampled_from(["", "/", "/a", "/a/", "/a/B.html"]),
    st.sampled_from(["", "q=1", "q=1&r=2"]),
    st.sampled_from(["", "top"]),
)


@TRIED
@given(Hosts, Suffixes, Tails)
def test_urls_differing_in_default_scheme_www_or_a_bare_slash_are_equal(
    host: str, suffix: str, tail: str
) -> None:
    plain = f"{host}.{suffix}{tail}"
    for strict in (True, False):
        assert equal(plain, f"http://{plain}", strict=strict)
        assert not equal(plain, f"https://{plain}", strict=strict)
        if strict and not host.startswith("www."):
            assert equal(plain, f"http://www.{plain}", strict=strict)
        if tail in ("", "/"):
            assert equal(f"{host}.{suffix}", f"{host}.{suffix}/", strict=strict)


@TRIED
@given(Hosts, Suffixes, Suffixes, Tails)
def test_the_public_suffix_distinguishes_urls_only_if_strict(
    host: str, one: str, other: str, tail: str
) -> None:
    first, second = (f"https://{host}.{item}{tail}" for item in (one, other))
    assert equal(first, second, strict=True) is (one == other)
    if "github.io" not in (one, other):  # its owner is one label above
        assert equal(first, second, strict=False)


@TRIED
@given(Hosts, Suffixes, Tails, Tails)
def test_path_query_and_fragment_distinguish_urls(
    host: str, suffix: str, one: str, other: str
) -> None:
    def bare(tail: str) -> str:
        return tail[1:] if tail == "/" or tail.startswith(("/?", "/#")) else tail

    first, second = (f"https://{host}.{suffix}{item}" for item in (one, other))
    for strict in (True, False):
        assert equal(first, second, strict=strict) is (bare(one) == bare(other))


@TRIED
@given(st.text(max_size=60))
def test_any_text_is_a_url_or_unreadable(text: str) -> None:
    for strict in (True, False):
        with suppress(UnreadableError):
            assert equal(text, text, strict=strict)
