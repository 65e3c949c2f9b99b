CREATE TABLE bank (
    line integer PRIMARY KEY,
    booked date NOT NULL,
    reference text,
    amount numeric(10, 2) NOT NULL
);
CREATE TABLE book (
    entry integer PRIMARY KEY,
    reference text NOT NULL UNIQUE,
    amount numeric(10, 2) NOT NULL,
    matched_with integer UNIQUE REFERENCES bank (line)
);
CREATE TABLE open_points (
    source text NOT NULL CHECK (source IN ('bank', 'book')),
    number integer NOT NULL,
    reason text NOT NULL CHECK (reason IN ('missing', 'amount')),
    PRIMARY KEY (source, number)
);
INSERT INTO bank VALUES
    (1, '2026-05-04', 'INV-311', 640.00),
    (2, '2026-05-04', 'inv-312', 125.50),
    (3, '2026-05-05', NULL, -9.90),
    (4, '2026-05-08', 'INV 313', 880.00),
    (5, '2026-05-11', 'INV-315', 210.00),
    (6, '2026-05-12', 'INV-316', 75.25),
    (7, '2026-05-19', 'INV-3120', 42.00),
    (8, '2026-05-20', 'INV-318', 300.00);
INSERT INTO book VALUES
    (101, 'INV-311', 640.00, 1),
    (102, 'INV-312', 125.50, NULL),
    (103, 'INV-313', 880.00, NULL),
    (104, 'INV-314', 99.00, NULL),
    (105, 'INV-315', 201.00, NULL),
    (106, 'INV-316', 75.25, NULL),
    (107, 'INV-317', 42.00, NULL),
    (108, 'INV-318', 300.00, NULL);
