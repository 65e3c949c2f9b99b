"""The pages of the intranet, and what their forms do."""

from __future__ import annotations

import hashlib
from html import escape
from urllib.parse import quote

from desks import (
    claim,
    claims,
    decide,
    new_claim,
    save_ticket,
    submit_claim,
    ticket,
    tickets,
)
from trade import new_supplier, orders, register, suppliers
from web import (
    DownloadError,
    Html,
    ProblemError,
    RedirectError,
    Request,
    choice,
    details,
    filters,
    form,
    link,
    paged,
    saved,
    table,
    text_field,
)

DEPARTMENTS = (
    "Accounts",
    "Design",
    "IT",
    "Management",
    "People",
    "Production",
    "Purchasing",
    "Sales",
)
SITES = ("Bergen", "Halden", "Malmö", "Tallinn")
FOLDERS = ("Certificates", "Handbooks", "Minutes", "Price lists")


def home(request: Request) -> str:
    """News, and what waits for the person."""
    request.title = f"Good day, {request.me['name'].split()[0]}"
    news = "".join(
        f"<h2>{escape(row['title'])}</h2><small>{row['day']}</small><p>{escape(row['body'])}</p>"
        for row in request.all("SELECT * FROM news ORDER BY day DESC")
    )
    waiting = request.one(
        "SELECT count(*) FROM claims JOIN people ON people.id = claims.person"
        " WHERE claims.status = 'Submitted' AND people.manager = ?",
        request.person,
    )[0]
    todo = (
        f"<h2>For you</h2><p>{link('/claims?status=Submitted', f'{waiting} expense claims')} of "
        f"your team wait for a decision.</p><p>{link('/bookings', 'My bookings')}</p>"
        f"<p>{link('/rules', 'Rules of the house')}</p>"
    )
    cards = f'<div class="card">{news}</div><div class="card">{todo}</div>'
    return f'{saved(request)}<div class="columns">{cards}</div>'


def people(request: Request) -> str:
    """The directory."""
    request.title = "People"
    ask = request.form.get
    rows, links = paged(
        request,
        "/people",
        "SELECT * FROM people WHERE (name LIKE ?1 OR title LIKE ?1)"
        " AND (?2 = '' OR department = ?2) AND (?3 = '' OR site = ?3) ORDER BY name",
        f"%{ask('q')}%",
        ask("department"),
        ask("site"),
    )
    fields = (
        text_field("q", "Name or title", ask("q"))
        + choice("department", "Department", DEPARTMENTS, ask("department"), "all")
        + choice("site", "Site", SITES, ask("site"), "all")
    )
    return (
        filters("/people", fields)
        + table(
            ("Name", "Title", "Department", "Site", "Extension"),
            [
                (
                    Html(link(f"/people/{row['id']}", row["name"])),
                    row["title"],
                    row["department"],
                    row["site"],
                    row["extension"],
                )
                for row in rows
            ],
        )
        + links
    )


def person(request: Request, number: int) -> str:
    """One person."""
    row = request.one("SELECT * FROM people WHERE id = ?", number)
    request.title = row["name"]
    manager = request.all("SELECT id, name FROM people WHERE id = ?", row["manager"])
    return details(
        {
            "Title": row["title"],
            "Department": row["department"],
            "Site": row["site"],
            "Extension": row["extension"],
            "E-mail": row["email"],
            "Employee since": row["since"],
            "Reports to": Html(link(f"/people/{manager[0]['id']}", manager[0]["name"]))
            if manager
            else "–",
            "First-aid certificate": f"valid until {row['first_aid']}"
            if row["first_aid"]
            else "none",
        }
    )


def rooms(request: Request) -> str:
    """The rooms, and what is booked on a day."""
    request.title = "Rooms"
    day = request.form.get("day")
    content = table(
        ("Room", "Site", "Seats#", "Equipment", "Note", ""),
        [
            (
                row["name"],
                row["site"],
                row["seats"],
                row["equipment"],
                row["note"],
                Html(link(f"/bookings/new?room={quote(row['name'])}&day={quote(day)}", "Book")),
            )
            for row in request.all("SELECT * FROM rooms ORDER BY site, name")
        ],
    )
    content += "<h2>Bookings</h2>" + filters("/rooms", text_field("day", "Day", day, "YYYY-MM-DD"))
    rows, links = paged(
        request,
        "/rooms",
        "SELECT bookings.*, rooms.name AS room_name, people.name AS person_name FROM bookings"
        " JOIN rooms ON rooms.id = room JOIN people ON people.id = person"
        " WHERE (?1 = '' OR day = ?1) ORDER BY day, room_name, starts",
        day,
    )
    return (
        saved(request)
        + content
        + table(
            ("Day", "Room", "From", "To", "Title", "Booked by"),
            [
                (
                    row["day"],
                    row["room_name"],
                    row["starts"],
                    row["ends"],
                    row["title"],
                    row["person_name"],
                )
                for row in rows
            ],
        )
        + links
    )


def new_booking(request: Request) -> str:
    """The form to book a room."""
    request.title = "Book a room"
    names = [row["name"] for row in request.all("SELECT name FROM rooms ORDER BY name")]
    return form(
        "/bookings/new",
        choice("room", "Room", names, request.form.get("room"), "choose")
        + text_field("day", "Day", request.form.get("day"), "YYYY-MM-DD", first=True)
        + text_field("starts", "From", hint="HH:MM")
        + text_field("ends", "To", hint="HH:MM")
        + text_field("title", "Title")
        + text_field("attendees", "Number of people"),
        "Book",
    )


def book(request: Request) -> str:
    """Book a room, unless it is closed, too small or taken."""
    ask, time = request.form, r"([01]\d|2[0-3]):[0-5]\d"
    room = request.one("SELECT * FROM rooms WHERE name = ?", ask.need("room", "Room"))
    day = ask.day("day", "Day")
    starts = ask.matching("starts", "From", time, "a time such as 09:30")
    ends = ask.matching("ends", "To", time, "a time such as 09:30")
    title = ask.need("title", "Title")
    count = int(ask.matching("attendees", "Number of people", r"\d{1,3}", "a number"))
    if ends <= starts:
        raise ProblemError("The booking ends before it starts.")
    if room["closed_until"] and day <= room["closed_until"]:
        raise ProblemError(
            f"{room['name']} cannot be booked until {room['closed_until']}: {room['note']}."
        )
    if count > room["seats"]:
        raise ProblemError(f"{room['name']} has {room['seats']} seats only.")
    taken = request.all(
        "SELECT title FROM bookings WHERE room = ? AND day = ? AND starts < ? AND ends > ?",
        room["id"],
        day,
        ends,
        starts,
    )
    if taken:
        raise ProblemError(f"{room['name']} is taken at that time: {taken[0]['title']}.")
    request.change(
        "book",
        "bookings/{id}",
        "INSERT INTO bookings (room, day, starts, ends, title, person, attendees)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        room["id"],
        day,
        starts,
        ends,
        title,
        request.person,
        count,
    )
    raise RedirectError("/bookings?saved=The+room+is+booked.")


def bookings(request: Request) -> str:
    """The person's own bookings."""
    request.title = "My bookings"
    rows = request.all(
        "SELECT bookings.*, rooms.name AS room_name FROM bookings JOIN rooms ON rooms.id = room"
        " WHERE person = ? ORDER BY day, starts",
        request.person,
    )
    return saved(request) + table(
        ("Day", "Room", "From", "To", "Title", "People#", ""),
        [
            (
                row["day"],
                row["room_name"],
                row["starts"],
                row["ends"],
                row["title"],
                row["attendees"],
                Html(
                    f'<form method="post" action="/bookings/{row["id"]}/cancel">'
                    '<button class="quiet">Cancel</button></form>'
                ),
            )
            for row in rows
        ],
    )


def cancel(request: Request, number: int) -> str:
    """Cancel one of the person's own bookings."""
    row = request.one("SELECT * FROM bookings WHERE id = ?", number)
    if row["person"] != request.person:
        raise ProblemError("Only who booked a room can cancel the booking.", 403)
    request.change("cancel", f"bookings/{number}", "DELETE FROM bookings WHERE id = ?", number)
    raise RedirectError("/bookings?saved=The+booking+is+cancelled.")


def documents(request: Request) -> str:
    """The documents of the house."""
    request.title = "Documents"
    folder = request.form.get("folder")
    rows, links = paged(
        request,
        "/documents",
        "SELECT documents.*, people.name FROM documents JOIN people ON people.id = person"
        " WHERE ?1 = '' OR folder = ?1 ORDER BY folder, documents.title",
        folder,
    )
    return (
        saved(request)
        + f"<p>{link('/documents/new', 'Upload a document')}</p>"
        + filters("/documents", choice("folder", "Folder", FOLDERS, folder, "all"))
        + table(
            ("Folder", "Title", "File", "Valid until", "Uploaded by"),
            [
                (
                    row["folder"],
                    row["title"],
                    Html(link(f"/documents/{row['id']}/file", row["filename"])),
                    row["valid_until"] or "–",
                    row["name"],
                )
                for row in rows
            ],
        )
        + links
    )


def document_file(request: Request, number: int) -> str:
    """The file of a document."""
    row = request.one("SELECT * FROM documents WHERE id = ?", number)
    path = request.uploads / f"document-{number}"
    if not path.is_file():
        raise ProblemError("This file is in the old archive: ask IT for it.", 404)
    raise DownloadError(row["filename"], path)


def new_document(request: Request) -> str:
    """The form to upload a document."""
    request.title = "Upload a document"
    return form(
        "/documents/new",
        text_field("title", "Title", first=True)
        + choice("folder", "Folder", FOLDERS, "", "choose")
        + text_field("valid_until", "Valid until", hint="YYYY-MM-DD, or empty")
        + '<div class="wide"><label for="file">File</label>'
        '<input type="file" id="file" name="file"></div>',
        "Upload",
        upload=True,
    )


def upload(request: Request) -> str:
    """Store a document."""
    ask = request.form
    file = ask.files.get("file")
    title = ask.need("title", "Title")
    folder = ask.matching("folder", "Folder", "|".join(FOLDERS), "chosen")
    until = ask.day("valid_until", "Valid until") if ask.get("valid_until") else ""
    if file is None:
        raise ProblemError("File is missing.")
    number = request.change(
        "upload",
        "documents/{id}",
        "INSERT INTO documents (folder, title, filename, sha256, valid_until, person)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        folder,
        title,
        file.name,
        hashlib.sha256(file.content).hexdigest(),
        until,
        request.person,
    )
    (request.uploads / f"document-{number}").write_bytes(file.content)
    raise RedirectError("/documents?saved=The+document+is+uploaded.")


def rules(request: Request) -> str:
    """The rules of the house."""
    request.title = "Rules of the house"
    return "".join(
        f'<div class="card"><h2>{escape(row["title"])}</h2>'
        + "".join(f"<p>{escape(line)}</p>" for line in row["body"].splitlines())
        + "</div>"
        for row in request.all("SELECT * FROM rules ORDER BY title")
    )


SHOWN = {
    "/": home,
    "/people": people,
    "/people/#": person,
    "/rooms": rooms,
    "/bookings": bookings,
    "/bookings/new": new_booking,
    "/claims": claims,
    "/claims/#": claim,
    "/claims/new": new_claim,
    "/tickets": tickets,
    "/tickets/#": ticket,
    "/suppliers": suppliers,
    "/suppliers/new": new_supplier,
    "/orders": orders,
    "/documents": documents,
    "/documents/new": new_document,
    "/documents/#/file": document_file,
    "/rules": rules,
}
DONE = {
    "/bookings/new": book,
    "/bookings/#/cancel": cancel,
    "/claims/new": submit_claim,
    "/claims/#/decide": decide,
    "/tickets/#": save_ticket,
    "/suppliers/new": register,
    "/documents/new": upload,
}
