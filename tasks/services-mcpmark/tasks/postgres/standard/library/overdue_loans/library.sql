CREATE TABLE members (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE books (id integer PRIMARY KEY, title text NOT NULL);
CREATE TABLE loans (
    id integer PRIMARY KEY,
    member integer NOT NULL REFERENCES members (id),
    book integer NOT NULL REFERENCES books (id),
    due date NOT NULL,
    returned date
);
INSERT INTO members VALUES (1, 'Ada Brandt'), (2, 'Bela Farkas'), (3, 'Chidi Obi'), (4, 'Dora Lind');
INSERT INTO books VALUES (1, 'Tides'), (2, 'The Locksmith'), (3, 'Winter Bees'), (4, 'A Short Atlas');
INSERT INTO loans VALUES
    (1, 1, 1, '2026-11-10', NULL),
    (2, 1, 2, '2026-11-25', NULL),
    (3, 2, 3, '2026-08-01', NULL),
    (4, 2, 1, '2026-10-01', '2026-10-20'),
    (5, 3, 4, '2026-11-19', NULL),
    (6, 4, 2, '2026-11-20', NULL);
