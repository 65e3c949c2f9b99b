CREATE TABLE articles (code text PRIMARY KEY, name text NOT NULL);
CREATE TABLE prices (
    id integer PRIMARY KEY,
    article text NOT NULL REFERENCES articles (code),
    price numeric(8, 2) NOT NULL,
    valid_from date NOT NULL,
    valid_to date
);
INSERT INTO articles VALUES ('BRU', 'Brush'), ('CAN', 'Canvas'), ('EAS', 'Easel'), ('INK', 'Ink');
INSERT INTO prices VALUES
    (1, 'BRU', 4.20, '2025-01-01', NULL),
    (2, 'BRU', 4.50, '2025-07-01', NULL),
    (3, 'BRU', 4.80, '2026-01-01', '2026-06-30'),
    (4, 'CAN', 12.00, '2025-03-01', '2025-09-15'),
    (5, 'CAN', 13.50, '2025-09-01', NULL),
    (6, 'CAN', 13.00, '2025-09-01', NULL),
    (7, 'EAS', 89.00, '2025-02-10', '2025-12-31'),
    (8, 'EAS', 95.00, '2026-02-01', NULL),
    (9, 'INK', 7.10, '2026-01-01', NULL),
    (10, 'INK', 6.90, '2025-05-05', NULL),
    (11, 'CAN', 14.00, '2026-03-01', '2026-12-31');
