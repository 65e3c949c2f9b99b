CREATE TABLE parcels (
    id integer PRIMARY KEY,
    recipient text NOT NULL,
    weight text NOT NULL
);
CREATE TABLE units (unit text PRIMARY KEY, grams numeric NOT NULL);
INSERT INTO units VALUES ('g', 1), ('kg', 1000), ('lb', 453.592), ('oz', 28.3495);
INSERT INTO parcels VALUES
    (1, 'Castle Museum', '1.2 kg'), (2, 'Dock 7', '300 g'), (3, 'E. Lund', '3lb'), (4, 'Fair Trade Shop', '0,75 kg'),
    (5, 'G. Nowak', '12 oz'), (6, 'Hill School', '1 KG'), (7, 'I. Costa', ' 450g '), (8, 'Jazz Club', '3.5 kg');
