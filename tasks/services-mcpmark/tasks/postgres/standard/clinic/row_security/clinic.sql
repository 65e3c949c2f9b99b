CREATE TABLE wards (
    code text PRIMARY KEY,
    title text NOT NULL,
    role name NOT NULL UNIQUE
);
CREATE TABLE patients (
    id integer PRIMARY KEY,
    name text NOT NULL,
    ward text NOT NULL REFERENCES wards (code),
    diagnosis text NOT NULL,
    notes text NOT NULL DEFAULT ''
);
CREATE TABLE visits (
    id integer PRIMARY KEY,
    patient integer NOT NULL REFERENCES patients (id),
    day date NOT NULL,
    remark text NOT NULL
);
INSERT INTO wards VALUES
    ('N', 'North', 'ward_north'),
    ('S', 'South', 'ward_south');
INSERT INTO patients VALUES
    (1, 'Edda Krug', 'N', 'fractured wrist', ''),
    (2, 'Femi Adeyemi', 'S', 'pneumonia', 'allergic to penicillin'),
    (3, 'Greta Moller', 'N', 'appendicitis', 'walks with a stick'),
    (4, 'Hugo Santos', 'S', 'concussion', ''),
    (5, 'Ines Ferrari', 'N', 'observation', '');
INSERT INTO visits VALUES
    (1, 1, '2026-03-02', 'new cast'),
    (2, 2, '2026-03-02', 'fever down'),
    (3, 3, '2026-03-03', 'stitches out'),
    (4, 4, '2026-03-03', 'slept badly'),
    (5, 1, '2026-03-04', 'no pain');
