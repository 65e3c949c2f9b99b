CREATE TABLE teachers (id integer PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE courses (
    id integer PRIMARY KEY,
    title text NOT NULL,
    weekly_hours integer NOT NULL,
    taught_by text NOT NULL
);
CREATE TABLE rooms (number text PRIMARY KEY, seats integer NOT NULL);
CREATE VIEW programme AS SELECT title, weekly_hours, taught_by FROM courses ORDER BY title;
INSERT INTO teachers VALUES (1, 'Lind'), (2, 'Obi'), (3, 'van Dam'), (7, 'Petrova'), (8, 'Quist');
INSERT INTO courses VALUES
    (10, 'Algebra', 4, 'Lind'),
    (11, 'Chemistry', 3, 'Obi; Lind'),
    (12, 'Drama', 2, 'van Dam;Sato ; Petrova'),
    (13, 'Economics', 2, ' Petrova'),
    (14, 'French', 4, 'Moreau; Sato'),
    (15, 'Geography', 2, 'van Dam; van Dam');
INSERT INTO rooms VALUES ('A1', 30), ('A2', 24), ('Lab', 16);
