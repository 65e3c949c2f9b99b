"""The pages of the intranet for goods: suppliers, and the orders of customers."""

from __future__ import annotations

from web import (
    Html,
    ProblemError,
    RedirectError,
    Request,
    area,
    choice,
    euros,
    filters,
    form,
    link,
    paged,
    saved,
    table,
    tag,
    text_field,
    tick,
)

TERMS = ("14 days", "30 days", "45 days", "60 days")
COUNTRIES = ("Denmark", "Estonia", "Finland", "Germany", "Norway", "Poland", "Sweden")


def suppliers(request: Request) -> str:
    """The suppliers."""
    request.title = "Suppliers"
    ask = request.form.get
    rows, links = paged(
        request,
        "/suppliers",
        "SELECT * FROM suppliers WHERE ?1 = '' OR name LIKE '%' || ?1 || '%' ORDER BY name",
        ask("q"),
    )
    return (
        saved(request)
        + f"<p>{link('/suppliers/new', 'Register a supplier')}</p>"
        + filters("/suppliers", text_field("q", "Name", ask("q")))
        + table(
            ("Name", "City", "Country", "Goods", "Terms", "Status"),
            [
                (
                    row["name"],
                    row["city"],
                    row["country"],
                    row["goods"],
                    row["terms"],
                    Html(tag(row["status"])),
                )
                for row in rows
            ],
        )
        + links
    )


def new_supplier(request: Request) -> str:
    """The form of a new supplier."""
    request.title = "Register a supplier"
    return form(
        "/suppliers/new",
        text_field("name", "Company name", first=True)
        + text_field("register", "Company number")
        + text_field("vat", "VAT number")
        + text_field("street", "Street")
        + text_field("postcode", "Postcode")
        + text_field("city", "City")
        + choice("country", "Country", COUNTRIES, "", "choose")
        + text_field("contact", "Contact person")
        + text_field("email", "E-mail for orders")
        + text_field("phone", "Telephone")
        + text_field("iban", "IBAN")
        + text_field("bic", "BIC")
        + choice("terms", "Payment terms", TERMS, "", "choose")
        + text_field("minimum", "Minimum order (EUR)", hint="250.00")
        + text_field("lead", "Delivery time (days)")
        + text_field("goods", "Goods")
        + tick("certified", "The wood is FSC certified")
        + area("remarks", "Remarks"),
        "Register",
    )


def register(request: Request) -> str:
    """Register a supplier."""
    ask = request.form
    names = {
        "name": "Company name",
        "register": "Company number",
        "vat": "VAT number",
        "street": "Street",
        "postcode": "Postcode",
        "city": "City",
        "contact": "Contact person",
        "email": "E-mail for orders",
        "phone": "Telephone",
        "bic": "BIC",
        "goods": "Goods",
    }
    values: dict[str, object] = {name: ask.need(name, label) for name, label in names.items()}
    iban = ask.need("iban", "IBAN").replace(" ", "").upper()
    digits = "".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4] if letter.isalnum())
    if not digits or int(digits) % 97 != 1:
        raise ProblemError("The IBAN is wrong: its check digits do not fit.")
    values |= {
        "iban": iban,
        "country": ask.matching("country", "Country", "|".join(COUNTRIES), "chosen"),
        "terms": ask.matching("terms", "Payment terms", "|".join(TERMS), "chosen"),
        "minimum_cents": ask.cents("minimum", "Minimum order"),
        "lead_days": int(ask.matching("lead", "Delivery time", r"\d{1,3}", "a number of days")),
        "certified": int(ask.get("certified") == "yes"),
        "remarks": ask.get("remarks"),
        "status": "New",
    }
    if request.all("SELECT id FROM suppliers WHERE name = ?", values["name"]):
        raise ProblemError("There is a supplier with that name.")
    request.change(
        "register",
        "suppliers/{id}",
        f"INSERT INTO suppliers ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        *values.values(),
    )
    raise RedirectError("/suppliers?saved=The+supplier+is+registered.")


def orders(request: Request) -> str:
    """The orders of customers."""
    request.title = "Orders"
    ask = request.form.get
    rows, links = paged(
        request,
        "/orders",
        "SELECT * FROM orders WHERE (?1 = '' OR day >= ?1) AND (?2 = '' OR day <= ?2)"
        " AND (?3 = '' OR region = ?3) ORDER BY day, id",
        ask("from"),
        ask("to"),
        ask("region"),
    )
    regions = [row[0] for row in request.all("SELECT DISTINCT region FROM orders ORDER BY 1")]
    fields = (
        text_field("from", "From", ask("from"), "YYYY-MM-DD")
        + text_field("to", "To", ask("to"), "YYYY-MM-DD")
        + choice("region", "Region", regions, ask("region"), "all")
    )
    return (
        filters("/orders", fields)
        + table(
            ("No.", "Day", "Customer", "Region", "Product", "Pieces#", "Amount (EUR)#", "Status"),
            [
                (
                    row["id"],
                    row["day"],
                    row["customer"],
                    row["region"],
                    row["product"],
                    row["pieces"],
                    euros(row["cents"]),
                    Html(tag(row["status"])),
                )
                for row in rows
            ],
        )
        + links
    )
