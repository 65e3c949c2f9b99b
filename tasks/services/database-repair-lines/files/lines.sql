CREATE TABLE products (code text PRIMARY KEY, name text NOT NULL);
CREATE TABLE order_lines (
    id integer PRIMARY KEY,
    order_number integer NOT NULL,
    product text NOT NULL,
    quantity integer
);
CREATE TABLE orphan_lines (id integer PRIMARY KEY, order_number integer NOT NULL, product text NOT NULL, quantity integer);
INSERT INTO products VALUES ('P-01', 'Desk'), ('P-02', 'Chair'), ('P-03', 'Lamp'), ('P-04', 'Shelf');
INSERT INTO order_lines VALUES
    (1, 500, 'P-01', 1), (2, 500, 'P-02', 4), (3, 501, 'P-09', 2), (4, 501, 'p-03', 1), (5, 502, 'P-02', NULL),
    (6, 503, 'P-4', 3), (7, 503, 'P-04', 0), (8, 504, 'P-01', -2), (9, 504, 'P-03', 6);
