CREATE TABLE departments (id integer PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE employees (
    id integer PRIMARY KEY,
    name text NOT NULL,
    department integer NOT NULL REFERENCES departments (id),
    salary numeric(10, 2) NOT NULL CHECK (salary > 0)
);
CREATE TABLE raises_2025 (
    employee integer NOT NULL REFERENCES employees (id),
    day date NOT NULL,
    old numeric(10, 2) NOT NULL,
    new numeric(10, 2) NOT NULL,
    PRIMARY KEY (employee, day)
);
GRANT SELECT, UPDATE ON employees TO payroll_clerk;
GRANT SELECT ON departments TO payroll_clerk;
INSERT INTO departments VALUES (1, 'Workshop'), (2, 'Office'), (3, 'Delivery'), (4, 'Apprentices');
INSERT INTO employees VALUES
    (1, 'Aino Saari', 1, 3100.00),
    (2, 'Bruno Keller', 1, 2950.00),
    (3, 'Carla Nunes', 2, 3350.00),
    (4, 'Dmitri Orlov', 3, 2600.00),
    (5, 'Elif Demir', 3, 2600.00),
    (6, 'Finn Murphy', 2, 4100.00);
INSERT INTO raises_2025 VALUES
    (1, '2025-04-01', 2900.00, 3000.00),
    (1, '2025-10-01', 3000.00, 3100.00),
    (3, '2025-07-01', 3350.00, 3350.00),
    (6, '2025-01-15', 3800.00, 4100.00);
