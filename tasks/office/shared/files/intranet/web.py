"""What the pages of the intranet are made with: forms, tables, pages of a list, the frame."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from pathlib import Path
from urllib.parse import urlencode

PER_PAGE = 15
AREAS = {
    "/": "Home",
    "/people": "People",
    "/rooms": "Rooms",
    "/claims": "Expenses",
    "/tickets": "Help desk",
    "/suppliers": "Suppliers",
    "/orders": "Orders",
    "/documents": "Documents",
    "/rules": "Rules",
}


class ProblemError(Exception):
    """Why a page cannot be shown, or why nothing was saved."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class RedirectError(Exception):
    """What was asked for is done: another page shows it."""

    def __init__(self, to: str) -> None:
        super().__init__(to)
        self.to = to


@dataclass
class DownloadError(Exception):
    """A file to be sent."""

    name: str
    path: Path


@dataclass(frozen=True)
class Upload:
    """A file that came with a form."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Form:
    """What was filled in."""

    fields: Mapping[str, str]
    files: Mapping[str, Upload]

    def get(self, name: str) -> str:
        """The trimmed text of a field; empty if there is none."""
        return " ".join(self.fields.get(name, "").split())

    def need(self, name: str, label: str) -> str:
        """The text of a field that must be filled in."""
        value = self.get(name)
        if not value:
            raise ProblemError(f"{label} is missing.")
        return value

    def matching(self, name: str, label: str, pattern: str, hint: str) -> str:
        """The text of a field that must have this form."""
        value = self.need(name, label)
        if not re.fullmatch(pattern, value):
            raise ProblemError(f"{label} must be {hint}, not “{value}”.")
        return value

    def day(self, name: str, label: str) -> str:
        """A date."""
        value = self.matching(name, label, r"\d{4}-\d\d-\d\d", "a date such as 2026-03-31")
        try:
            return datetime.strptime(value, "%Y-%m-%d").date().isoformat()
        except ValueError:
            raise ProblemError(f"{label}: there is no day {value}.") from None

    def cents(self, name: str, label: str) -> int:
        """An amount of money, in cents."""
        value = self.matching(name, label, r"\d+([.,]\d\d?)?", "an amount such as 120.50")
        euros, _, rest = value.replace(",", ".").partition(".")
        return int(euros) * 100 + int(rest.ljust(2, "0") or 0)


@dataclass
class Request:
    """One request of a person who is signed in."""

    database: sqlite3.Connection
    person: int
    form: Form
    uploads: Path
    address: str
    title: str = ""
    me: sqlite3.Row = field(init=False)

    def __post_init__(self) -> None:
        self.me = self.one("SELECT * FROM people WHERE id = ?", self.person)

    def all(self, query: str, *values: object) -> list[sqlite3.Row]:
        """The rows of a query."""
        return self.database.execute(query, values).fetchall()

    def one(self, query: str, *values: object) -> sqlite3.Row:
        """The row of a query; without one, the page does not exist."""
        row: sqlite3.Row | None = self.database.execute(query, values).fetchone()
        if row is None:
            raise ProblemError("There is no such entry.", 404)
        return row

    def change(self, action: str, item: str, query: str, *values: object) -> int:
        """Change a row, and note who did it; the id of a new row."""
        done = self.database.execute(query, values)
        number = done.lastrowid or 0
        self.database.execute(
            "INSERT INTO activity (at, person, action, item) VALUES (?, ?, ?, ?)",
            (
                datetime.now().isoformat(timespec="seconds"),
                self.person,
                action,
                item.format(id=number),
            ),
        )
        self.database.commit()
        return number


def hashed(salt: str, password: str) -> str:
    """What is stored of a password."""
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), 1000).hex()


def route(
    path: str, routes: Mapping[str, Callable[..., str]]
) -> tuple[Callable[..., str], int | None] | None:
    """The page of a path, and the number in it."""
    if path in routes:
        return routes[path], None
    number = re.search(r"/(\d{1,9})(?=/|$)", path)
    page = routes.get(path.replace(number[0], "/#", 1)) if number else None
    return (page, int(number[1])) if page and number else None


def link(address: str, text: object) -> str:
    """A link."""
    return f'<a href="{escape(address)}">{escape(str(text))}</a>'


def tag(status: str) -> str:
    """A status, as a coloured label."""
    return f'<span class="tag {escape(status.lower())}">{escape(status)}</span>'


def euros(cents: int) -> str:
    """An amount as it is written: 1,240.50."""
    return f"{cents / 100:,.2f}"


class Html(str):
    """Text that is markup already."""


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; the columns whose names end in # are numbers."""
    kinds = [' class="number"' if name.endswith("#") else "" for name in columns]
    head = "".join(
        f"<th{kind}>{escape(name.rstrip('#'))}</th>"
        for name, kind in zip(columns, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{cell if isinstance(cell, Html) else escape(str(cell))}</td>"
            for cell, kind in zip(row, kinds, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    nothing = f'<tr><td colspan="{len(columns)}">Nothing found.</td></tr>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body or nothing}</tbody></table>"


def paged(
    request: Request, path: str, query: str, *values: object
) -> tuple[list[sqlite3.Row], str]:
    """The rows of the page that was asked for, and the links to the others."""
    count = request.one(f"SELECT count(*) FROM ({query})", *values)[0]
    last = max(1, -(-count // PER_PAGE))
    asked = request.form.get("page")
    page = min(max(int(asked), 1), last) if asked.isdecimal() else 1
    rows = request.all(f"{query} LIMIT {PER_PAGE} OFFSET {(page - 1) * PER_PAGE}", *values)
    kept = {name: value for name, value in request.form.fields.items() if name != "page"}
    links = "".join(
        f"<b>{number}</b>"
        if number == page
        else link(f"{path}?{urlencode({**kept, 'page': number})}", number)
        for number in range(1, last + 1)
    )
    where = f"<span>{count} entries, page {page} of {last}</span>"
    return rows, f'<div class="pages">{links}{where}</div>'


def text_field(
    name: str, label: str, value: str = "", hint: str = "", wide: bool = False, first: bool = False
) -> str:
    """A field for a line of text."""
    return (
        f'<div{" class=wide" if wide else ""}><label for="{name}">{escape(label)}</label>'
        f'<input id="{name}" name="{name}" value="{escape(value)}" placeholder="{escape(hint)}"'
        f'{" autofocus" if first else ""} autocomplete="off"></div>'
    )


def area(name: str, label: str, value: str = "") -> str:
    """A field for several lines."""
    return (
        f'<div class="wide"><label for="{name}">{escape(label)}</label>'
        f'<textarea id="{name}" name="{name}" rows="3">{escape(value)}</textarea></div>'
    )


def choice(
    name: str, label: str, options: Iterable[str], value: str = "", empty: str | None = None
) -> str:
    """A list to choose from."""
    items = "".join(
        f'<option value="{escape(option)}"{" selected" if option == value else ""}>'
        f"{escape(option)}</option>"
        for option in options
    )
    first = "" if empty is None else f'<option value="">{escape(empty)}</option>'
    return (
        f'<div><label for="{name}">{escape(label)}</label>'
        f'<select id="{name}" name="{name}">{first}{items}</select></div>'
    )


def tick(name: str, label: str) -> str:
    """A box to tick."""
    return (
        f'<div class="wide"><input type="checkbox" id="{name}" name="{name}" value="yes">'
        f'<label for="{name}" style="display:inline">{escape(label)}</label></div>'
    )


def form(action: str, content: str, button: str, upload: bool = False) -> str:
    """A form that changes something."""
    kind = ' enctype="multipart/form-data"' if upload else ""
    return (
        f'<form class="card" method="post" action="{escape(action)}"{kind}>'
        f'<div class="fields">{content}</div><p><button>{escape(button)}</button></p></form>'
    )


def filters(path: str, content: str) -> str:
    """A form that searches."""
    return f'<form class="filter" action="{path}">{content}<button>Search</button></form>'


def details(pairs: Mapping[str, object]) -> str:
    """The properties of one entry."""
    items = "".join(
        f"<dt>{escape(name)}</dt>"
        f"<dd>{value if isinstance(value, Html) else escape(str(value))}</dd>"
        for name, value in pairs.items()
    )
    return f'<div class="card"><dl>{items}</dl></div>'


def saved(request: Request) -> str:
    """The line that says that something was saved."""
    text = request.form.get("saved")
    return f'<p class="good" role="status">{escape(text)}</p>' if text else ""


def problem(message: str) -> str:
    """The page of a request that was not carried out."""
    return (
        f'<p class="note" role="alert">{escape(message)}</p>'
        "<p>Go back in the browser to correct it: what you filled in is still there.</p>"
    )


def login(there: str, message: str) -> str:
    """The page to sign in."""
    note = f'<p class="note" role="alert">{escape(message)}</p>' if message else ""
    return (
        f'<form class="card sign-in" method="post" action="/login">{note}'
        f'<input type="hidden" name="next" value="{escape(there)}">'
        '<p><label for="login">Login</label><input id="login" name="login" autofocus></p>'
        '<p><label for="password">Password</label>'
        '<input id="password" name="password" type="password"></p>'
        "<p><button>Sign in</button></p><small>Forgotten? Ask the help desk, extension 440.</small>"
        "</form>"
    )


def frame(title: str, content: str, request: Request | None) -> str:
    """A whole page."""
    menu = ""
    if request is not None:
        area_of = "/" + request.address.split("?")[0].strip("/").split("/")[0]
        items = "".join(
            f'<a href="{address}"{" class=here" if address == area_of else ""}>{name}</a>'
            for address, name in AREAS.items()
        )
        menu = (
            f"<nav>{items}</nav><span class=who>{escape(request.me['name'])}"
            ' · <a href="/logout">Sign out</a></span>'
        )
    heading = f"<h1>{escape(title)}</h1>" if request is not None else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)} – Halden Joinery</title>"
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head><body>'
        f'<header><span class="brand">Halden Joinery</span>{menu}</header>'
        f"<main>{heading}{content}</main></body></html>"
    )
