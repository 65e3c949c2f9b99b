"""The intranet of Halden Joinery: a web application on SQLite, with nothing but Python's library.

    python3 intranet.py [PORT]

It listens on the loopback interface, and returns once it does: what serves the pages is a process
of its own. The database is made from `seed.sql` if there is none. Every change is one transaction
that also notes in the table `activity` who did what, so a row that was written past the web pages
has no such note.
"""

from __future__ import annotations

import mimetypes
import os
import secrets
import sqlite3
import sys
from collections.abc import Callable
from email.parser import BytesParser
from email.policy import HTTP
from http import HTTPStatus
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import pages
import web
from web import Form, ProblemError, RedirectError, Request, Upload

FOLDER = Path(__file__).resolve().parent
DATABASE = FOLDER / "intranet.db"
UPLOADS = FOLDER / "uploads"
LARGEST = 8 << 20
PORT = 8095

sessions: dict[str, int] = {}
"""The person by the token in the cookie."""


def connect() -> sqlite3.Connection:
    """Open the database, for one request."""
    database = sqlite3.connect(DATABASE, timeout=20)
    database.row_factory = sqlite3.Row
    database.execute("PRAGMA foreign_keys = ON")
    return database


def make_database() -> None:
    """Make the database, unless there is one."""
    if not DATABASE.exists():
        database = sqlite3.connect(DATABASE)
        database.executescript((FOLDER / "seed.sql").read_text(encoding="utf-8"))
        database.close()
    UPLOADS.mkdir(exist_ok=True)


class Intranet(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    server_version = "Intranet"

    def do_GET(self) -> None:
        """Show a page."""
        address = urlsplit(self.path)
        if address.path == "/style.css":
            self._send(HTTPStatus.OK, "text/css", (FOLDER / "style.css").read_bytes())
        elif address.path == "/logout":
            sessions.pop(self._token(), None)
            self._redirect("/login", "session=; Path=/; Max-Age=0")
        else:
            query = dict(parse_qsl(address.query, keep_blank_values=True))
            self._answer(address.path, Form(query, {}), pages.SHOWN)

    def do_POST(self) -> None:
        """Carry out what a form asks for."""
        length = int(self.headers.get("Content-Length") or 0)
        if length > LARGEST:
            self.close_connection = True
            self._page("Too large", web.problem("A file may have 8 MB at most."), 413)
            return
        form = self._form(self.rfile.read(length))
        if self.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            self._page("Refused", web.problem("This form belongs to another site."), 403)
        elif self.path == "/login":
            self._sign_in(form)
        else:
            self._answer(urlsplit(self.path).path, form, pages.DONE)

    def _answer(self, path: str, form: Form, routes: dict[str, Callable[..., str]]) -> None:
        person = sessions.get(self._token())
        if path == "/login":
            self._page("Sign in", web.login(form.get("next"), ""))
            return
        if person is None:
            self._redirect(f"/login?next={quote(self.path)}")
            return
        found = web.route(path, routes)
        if found is None:
            self._page("Not found", web.problem("There is no such page."), 404)
            return
        function, number = found
        database = connect()
        try:
            request = Request(database, person, form, UPLOADS, self.path)
            content = function(request, *([] if number is None else [number]))
            self._page(request.title, content, request=request)
        except RedirectError as redirect:
            database.commit()
            self._redirect(redirect.to)
        except web.DownloadError as download:
            kind = mimetypes.guess_type(download.name)[0] or "application/octet-stream"
            self._send(HTTPStatus.OK, kind, download.path.read_bytes(), name=download.name)
        except ProblemError as problem:
            database.rollback()
            self._page("Not saved", web.problem(str(problem)), problem.status, request)
        finally:
            database.close()

    def _sign_in(self, form: Form) -> None:
        database = connect()
        row = database.execute(
            "SELECT person, salt, hash FROM accounts WHERE login = ?", (form.get("login"),)
        ).fetchone()
        database.close()
        if row is None or web.hashed(row["salt"], form.get("password")) != row["hash"]:
            message = "The login or the password is wrong."
            self._page("Sign in", web.login(form.get("next"), message), 403)
            return
        token = secrets.token_urlsafe(24)
        sessions[token] = row["person"]
        there = form.get("next")
        target = there if there.startswith("/") and not there.startswith("//") else "/"
        self._redirect(target, f"session={token}; Path=/; HttpOnly; SameSite=Lax")

    def _token(self) -> str:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("session")
        return cookie.value if cookie else ""

    def _form(self, body: bytes) -> Form:
        kind = self.headers.get("Content-Type", "")
        if not kind.startswith("multipart/form-data"):
            return Form(dict(parse_qsl(body.decode(), keep_blank_values=True)), {})
        message = BytesParser(policy=HTTP).parsebytes(
            b"Content-Type: " + kind.encode("latin-1") + b"\r\n\r\n" + body
        )
        fields, files = {}, {}
        for part in message.iter_parts():
            name = str(part.get_param("name", header="content-disposition"))
            content = part.get_payload(decode=True)
            if part.get_filename() is None:
                fields[name] = content.decode()
            elif part.get_filename():
                files[name] = Upload(Path(part.get_filename()).name, content)
        return Form(fields, files)

    def _page(
        self, title: str, content: str, status: int = 200, request: Request | None = None
    ) -> None:
        page = web.frame(title, content, request)
        self._send(HTTPStatus(status), "text/html; charset=utf-8", page.encode())

    def _redirect(self, to: str, cookie: str = "") -> None:
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()

    def _send(self, status: HTTPStatus, kind: str, content: bytes, name: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        if name:
            self.send_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name)}")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: nobody reads a log here."""


class Server(ThreadingHTTPServer):
    """Serves each connection in a thread of its own."""

    daemon_threads = True


def main() -> None:
    """Make the database, listen, and leave a process that serves."""
    make_database()
    server = Server(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else PORT), Intranet)
    if os.fork():
        os._exit(0)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    server.serve_forever()


if __name__ == "__main__":
    main()
