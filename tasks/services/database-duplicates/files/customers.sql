CREATE TABLE customers (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    phone text
);
CREATE TABLE orders (
    number integer PRIMARY KEY,
    customer integer NOT NULL REFERENCES customers (id),
    total numeric(10, 2) NOT NULL
);
CREATE TABLE vouchers (
    code text PRIMARY KEY,
    customer integer REFERENCES customers (id) ON DELETE CASCADE
);
INSERT INTO customers VALUES
    (1, 'Nadia Okafor', 'nadia@okafor.example', NULL),
    (2, 'Sven Holm', 'sven.holm@example.org', '555 0101'),
    (3, 'N. Okafor', 'Nadia@Okafor.example', '555 0102'),
    (4, 'Sven Holm', 'sven@holm.example', '555 0103'),
    (5, 'Nadia Okafor', ' nadia@okafor.example ', '555 0104'),
    (6, 'Rosa Marin', 'rosa.marin@example.com', NULL),
    (7, 'Rosa Marin Vega', 'ROSA.MARIN@example.com', NULL),
    (8, 'S. Holm', 'sven.holm@example.org', '555 0199');
INSERT INTO orders VALUES
    (1001, 1, 20.00), (1002, 3, 35.50), (1003, 4, 12.00), (1004, 5, 99.90), (1005, 7, 18.00), (1006, 2, 5.00), (1007, 8, 61.20);
INSERT INTO vouchers VALUES ('SPRING', 3), ('WELCOME', 7), ('SUMMER', 2), ('LOST', NULL);
