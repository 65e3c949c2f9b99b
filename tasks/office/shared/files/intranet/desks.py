"""The pages of the intranet for work that is handed in: expenses, and tickets of the help desk."""

from __future__ import annotations

import hashlib

from web import (
    Html,
    ProblemError,
    RedirectError,
    Request,
    choice,
    details,
    euros,
    filters,
    form,
    link,
    paged,
    saved,
    table,
    tag,
    text_field,
)

CATEGORIES = ("Hardware", "Network", "Printing", "Software", "Telephone")
STATUSES = ("New", "Open", "Resolved", "Closed")
PRIORITIES = ("Low", "Normal", "High", "Urgent")
EXPENSES = ("Hotel", "Meals", "Training", "Travel")
SITES = ("Bergen", "Halden", "Malmö", "Tallinn")


def claims(request: Request) -> str:
    """The person's own expense claims, and those of the team."""
    request.title = "Expenses"
    status = request.form.get("status")
    rows, links = paged(
        request,
        "/claims",
        "SELECT claims.*, people.name FROM claims JOIN people ON people.id = claims.person"
        " WHERE (people.manager = ?1 OR people.id = ?1) AND (?2 = '' OR status = ?2)"
        " ORDER BY claims.id",
        request.person,
        status,
    )
    fields = choice(
        "status", "Status", ("Submitted", "Approved", "Rejected", "Paid"), status, "all"
    )
    return (
        saved(request)
        + f"<p>{link('/claims/new', 'New claim')}</p>"
        + filters("/claims", fields)
        + table(
            (
                "No.",
                "Day",
                "Person",
                "Category",
                "Description",
                "Amount (EUR)#",
                "Receipt",
                "Status",
            ),
            [
                (
                    Html(link(f"/claims/{row['id']}", row["id"])),
                    row["day"],
                    row["name"],
                    row["category"],
                    row["description"],
                    euros(row["cents"]),
                    row["receipt"] or "–",
                    Html(tag(row["status"])),
                )
                for row in rows
            ],
        )
        + links
    )


def claim(request: Request, number: int) -> str:
    """One expense claim, with the decision for whom it is to make."""
    row = request.one(
        "SELECT claims.*, people.name, people.manager FROM claims"
        " JOIN people ON people.id = claims.person WHERE claims.id = ?",
        number,
    )
    if request.person not in (row["person"], row["manager"]):
        raise ProblemError("This claim belongs to another team.", 403)
    request.title = f"Claim {number}"
    content = details(
        {
            "Person": row["name"],
            "Day": row["day"],
            "Category": row["category"],
            "Description": row["description"],
            "Amount (EUR)": euros(row["cents"]),
            "Nights or people": row["units"],
            "Cost centre": row["cost_centre"],
            "Receipt": row["receipt"] or "none",
            "Status": Html(tag(row["status"])),
            "Reason": row["reason"] or "–",
        }
    )
    if row["manager"] == request.person and row["status"] == "Submitted":
        content += "<h2>Decision</h2>" + form(
            f"/claims/{number}/decide",
            choice("decision", "Decision", ("Approved", "Rejected"), "", "choose")
            + text_field("reason", "Reason, if rejected", first=True),
            "Save decision",
        )
    return saved(request) + content


def decide(request: Request, number: int) -> str:
    """Approve or reject a claim of the team."""
    row = request.one(
        "SELECT claims.status, people.manager FROM claims JOIN people"
        " ON people.id = claims.person WHERE claims.id = ?",
        number,
    )
    if row["manager"] != request.person or row["status"] != "Submitted":
        raise ProblemError("There is nothing for you to decide here.", 403)
    decision = request.form.matching("decision", "Decision", "Approved|Rejected", "chosen")
    reason = request.form.get("reason")
    if (decision == "Rejected") != bool(reason):
        raise ProblemError("A rejection needs a reason, and an approval has none.")
    request.change(
        "decide",
        f"claims/{number}",
        "UPDATE claims SET status = ?, reason = ? WHERE id = ?",
        decision,
        reason,
        number,
    )
    raise RedirectError("/claims?status=Submitted&saved=The+decision+is+saved.")


def new_claim(request: Request) -> str:
    """The form of an expense claim."""
    request.title = "New expense claim"
    return form(
        "/claims/new",
        text_field("day", "Day of the expense", hint="YYYY-MM-DD", first=True)
        + choice("category", "Category", EXPENSES, "", "choose")
        + text_field("amount", "Amount (EUR)", hint="120.50")
        + text_field("units", "Nights or people", "1")
        + text_field("cost_centre", "Cost centre", hint="4 digits")
        + text_field("description", "Description")
        + '<div class="wide"><label for="receipt">Receipt (PDF or picture)</label>'
        '<input type="file" id="receipt" name="receipt"></div>',
        "Submit claim",
        upload=True,
    )


def submit_claim(request: Request) -> str:
    """Submit an expense claim."""
    ask = request.form
    values = (
        ask.day("day", "Day of the expense"),
        ask.matching("category", "Category", "|".join(EXPENSES), "chosen"),
        ask.cents("amount", "Amount"),
        int(ask.matching("units", "Nights or people", r"[1-9]\d?", "a number")),
        ask.matching("cost_centre", "Cost centre", r"\d{4}", "a number of 4 digits"),
        ask.need("description", "Description"),
    )
    receipt = ask.files.get("receipt")
    number = request.change(
        "claim",
        "claims/{id}",
        "INSERT INTO claims (person, day, category, cents, units, cost_centre, description,"
        " receipt, receipt_sha256, status, reason)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'Submitted', '')",
        request.person,
        *values,
        receipt.name if receipt else "",
        hashlib.sha256(receipt.content).hexdigest() if receipt else "",
    )
    if receipt:
        (request.uploads / f"claim-{number}").write_bytes(receipt.content)
    raise RedirectError("/claims?saved=The+claim+is+submitted.")


def tickets(request: Request) -> str:
    """The tickets of the help desk."""
    request.title = "Help desk"
    ask = request.form.get
    rows, links = paged(
        request,
        "/tickets",
        "SELECT tickets.*, people.name FROM tickets JOIN people ON people.id = person"
        " WHERE (?1 = '' OR tickets.title LIKE '%' || ?1 || '%') AND (?2 = '' OR status = ?2)"
        " AND (?3 = '' OR category = ?3) AND (?4 = '' OR tickets.site = ?4)"
        " ORDER BY tickets.id DESC",
        ask("q"),
        ask("status"),
        ask("category"),
        ask("site"),
    )
    fields = (
        text_field("q", "Title", ask("q"))
        + choice("status", "Status", STATUSES, ask("status"), "all")
        + choice("category", "Category", CATEGORIES, ask("category"), "all")
        + choice("site", "Site", SITES, ask("site"), "all")
    )
    return (
        saved(request)
        + filters("/tickets", fields)
        + table(
            ("No.", "Opened", "Title", "Category", "Site", "By", "Priority", "Status"),
            [
                (
                    Html(link(f"/tickets/{row['id']}", row["id"])),
                    row["opened"],
                    row["title"],
                    row["category"],
                    row["site"],
                    row["name"],
                    row["priority"],
                    Html(tag(row["status"])),
                )
                for row in rows
            ],
        )
        + links
    )


def ticket(request: Request, number: int) -> str:
    """One ticket, with the form to work on it."""
    row = request.one(
        "SELECT tickets.*, people.name FROM tickets JOIN people ON people.id = person"
        " WHERE tickets.id = ?",
        number,
    )
    request.title = f"Ticket {number}: {row['title']}"
    return (
        saved(request)
        + details(
            {
                "Opened": row["opened"],
                "By": row["name"],
                "Site": row["site"],
                "Category": row["category"],
                "Description": row["body"],
                "Status": Html(tag(row["status"])),
            }
        )
        + form(
            f"/tickets/{number}",
            text_field("resolution", "Resolution", row["resolution"], wide=True, first=True)
            + choice("status", "Status", STATUSES, row["status"])
            + choice("priority", "Priority", PRIORITIES, row["priority"]),
            "Save ticket",
        )
    )


def save_ticket(request: Request, number: int) -> str:
    """Change a ticket; only the people of IT may."""
    request.one("SELECT id FROM tickets WHERE id = ?", number)
    if request.me["department"] != "IT":
        raise ProblemError("Only IT works on tickets.", 403)
    status = request.form.matching("status", "Status", "|".join(STATUSES), "chosen")
    resolution = request.form.get("resolution")
    if status == "Resolved" and not resolution:
        raise ProblemError("A resolved ticket needs a resolution.")
    request.change(
        "ticket",
        f"tickets/{number}",
        "UPDATE tickets SET status = ?, priority = ?, resolution = ? WHERE id = ?",
        status,
        request.form.matching("priority", "Priority", "|".join(PRIORITIES), "chosen"),
        resolution,
        number,
    )
    raise RedirectError(f"/tickets/{number}?saved=The+ticket+is+saved.")
