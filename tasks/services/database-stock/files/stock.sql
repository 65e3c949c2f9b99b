CREATE TABLE stock (article text PRIMARY KEY, pieces integer NOT NULL);
CREATE TABLE movements (
    id integer PRIMARY KEY,
    article text NOT NULL REFERENCES stock (article),
    at timestamp NOT NULL,
    kind text NOT NULL CHECK (kind IN ('count', 'in', 'out')),
    pieces integer NOT NULL,
    cancels integer REFERENCES movements (id)
);
CREATE TABLE corrections (article text PRIMARY KEY, before integer NOT NULL, after integer NOT NULL);
INSERT INTO stock VALUES ('bolt', 340), ('hinge', 58), ('latch', 12), ('screw', 900), ('washer', 75);
INSERT INTO movements VALUES
    (1, 'bolt', '2026-01-02 08:00', 'count', 400, NULL),
    (2, 'screw', '2026-01-02 08:05', 'count', 1000, NULL),
    (3, 'hinge', '2026-01-02 08:10', 'count', 60, NULL),
    (4, 'latch', '2026-01-02 08:15', 'count', 20, NULL),
    (5, 'bolt', '2026-02-10 10:00', 'out', 60, NULL),
    (6, 'screw', '2026-02-11 09:00', 'out', 150, NULL),
    (7, 'screw', '2026-02-12 09:00', 'out', 150, 6),
    (8, 'screw', '2026-02-12 09:01', 'out', 50, NULL),
    (9, 'hinge', '2026-02-20 14:00', 'in', 10, NULL),
    (10, 'hinge', '2026-03-01 08:00', 'count', 61, NULL),
    (11, 'hinge', '2026-02-28 16:00', 'out', 5, NULL),
    (12, 'hinge', '2026-03-04 11:00', 'out', 3, NULL),
    (13, 'latch', '2026-03-05 12:00', 'in', 4, NULL),
    (14, 'latch', '2026-03-06 12:00', 'out', 12, NULL),
    (15, 'washer', '2026-03-06 13:00', 'count', 80, NULL),
    (16, 'washer', '2026-03-07 13:00', 'in', 25, NULL),
    (17, 'washer', '2026-03-08 13:00', 'in', 25, 16);
