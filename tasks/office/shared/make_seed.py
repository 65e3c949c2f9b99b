"""Writes `files/intranet/seed.sql`: the tables of the intranet (`tables.sql`), and the firm's data.

    python tasks/office/shared/make_seed.py

The data come from one seed, so the file is the same every time. Tasks rely on single entries of it,
which are written out here; the rest is drawn.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
import unicodedata
from datetime import date, timedelta
from pathlib import Path

FOLDER = Path(__file__).parent
TARGET = FOLDER / "files" / "intranet" / "seed.sql"
GIVEN = (
    "Aino Anders Astrid Birgit Bjørn Clara Dmitri Eero Elif Erik Farid Freja Greta Hanna Henrik "
    "Ida Imran Ines Ivar Jonas Kadri Kaja Karim Lars Leila Liis Magnus Maren Mikkel Nadia Nils "
    "Oskar Paula Priit Rasmus Runa Sanna Silje Sofie Stefan Tarmo Thea Tuva Ulrik Vera Yusuf"
)
FAMILY = (
    "Aas Berg Dahl Eklund Falk Granli Haugen Holm Iversen Jansson Kask Kaya Lepik Lund Moen Nygård "
    "Olsen Petrov Rebane Sand Solberg Strand Tamm Vik Wold Ødegård"
)
PLACES = ("Halden", "Halden", "Halden", "Bergen", "Malmö", "Tallinn")
TITLES = {
    "Accounts": ("Accountant", "Payroll clerk", "Controller"),
    "Design": ("Designer", "Draughtsperson"),
    "IT": ("System administrator", "Help desk agent"),
    "People": ("Personnel officer", "Trainer"),
    "Production": ("Joiner", "Machinist", "Shift leader", "Finisher"),
    "Purchasing": ("Buyer", "Stock clerk"),
    "Sales": ("Sales representative", "Order clerk"),
}
# Who the tasks are about: name, title, department, site.
NAMED = (
    ("Marit Solheim", "Managing director", "Management", "Halden"),
    ("Ines Carvalho", "Head of Sales", "Sales", "Halden"),
    ("Omar Haddad", "Head of IT", "IT", "Halden"),
    ("Karin Sjöberg", "Head of Production", "Production", "Halden"),
    ("Tomasz Wójcik", "Head of Purchasing", "Purchasing", "Malmö"),
    ("Petra Novak", "Head of Accounts", "Accounts", "Halden"),
    ("Sigrid Enger", "Head of People", "People", "Halden"),
    ("Mats Öberg", "Head of Design", "Design", "Bergen"),
)
LOGINS = {
    "Ines Carvalho": "kiln-42",
    "Omar Haddad": "router-7",
    "Tomasz Wójcik": "larch-19",
    "Sigrid Enger": "birch-88",
}


def main() -> None:
    """Draw the data, and write the file."""
    draw = random.Random(26)
    database = sqlite3.connect(":memory:")
    database.executescript((FOLDER / "tables.sql").read_text(encoding="utf-8"))
    people(database, draw)
    bookings(database, draw)
    claims(database, draw)
    tickets(database, draw)
    suppliers(database, draw)
    orders(database, draw)
    documents(database)
    TARGET.write_text("\n".join(database.iterdump()) + "\n", encoding="utf-8")


def insert(database: sqlite3.Connection, table: str, *values: str | int | None) -> int:
    """A row, whose id is the next one."""
    marks = ", ".join("?" * len(values))
    return database.execute(f"INSERT INTO {table} VALUES (NULL, {marks})", values).lastrowid or 0


def people(database: sqlite3.Connection, draw: random.Random) -> None:
    """The heads, and their teams."""
    heads: dict[str, int | None] = {}
    for number, (name, title, department, site) in enumerate(NAMED, 1):
        heads[department] = number
        insert(
            database,
            "people",
            name,
            title,
            department,
            site,
            str(400 + number),
            mail(name),
            f"{2004 + number}-0{number}-01",
            1 if number > 1 else None,
            None,
        )
    names = [f"{given} {family}" for given in GIVEN.split() for family in FAMILY.split()]
    sizes = {
        "Accounts": 6,
        "Design": 6,
        "IT": 5,
        "People": 4,
        "Production": 22,
        "Purchasing": 6,
        "Sales": 9,
    }
    number = 410
    for department, size in sizes.items():
        for name in draw.sample(names, size):
            names.remove(name)
            number += draw.randint(1, 3)
            since = date(2009, 1, 1) + timedelta(days=draw.randrange(6000))
            aid = ""
            if draw.random() < 0.45:
                aid = (date(2026, 3, 1) + timedelta(days=draw.randrange(900))).isoformat()
            insert(
                database,
                "people",
                name,
                draw.choice(TITLES[department]),
                department,
                draw.choice(PLACES),
                str(number),
                mail(name),
                since.isoformat(),
                heads[department],
                aid,
            )
    for name, password in LOGINS.items():
        person = database.execute("SELECT id FROM people WHERE name = ?", (name,)).fetchone()[0]
        login = mail(name).split("@")[0].split(".")[0]
        salt = hashlib.sha256(name.encode()).hexdigest()[:16]
        digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), 1000).hex()
        database.execute("INSERT INTO accounts VALUES (?, ?, ?, ?)", (login, person, salt, digest))


def mail(name: str) -> str:
    """The address of a person."""
    flat = name.lower().translate(str.maketrans("øåł ", "oal."))
    plain = unicodedata.normalize("NFKD", flat).encode("ascii", "ignore").decode()
    return f"{plain}@halden.example"


def bookings(database: sqlite3.Connection, draw: random.Random) -> None:
    """Bookings of rooms."""
    ids = {row[1]: row[0] for row in database.execute("SELECT id, name FROM rooms")}
    ines = 2
    fixed = [
        ("Lind", "2026-12-08", "13:00", "14:30", "Quality circle", 4, 9),
        ("Bjørk", "2026-12-08", "14:00", "15:00", "Interview", 7, 4),
        ("Rogn", "2026-12-08", "09:00", "12:00", "Safety training", 4, 18),
        ("Alm", "2026-12-10", "10:00", "11:00", "Sales weekly", ines, 5),
        ("Gran", "2026-12-15", "09:00", "10:30", "Price round", ines, 8),
        ("Lind", "2026-12-09", "10:00", "12:00", "Budget", 6, 11),
    ]
    words = ("Planning", "Review", "Stand-up", "Training", "Workshop", "Visit")
    for room in ("Alm", "Bjørk", "Gran", "Rogn", "Brygge", "Torg", "Torn"):
        for _ in range(5):
            later = draw.choice((0, 1, 2, 3, 4, 14, 16, 17, 18))
            day = (date(2026, 11, 30) + timedelta(days=later)).isoformat()
            hour = draw.randrange(8, 16)
            fixed.append(
                (
                    room,
                    day,
                    f"{hour:02}:00",
                    f"{hour + 1:02}:00",
                    draw.choice(words),
                    draw.randrange(9, 60),
                    draw.randrange(2, 7),
                )
            )
    taken: set[tuple[str, str, str]] = set()
    for room, day, starts, ends, title, person, count in sorted(fixed, key=lambda row: row[1:3]):
        if (room, day, starts[:2]) not in taken:
            taken.add((room, day, starts[:2]))
            insert(database, "bookings", ids[room], day, starts, ends, title, person, count)


def claims(database: sqlite3.Connection, draw: random.Random) -> None:
    """Expense claims: those of Sales that wait are what a task is about."""
    team = [
        row[0] for row in database.execute("SELECT id FROM people WHERE manager = 2 ORDER BY id")
    ]
    others = [
        row[0] for row in database.execute("SELECT id FROM people WHERE manager > 2 ORDER BY id")
    ]
    waiting = [
        ("2026-11-02", "Hotel", 27600, 2, "4100", "Two nights in Malmö", "hotel-malmo.pdf"),
        ("2026-11-02", "Hotel", 31800, 2, "4100", "Two nights in Oslo, fair", "hotel-oslo.pdf"),
        ("2026-11-03", "Meals", 2250, 1, "4100", "Lunch on the ferry", ""),
        ("2026-11-06", "Travel", 4800, 1, "4100", "Taxi from the airport", ""),
        ("2026-11-09", "Meals", 7600, 2, "4120", "Lunch with Arktis Hotels", "lunch-arktis.pdf"),
    ]
    for row in waiting:
        claim(database, draw.choice(team), row, "Submitted", "")
    for _ in range(24):
        day = date(2026, 9, 1) + timedelta(days=draw.randrange(80))
        row = (
            day.isoformat(),
            draw.choice(("Meals", "Travel")),
            draw.randrange(900, 9000),
            1,
            draw.choice(("4200", "4300", "4410")),
            draw.choice(("Lunch", "Train", "Parking")),
            "receipt.pdf",
        )
        claim(
            database, draw.choice(others), row, draw.choice(("Submitted", "Approved", "Paid")), ""
        )
    for _ in range(12):
        day = date(2026, 8, 1) + timedelta(days=draw.randrange(80))
        row = (
            day.isoformat(),
            "Travel",
            draw.randrange(2500, 30000),
            1,
            "4100",
            draw.choice(("Train to Oslo", "Ferry to Tallinn", "Mileage")),
            "receipt.pdf",
        )
        claim(database, draw.choice(team), row, draw.choice(("Approved", "Paid")), "")


def claim(
    database: sqlite3.Connection, person: int, row: tuple[str | int, ...], status: str, reason: str
) -> None:
    """One claim."""
    digest = hashlib.sha256(str(row).encode()).hexdigest() if row[-1] else ""
    insert(database, "claims", person, *row, digest, status, reason)


def tickets(database: sqlite3.Connection, draw: random.Random) -> None:
    """Tickets: those about the network in Bergen are what a task is about."""
    by_site: dict[str, list[int]] = {}
    for number, site in database.execute("SELECT id, site FROM people WHERE id > 8 ORDER BY id"):
        by_site.setdefault(site, []).append(number)
    problems = {
        "Hardware": ("Screen flickers", "Keyboard without an Ø", "Docking station gets hot"),
        "Network": ("No wireless in the workshop", "Share is slow", "Video calls drop"),
        "Printing": ("Labels are printed askew", "Toner is empty", "Printer asks for a code"),
        "Software": (
            "Drawing program does not start",
            "Update asks for a password",
            "Font is missing",
        ),
        "Telephone": ("Extension rings twice", "Headset is silent"),
    }
    bergen = {
        8: ("Network", "Wireless drops every hour", "Open"),
        13: ("Network", "No connection at the front desk", "New"),
        17: ("Network", "Video calls freeze", "Open"),
        22: ("Network", "Share with drawings is slow", "New"),
        26: ("Hardware", "Network cable is broken at desk 4", "Open"),
        31: ("Network", "Wireless for guests wanted", "Closed"),
        38: ("Network", "Warehouse scanner has no wireless", "New"),
    }
    for number in range(1, 47):
        day = date(2026, 10, 12) + timedelta(days=number * 40 // 46)
        if number in bergen:
            category, title, status = bergen[number]
            site, resolution = "Bergen", "Not needed any more" if status == "Closed" else ""
        else:
            site = draw.choice(("Halden", "Halden", "Malmö", "Tallinn", "Bergen"))
            category = draw.choice([*problems])
            if site == "Bergen" and category == "Network":
                category = "Printing"
            title, status = (
                draw.choice(problems[category]),
                draw.choice(("New", "Open", "Resolved")),
            )
            resolution = "Done on site" if status == "Resolved" else ""
        insert(
            database,
            "tickets",
            day.isoformat(),
            title,
            f"{title}, since this morning.",
            category,
            site,
            draw.choice(by_site[site]),
            draw.choice(("Low", "Normal", "Normal", "High")),
            status,
            resolution,
        )


def suppliers(database: sqlite3.Connection, draw: random.Random) -> None:
    """Suppliers, some with their price lists in tasks."""
    first = ("Baltic", "Nord", "Skog", "Öresund", "Viken", "Saimaa", "Hansa", "Fjell", "Kalmar")
    second = ("Timber", "Beslag", "Lacquers", "Veneer", "Tools", "Glass")
    towns = (
        ("Pärnu", "Estonia"),
        ("Turku", "Finland"),
        ("Kalmar", "Sweden"),
        ("Moss", "Norway"),
        ("Lübeck", "Germany"),
        ("Gdynia", "Poland"),
    )
    names = sorted(draw.sample([f"{one} {two}" for one in first for two in second], 22))
    for number, name in enumerate(names):
        town, country = draw.choice(towns)
        insert(
            database,
            "suppliers",
            name,
            str(draw.randrange(10**7, 10**8)),
            f"{country[:2].upper()}{draw.randrange(10**8, 10**9)}",
            f"Dock Road {number + 3}",
            str(draw.randrange(10000, 99999)),
            town,
            country,
            "Sales desk",
            f"orders@{name.split()[1].lower()}{number}.example",
            f"+46 40 {draw.randrange(10**5, 10**6)}",
            iban(draw),
            "NDEASESS",
            draw.choice(("14 days", "30 days", "45 days")),
            draw.choice((10000, 25000, 50000)),
            draw.randrange(3, 30),
            name.split()[1],
            draw.randrange(2),
            "",
            "Active",
        )


def iban(draw: random.Random) -> str:
    """A made-up account with the right check digits."""
    account = "".join(draw.choice("0123456789") for _ in range(20))
    check = 98 - int(account + "281400") % 97
    return f"SE{check:02}{account}"


def orders(database: sqlite3.Connection, draw: random.Random) -> None:
    """Orders of 2026, by day."""
    customers = {
        "North": ("Arktis Hotels", "Tromsø School", "Bodø Harbour"),
        "East": ("Tallinn Library", "Saimaa Spa"),
        "South": ("Nordbygg", "Malmö Opera", "Café Lune"),
        "West": ("Bergen Museum", "Fjordline", "Stord Clinic"),
    }
    products = {"Chair": 18900, "Desk": 54900, "Door": 39900, "Shelf": 22900, "Window": 61900}
    days = sorted(date(2026, 1, 5) + timedelta(days=draw.randrange(320)) for _ in range(118))
    for number, day in enumerate(days):
        region = draw.choice([*customers])
        product = draw.choice([*products])
        pieces = draw.randrange(1, 25)
        status = (
            "Cancelled" if number % 13 == 6 else draw.choice(("Delivered", "Delivered", "Invoiced"))
        )
        insert(
            database,
            "orders",
            day.isoformat(),
            draw.choice(customers[region]),
            region,
            product,
            pieces,
            pieces * products[product],
            status,
        )


def documents(database: sqlite3.Connection) -> None:
    """Documents of the old archive, whose files are elsewhere."""
    for row in (
        ("Certificates", "FSC chain of custody 2025", "fsc-2025.pdf", "2025-12-31", 5),
        ("Certificates", "ISO 9001", "iso-9001.pdf", "2028-05-31", 4),
        ("Handbooks", "Handbook of the spray booth", "spray-booth.pdf", "", 4),
        ("Minutes", "Works council, October 2026", "council-2026-10.pdf", "", 7),
        ("Price lists", "Price list of Nord Beslag 2026", "nord-beslag-2026.xlsx", "2026-12-31", 5),
    ):
        digest = hashlib.sha256(row[2].encode()).hexdigest()
        insert(database, "documents", *row[:3], digest, *row[3:])


if __name__ == "__main__":
    main()
