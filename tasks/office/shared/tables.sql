-- The tables of the intranet, and what is always the same in them: news, rules and rooms.
-- make_seed.py adds the rest, and writes files/intranet/seed.sql.

CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, title TEXT, department TEXT, site TEXT,
    extension TEXT, email TEXT, since TEXT, manager INTEGER, first_aid TEXT);
CREATE TABLE accounts (login TEXT PRIMARY KEY, person INTEGER, salt TEXT, hash TEXT);
CREATE TABLE news (id INTEGER PRIMARY KEY, day TEXT, title TEXT, body TEXT);
CREATE TABLE rules (id INTEGER PRIMARY KEY, title TEXT, body TEXT);
CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT, site TEXT, seats INTEGER, equipment TEXT,
    note TEXT, closed_until TEXT);
CREATE TABLE bookings (id INTEGER PRIMARY KEY, room INTEGER, day TEXT, starts TEXT, ends TEXT,
    title TEXT, person INTEGER, attendees INTEGER);
CREATE TABLE claims (id INTEGER PRIMARY KEY, person INTEGER, day TEXT, category TEXT,
    cents INTEGER, units INTEGER, cost_centre TEXT, description TEXT, receipt TEXT,
    receipt_sha256 TEXT, status TEXT, reason TEXT);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, opened TEXT, title TEXT, body TEXT, category TEXT,
    site TEXT, person INTEGER, priority TEXT, status TEXT, resolution TEXT);
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT, register TEXT, vat TEXT, street TEXT,
    postcode TEXT, city TEXT, country TEXT, contact TEXT, email TEXT, phone TEXT, iban TEXT,
    bic TEXT, terms TEXT, minimum_cents INTEGER, lead_days INTEGER, goods TEXT, certified INTEGER,
    remarks TEXT, status TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, day TEXT, customer TEXT, region TEXT, product TEXT,
    pieces INTEGER, cents INTEGER, status TEXT);
CREATE TABLE documents (id INTEGER PRIMARY KEY, folder TEXT, title TEXT, filename TEXT,
    sha256 TEXT, valid_until TEXT, person INTEGER);
CREATE TABLE activity (id INTEGER PRIMARY KEY, at TEXT, person INTEGER, action TEXT, item TEXT);

INSERT INTO news (day, title, body) VALUES
    ('2026-11-20', 'Fjord is being renovated', 'The room Fjord gets a new floor and new windows. It opens again in April.'),
    ('2026-11-12', 'New router in Bergen', 'On 12 November the router in Bergen was replaced. Omar''s team closes the tickets.'),
    ('2026-11-03', 'Christmas party', 'On 18 December in the canteen in Halden. Bring a song.');

INSERT INTO rules (title, body) VALUES
    ('Expenses', 'Hotel: at most 140 EUR a night. Meals: at most 35 EUR a person.
Travel and training: what the receipt says, whatever the amount.
Every claim above 25 EUR needs a receipt. Below that, none is needed.
A claim that is against a rule is rejected as a whole. The reason is one of: over the limit; receipt missing. If both are true, it is: receipt missing.'),
    ('Help desk', 'New: nobody has looked at it. Open: somebody works on it. Resolved: it is done, and the resolution says how. Closed: nothing was to be done.
Priority: Urgent if a whole site cannot work, High if a person cannot work, Normal if there is a way around it, Low for wishes.'),
    ('Rooms', 'Book the smallest room at your site that has enough seats and what you need.
Cancel what you do not need: others are looking for rooms.');

INSERT INTO rooms (name, site, seats, equipment, note, closed_until) VALUES
    ('Alm', 'Halden', 6, 'screen', '', ''),
    ('Bjørk', 'Halden', 10, 'screen, video', '', ''),
    ('Fjord', 'Halden', 24, 'projector, video, hearing loop', 'closed for renovation until 31 March 2027', '2027-03-31'),
    ('Gran', 'Halden', 12, 'projector', '', ''),
    ('Lind', 'Halden', 14, 'projector, video', '', ''),
    ('Rogn', 'Halden', 20, 'projector, video', '', ''),
    ('Brygge', 'Bergen', 8, 'screen, video', '', ''),
    ('Torg', 'Malmö', 10, 'screen, video', '', ''),
    ('Torn', 'Tallinn', 12, 'projector', '', '');
