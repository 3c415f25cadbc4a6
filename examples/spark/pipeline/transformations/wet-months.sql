-- A table in SQL that reads a table in Python.
CREATE MATERIALIZED VIEW wet_months (
  CONSTRAINT much_rain EXPECT (rain >= 100) ON VIOLATION DROP ROW
)
COMMENT 'Months with at least 100 mm of rain'
AS SELECT month, rain FROM months;
