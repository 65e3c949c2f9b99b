CREATE TABLE sensors (id integer PRIMARY KEY, place text NOT NULL);
CREATE TABLE readings (
    sensor integer NOT NULL REFERENCES sensors (id),
    taken timestamp NOT NULL,
    value numeric(6, 2) DEFAULT 0,
    PRIMARY KEY (sensor, taken)
);
CREATE VIEW daily AS
    SELECT sensor, taken::date AS day, round(avg(value), 2) AS mean FROM readings GROUP BY 1, 2;
INSERT INTO sensors VALUES (1, 'boiler room'), (2, 'roof'), (3, 'cold store');
INSERT INTO readings
    SELECT sensor, timestamp '2025-12-29 06:00' + n * interval '67 hours', (7 * n + 11 * sensor) % 40 - 5
    FROM generate_series(1, 3) AS sensor, generate_series(0, 40) AS n;
UPDATE readings SET value = -999 WHERE sensor = 2 AND extract(day FROM taken) IN (5, 11, 30);
UPDATE readings SET value = -99 WHERE sensor = 3 AND taken = '2026-01-06 15:00';
INSERT INTO readings VALUES (3, '1970-01-01 00:00', -999), (1, '2026-01-31 23:59:59', 4.5), (1, '2026-02-01', 4.25);
