CREATE ROLE payroll_clerk;
