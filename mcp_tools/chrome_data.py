"""What Chromium keeps: bookmarks, browsing data, settings; by the browser's own pages for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from mcp_tools import ToolError
from mcp_tools.chrome import app, shown
from mcp_tools.devtools import browser_page, connected, evaluate
from mcp_tools.tabs import Tab, TabName, find

__all__ = ["app"]

BOOKMARKS = "chrome://bookmarks/"
SETTINGS = "chrome://settings/"
DIALOG = "chrome://settings/clearBrowserData"
ENTRIES = 500
DELETES_WITHIN = 60.0

Kind = Literal[
    "history", "cookies", "cache", "downloads", "passwords", "form_data", "site_settings"
]
STORED = {
    "history": "browser.clear_data.browsing_history",
    "cookies": "browser.clear_data.cookies",
    "cache": "browser.clear_data.cache",
    "downloads": "browser.clear_data.download_history",
    "passwords": "browser.clear_data.passwords",
    "form_data": "browser.clear_data.form_data",
    "site_settings": "browser.clear_data.site_settings",
}
PERIODS = {"last_hour": 0, "last_day": 1, "last_week": 2, "last_4_weeks": 3, "all_time": 4}
Folder = Annotated[
    Optional[str],
    Field(
        min_length=1,
        description='a folder of bookmarks by its path, such as "Bookmarks bar/News"; the bookmarks '
        "bar if left out, or if the path begins with none of the top folders",
    ),
]


@dataclass(frozen=True)
class Bookmark:
    """A bookmark, or a folder of them if it has no `url`. `folder` is the path it lies in."""

    title: str
    url: Optional[str]
    folder: str


@dataclass(frozen=True)
class Bookmarked:
    """The bookmark as it is stored; `created` is false if that page was there in that folder."""

    bookmark: Bookmark
    created: bool


@dataclass(frozen=True)
class Bookmarks:
    """Bookmarks and folders from top to bottom; `left_out` were too many."""

    entries: list[Bookmark]
    left_out: int


@dataclass(frozen=True)
class Deleted:
    """What was deleted, of which time and site; or `tab`, where the dialog waits for an answer."""

    kinds: list[Kind]
    since: str
    tab: Optional[Tab]


@dataclass(frozen=True)
class Preference:
    """A setting of the browser, by the name under which the profile stores it."""

    name: str
    value: Any


FOLDER = """
const folder = async path => {
    const tops = (await chrome.bookmarks.getTree())[0].children;
    const parts = (path ?? '').split('/').map(part => part.trim()).filter(part => part);
    const alike = (a, b) => a.toLowerCase() === b.toLowerCase();
    const top = parts.length && tops.find(each => alike(each.title, parts[0]));
    let here = top || tops.find(each => each.folderType === 'bookmarks-bar') || tops[0];
    const names = [here.title];
    let made = false;
    for (const part of top ? parts.slice(1) : parts) {
        const inside = await chrome.bookmarks.getChildren(here.id);
        let next = inside.find(each => !each.url && each.title === part)
            ?? inside.find(each => !each.url && alike(each.title, part));
        if (!next) {
            next = await chrome.bookmarks.create({parentId: here.id, title: part});
            made = true;
        }
        here = next;
        names.push(here.title);
    }
    return {id: here.id, names, made};
};
"""
ADD = f"""async (path, title, url) => {{ {FOLDER}
    const where = await folder(path);
    const inside = await chrome.bookmarks.getChildren(where.id);
    const found = inside.find(each => each.url === url);
    const id = found ? found.id
        : (await chrome.bookmarks.create(
            {{parentId: where.id, title: title.given ?? title.page, url}})).id;
    if (found && title.given) await chrome.bookmarks.update(id, {{title: title.given}});
    const [now] = await chrome.bookmarks.get(id);
    return {{title: now.title, url: now.url, folder: where.names.join('/'), created: !found}};
}}"""
ADD_FOLDER = f"""async path => {{ {FOLDER}
    const {{names, made}} = await folder(path);
    return {{title: names.at(-1), url: null, folder: names.slice(0, -1).join('/'), created: made}};
}}"""
LIST = """async () => {
    const found = [];
    const walk = (nodes, path) => {
        for (const each of nodes) {
            found.push({title: each.title, url: each.url ?? null, folder: path.join('/')});
            walk(each.children ?? [], [...path, each.title]);
        }
    };
    walk((await chrome.bookmarks.getTree())[0].children, []);
    return found;
}"""


def stored(said: dict[str, Any]) -> Bookmarked:
    """What a bookmark script answered."""
    return Bookmarked(Bookmark(said["title"], said["url"], said["folder"]), said["created"])


@app.tool(timeout=90)
def bookmark_page(
    name: Annotated[
        Optional[str],
        Field(min_length=1, description="of the bookmark; the page's title if left out"),
    ] = None,
    folder: Folder = None,
    tab: TabName = None,
) -> Bookmarked:
    """Bookmark the page of the active tab, or of another one; no dialog opens. A folder that is
    missing is created. A page that is bookmarked in that folder already is not bookmarked twice; it
    gets the new name if one is given.
    """
    with connected(starting=True) as browser:
        chosen = find(browser, tab)
        title = {"given": name, "page": chosen.title}
        with browser_page(browser, BOOKMARKS) as session:
            return stored(evaluate(browser, session, ADD, folder, title, chosen.url))


@app.tool(timeout=90)
def create_bookmark_folder(
    path: Annotated[
        str,
        Field(
            min_length=1,
            description='such as "Favorites" on the bookmarks bar, or "Other bookmarks/A/B"',
        ),
    ],
) -> Bookmarked:
    """Create a folder for bookmarks, and those above it that are missing. It is no error if it is
    there already. A path that begins with none of the top folders lies on the bookmarks bar.
    """
    with connected(starting=True) as browser, browser_page(browser, BOOKMARKS) as session:
        return stored(evaluate(browser, session, ADD_FOLDER, path))


@app.tool(reads_only=True, timeout=60)
def list_bookmarks() -> Bookmarks:
    """List all bookmarks and their folders. At most 500."""
    with connected() as browser, browser_page(browser, BOOKMARKS) as session:
        found = evaluate(browser, session, LIST)
    entries = [Bookmark(each["title"], each["url"], each["folder"]) for each in found[:ENTRIES]]
    return Bookmarks(entries, len(found) - len(entries))


DELETE = """async (kinds, period) => {
    const {sendWithPromise} = await import('chrome://resources/js/cr.js');
    await sendWithPromise('clearBrowsingData', kinds, period);
}"""


@app.tool(timeout=120)
def delete_browsing_data(
    kinds: Annotated[
        Optional[list[Kind]],
        Field(min_length=1, description="what to delete at once; if left out the dialog opens"),
    ] = None,
    since: Annotated[
        Literal["last_hour", "last_day", "last_week", "last_4_weeks", "all_time"],
        Field(description="how far back; only with `kinds` or `site`"),
    ] = "all_time",
    site: Annotated[
        Optional[str],
        Field(
            min_length=1,
            description="only cookies of this host and those below it, such as amazon.com; then "
            'kinds is ["cookies"] and since all_time',
        ),
    ] = None,
) -> Deleted:
    """Delete browsing data. Without arguments it only opens the dialog for it, which waits for an
    answer; with `kinds` the data is deleted at once, or with `site` that site's cookies.
    """
    if site is not None:
        return delete_cookies(site, kinds, since)
    if kinds is None:
        return Deleted([], since, shown(DIALOG))
    with connected(starting=True) as browser, browser_page(browser, SETTINGS) as session:
        wanted = [STORED[each] for each in dict.fromkeys(kinds)]
        evaluate(browser, session, DELETE, wanted, PERIODS[since], within=DELETES_WITHIN)
    return Deleted(kinds, since, None)


def delete_cookies(site: str, kinds: Optional[list[Kind]], since: str) -> Deleted:
    """Delete the cookies of a host and of those below it."""
    if kinds not in (None, ["cookies"]) or since != "all_time":
        hint = "Leave out site to delete other kinds or periods for all sites."
        raise ToolError("Of one site only all cookies go.", code="bad_arguments", hint=hint)
    host = site.partition("://")[2].partition("/")[0] if "://" in site else site.partition("/")[0]
    host = host.strip(".").removeprefix("www.").lower()

    def theirs(cookie: dict[str, Any]) -> bool:
        return f".{cookie['domain'].lstrip('.')}".endswith(f".{host}")

    with connected(starting=True) as browser:
        everything = browser.call("Storage.getCookies")["cookies"]
        if not any(map(theirs, everything)):
            raise ToolError(f"There are no cookies of {host}.", code="nothing")
        with browser_page(browser, "chrome://version/") as session:
            for each in filter(theirs, everything):
                given = {name: each[name] for name in ("name", "domain", "path")}
                if "partitionKey" in each:
                    given["partitionKey"] = each["partitionKey"]
                browser.call("Network.deleteCookies", session, **given)
        if any(map(theirs, browser.call("Storage.getCookies")["cookies"])):
            raise ToolError(f"Cookies of {host} were not deleted.", code="refused")
    return Deleted(["cookies"], since, None)


PREFERENCES = """async wanted => {
    const all = await chrome.settingsPrivate.getAllPrefs();
    return all.filter(each => each.key.toLowerCase().includes(wanted.toLowerCase()))
        .map(each => ({name: each.key, value: each.value ?? null}));
}"""
SET_PREFERENCE = """async (name, value) => {
    const old = await chrome.settingsPrivate.getPref(name);
    const done = await chrome.settingsPrivate.setPref(name, value);
    const now = await chrome.settingsPrivate.getPref(name);
    return {done, old: old.value ?? null, type: old.type, value: now.value ?? null};
}"""


@app.tool(reads_only=True, timeout=60)
def get_settings(
    name: Annotated[
        str,
        Field(
            min_length=2, description="a part of the setting's name, such as homepage or font_size"
        ),
    ],
) -> list[Preference]:
    """Read settings of the browser by a part of their names, as the profile stores them: such as
    homepage, session.restore_on_startup, safebrowsing.enabled, webkit.webprefs.default_font_size.
    At most 200.
    """
    with connected() as browser, browser_page(browser, SETTINGS) as session:
        found = evaluate(browser, session, PREFERENCES, name)
    if not found:
        hint = "Give a shorter part of its name."
        raise ToolError(f"No setting's name contains {name!r}.", code="no_setting", hint=hint)
    return [Preference(each["name"], each["value"]) for each in found[:200]]


@app.tool(timeout=60)
def set_setting(
    name: Annotated[
        str, Field(min_length=2, description="exactly as chrome_get_settings gives it")
    ],
    value: Annotated[Any, Field(description='true, 24, "text", ["https://example.org"]')],
) -> Preference:
    """Change one setting of the browser, as its settings pages do. Returns what is stored then. Use
    chrome_get_settings to find its name and see its value.
    """
    with connected(starting=True) as browser, browser_page(browser, SETTINGS) as session:
        known = evaluate(browser, session, PREFERENCES, name)
        if not any(each["name"] == name for each in known):
            hint = f"Alike: {', '.join(each['name'] for each in known[:20]) or 'none'}."
            raise ToolError(f"There is no setting {name!r}.", code="no_setting", hint=hint)
        said = evaluate(browser, session, SET_PREFERENCE, name, value)
    if said["value"] != value:
        message = f"{name} stays {json.dumps(said['value'])}; it takes a {said['type'].lower()}."
        raise ToolError(message, code="bad_value")
    return Preference(name, said["value"])
