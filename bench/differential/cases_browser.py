"""Cases of the metrics on a browser: its pages and its profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.differential import Case, Cases
from bench.differential.cases_values import REFUSED, rare
from bench.differential.mutants import asked, value_mutant
from tests.evaluators.osworld.test_browser import CASES as BROWSER

ADDRESSES = [
    "https://www.apple.com/",
    "https://scholar.google.com/citations?user=x&hl=en",
    "github.com",
    "https://docs.python.org/3/",
    "https://www.nfl.com/scores/2019/post4#a",
    "chrome://settings/",
    "http://example.co.uk:8080/a;b?c#d",
    "about:blank",
    "",
    "http://[::1",
    "http://a:port/",
    "file:///home/user/a.html",
    "http://user@example.org/",
    "https://xn--bcher-kva.example/",
]
CHANGES: dict[str, Callable[[str], str]] = {
    "equal": lambda url: url,
    "www.": lambda url: url.replace("www.", "") if "www." in url else url.replace("://", "://www."),
    "m.": lambda url: url.replace("://", "://m.", 1),
    "www.m.": lambda url: url.replace("://", "://www.m.", 1),
    "another scheme": lambda url: url.replace("https:", "http:"),
    "no scheme": lambda url: url.partition("://")[2] or url,
    "a slash": lambda url: url[:-1] if url.endswith("/") else f"{url}/",
    "letter case": str.upper,
    "another suffix": lambda url: url.replace(".com", ".de").replace(".org", ".co.uk"),
    "a query": lambda url: f"{url}?a=b",
    "without its query": lambda url: url.partition("?")[0],
    "a fragment": lambda url: f"{url}#x",
    "parameters": lambda url: f"{url};x",
    "a port": lambda url: url.replace(".com", ".com:443"),
    "another path": lambda url: f"{url}x",
    "escaped": lambda url: url.replace("=", "%3D"),
    "a newline": lambda url: f"{url}\n",
    "a blank": lambda url: f" {url}",
}


def near(random: Random, url: str) -> tuple[str, str]:
    """An address that is nearly equal to the other."""
    name = random.choice(["equal", *CHANGES])
    return name, CHANGES[name](url)


def known(metric: str, made: Callable[[Random], tuple[str, Any, Any]]) -> Cases:
    """The browser's data and a rule for it; either may be changed."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from asked(metric, folder, BROWSER)
        while True:
            note, seen, rules = made(random)
            if random.random() < 0.3:
                more, seen = value_mutant(random, seen, 0.0)
                note = f"{note}; {more}"
            said, rules = rare(random, rules)
            yield Case(metric, seen, rules, {}, said or note)

    return cases


def tab(random: Random, url: str) -> Any:
    """A getter's answer about a page."""
    return random.choice([url, {"title": "x", "url": url}, {"title": "x", "url": url}])


def active(random: Random) -> tuple[str, Any, Any]:
    """The open page, and the expected address."""
    wanted = random.choice(ADDRESSES)
    note, seen = near(random, wanted)
    return note, tab(random, seen), {"type": "url", "url": wanted}


def tabs(random: Random) -> tuple[str, Any, Any]:
    """Open tabs, and the expected addresses."""
    wanted = random.sample(ADDRESSES, random.randint(1, 3))
    notes, seen = zip(*(near(random, each) for each in wanted), strict=True)
    opened: list[Any] = [{"title": "x", "url": each} for each in seen]
    random.shuffle(opened)
    if random.random() < 0.2:
        opened[0] = opened[-1]
    return str(notes[0]), opened, {"type": "url", "urls": wanted}


def patterns(random: Random) -> tuple[str, Any, Any]:
    """The open page, and patterns for its address."""
    note, seen = near(random, random.choice(ADDRESSES))
    wanted = [
        "https://scholar.google.com/citations",
        "user=x",
        r"forms\?title=",
        "^http",
        r"(?i)APPLE",
        "$",
        "",
    ]
    return note, tab(random, seen), {"expected": random.sample(wanted, random.randint(0, 2))}


SEARCH = r"(?i)https?://(?:www\.)?google\.com/search\?q=nereida(?:&|$|#)"


def search(random: Random) -> tuple[str, Any, Any]:
    """The open page, and the expected search."""
    note, seen = near(random, "https://www.google.com/search?q=nereida&x=1")
    return note, tab(random, seen), {"expect": {"pattern": random.choice([SEARCH, "q=", "zz"])}}


def cart(random: Random) -> tuple[str, Any, Any]:
    """A page, and the items that it should contain."""
    items = ["The Dota 2 Official Soundtrack", "x"]
    content: Any = random.choice([" and ".join(items), items[0].upper(), items, "", items[0]])
    return "a page", {"title": "Cart", "content": content}, {"items": items[: random.randint(0, 2)]}


def folder_of(*children: dict[str, Any], name: str = "x") -> dict[str, Any]:
    """A folder of bookmarks."""
    return {"type": "folder", "name": name, "children": list(children)}


def page(url: str) -> dict[str, Any]:
    """A bookmark."""
    return {"type": "url", "name": "x", "url": url}


def bookmarks(random: Random) -> tuple[str, Any, Any]:
    """Bookmarks, and the expected ones."""
    first, second = "https://jimfan.me/", "https://ai.stanford.edu/~dahuang/"
    authors = folder_of(
        page(first), page(second), name=random.choice(["Liked Authors"] * 5 + ["x"])
    )
    children = random.sample(
        [authors, page(first), page(second), folder_of(name="Favorites"), {"type": "other"}],
        random.randint(1, 5),
    )
    if random.random() < 0.1:
        children.append({"name": "no type", "url": first})
    urls: list[Any] = random.choice(
        [
            [first, second],
            [[first, "x"], [second]],
            [[first], second],
            [first],
            [[], first],
            [["x", "y"], [first, second]],
        ]
    )
    rules: dict[str, Any] = random.choice(
        [
            {
                "type": "bookmark_bar_folders_names",
                "names": random.choice([["Favorites"], ["Liked Authors", "Favorites"], []]),
            },
            {
                "type": "bookmark_bar_websites_urls",
                "urls": random.choice([[first], [first, second]]),
            },
            {"type": "liked_authors_websites_urls", "names": ["Liked Authors"], "urls": urls},
        ]
    )
    return rules["type"], {"bookmark_bar": folder_of(*children)}, rules


NAMES = ["Zoom Chrome Extension", "Zoom for Google Chrome", "Play 2048", "helloExtension"]


def extensions(random: Random) -> tuple[str, Any, Any]:
    """Installed extensions, and the expected ones."""
    seen = random.sample(NAMES, random.randint(0, 3))
    return "names", seen, {"expected": random.sample(NAMES, random.randint(0, 2))}


HOSTS = [
    ".amazon.com",
    "www.amazon.com",
    "amazon.de",
    "api.amazon.com",
    ".amazon.co.uk",
    "x.org",
    "amazon.com.evil.org",
    "www.www.amazon.com",
    "AMAZON.com",
    "",
]


def cookies(random: Random) -> tuple[str, Any, Any]:
    """Rows of cookies, and the domains that should have none."""
    rows = [[1, host, "name", None] for host in random.choices(HOSTS, k=random.randint(0, 3))]
    return "rows", rows, {"type": "domains", "domains": random.sample(HOSTS, random.randint(1, 2))}


def history(random: Random) -> tuple[str, Any, Any]:
    """Rows of the history, and words that none should contain."""
    urls = ["https://www.youtube.com/watch", "https://YouTube.com", "https://x.org/?q=youtube", "a"]
    rows = [[url, "title", 1] for url in random.choices(urls, k=random.randint(0, 3))]
    words = random.choice([["youtube"], ["youtube", "x"], ["YouTube"], [], [""]])
    return "rows", rows, {"type": "keywords", "keywords": words}


def fonts(random: Random) -> tuple[str, Any, Any]:
    """Font sizes, and the expected size."""
    size = random.choice([16, 16.0, 20, "16", None, True, 99999, 13])
    rules = random.choice(
        [
            {"type": "range", "min": 16, "max": 99999},
            {"type": "value", "value": 16},
            {"type": "value", "value": None},
            {"type": "value", "value": "16"},
            {"type": "range", "min": 0, "max": 16.5},
        ]
    )
    return f"{size!r}", {"default_font_size": size, "minimum_font_size": 0}, rules


def shortcuts(random: Random) -> tuple[str, Any, Any]:
    """Shortcuts on the desktop, and the expected one."""
    name = "Play Puzzle Game 2048"
    said = random.choice([name, name.lower(), "2048", "", f"{name} x", f" {name}", "Other", "P"])
    key = random.choice(["Name"] * 6 + ["GenericName", "Name[en]", "name"])
    command = "chrome --app=x"
    lines = ["[Desktop Entry]", f"Exec={random.choice([command, 'chrome', f'{command} %U', ''])}"]
    lines.insert(random.randint(0, 2), f"{key}={said}")
    text = random.choice(["\n", "\n", "\r\n", "\r"]).join(lines) + random.choice(["\n", ""])
    rules = random.choice(
        [{"type": "name", "name": name}] * 4
        + [{"type": "exec", "exec": command}, {"type": "url", "url": "x"}]
    )
    seen: dict[str, str] = {"/home/user/Desktop/a.desktop": text}
    if random.random() < 0.1:
        seen = {}
    return key, seen, rules


REASONS = {
    "another rule": REFUSED,
    "check_history_deleted: rows; in a list": "lists in the place of rows: no table gives them",
}
CASES: dict[str, Cases] = {
    "is_expected_active_tab": known("is_expected_active_tab", active),
    "is_expected_active_tab_approximate": known("is_expected_active_tab_approximate", active),
    "is_expected_url_pattern_match": known("is_expected_url_pattern_match", patterns),
    "is_expected_search_query": known("is_expected_search_query", search),
    "is_expected_tabs": known("is_expected_tabs", tabs),
    "is_added_to_steam_cart": known("is_added_to_steam_cart", cart),
    "is_expected_bookmarks": known("is_expected_bookmarks", bookmarks),
    "is_expected_installed_extensions": known("is_expected_installed_extensions", extensions),
    "is_cookie_deleted": known("is_cookie_deleted", cookies),
    "check_history_deleted": known("check_history_deleted", history),
    "check_font_size": known("check_font_size", fonts),
    "is_shortcut_on_desktop": known("is_shortcut_on_desktop", shortcuts),
}
