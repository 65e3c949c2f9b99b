CREATE ROLE ward_north;
CREATE ROLE ward_south;
