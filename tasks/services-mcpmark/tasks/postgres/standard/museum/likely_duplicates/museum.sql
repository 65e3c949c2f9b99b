CREATE TABLE objects (
    id integer PRIMARY KEY,
    title text NOT NULL,
    room text
);
CREATE TABLE features (
    object integer PRIMARY KEY REFERENCES objects (id),
    numbers text NOT NULL
);
INSERT INTO objects VALUES
    (1, 'Bowl with birds', 'A'), (2, 'Bowl, birds', NULL), (3, 'Bronze mirror', 'B'), (4, 'Toll coin', 'B'), (5, 'Coin of the bridge', NULL),
    (6, 'Dish with herons', 'A'), (7, 'Oar', 'C'), (8, 'Mirror', NULL), (9, 'Lock', 'C');
INSERT INTO features VALUES
    (1, '1,0,2,0'),
    (2, '2,0,4,0.25'),
    (3, '0,3,0,1'),
    (4, '0.5,0.5,0,2'),
    (5, '1,1,0,4'),
    (6, '1,0.5,2,0'),
    (8, '0,2.75,0.25,1'),
    (9, '4,1,0,0');
