CREATE TABLE customers (
    id integer PRIMARY KEY,
    name text NOT NULL,
    blocked boolean NOT NULL DEFAULT false
);
CREATE TABLE invoices (
    number text PRIMARY KEY,
    customer integer NOT NULL REFERENCES customers (id),
    total numeric(10, 2) NOT NULL,
    due date NOT NULL,
    status text NOT NULL CHECK (status IN ('open', 'paid', 'overdue', 'cancelled'))
);
INSERT INTO customers VALUES
    (1, 'Harbour Bakery', false),
    (2, 'Lindqvist Optics', false),
    (3, 'Mole End Garden Centre', false),
    (4, 'Paper & Sons', true),
    (5, 'Quay Street Cycles', false);
INSERT INTO invoices VALUES
    ('2026-101', 1, 240.00, '2026-09-30', 'open'),
    ('2026-102', 1, 80.50, '2026-10-15', 'open'),
    ('2026-103', 2, 1310.00, '2026-10-31', 'open'),
    ('2026-104', 2, 55.00, '2026-11-01', 'open'),
    ('2026-105', 3, 410.00, '2026-08-20', 'paid'),
    ('2026-106', 3, 96.00, '2026-09-20', 'cancelled'),
    ('2026-107', 3, 77.25, '2026-10-02', 'open'),
    ('2026-108', 4, 12.00, '2026-10-30', 'paid'),
    ('2026-109', 5, 640.00, '2026-07-01', 'overdue'),
    ('2026-110', 5, 18.90, '2026-10-05', 'open'),
    ('2026-111', 5, 300.00, '2026-12-05', 'open');
