CREATE MATERIALIZED VIEW by_day AS
SELECT CAST(time AS DATE) AS day, count(*) AS earthquakes, max(magnitude) AS strongest
FROM reported
GROUP BY ALL;

-- The region is the text after the last comma of the place: CA for '4km W of Castaic, CA'.
CREATE MATERIALIZED VIEW by_region (
  CONSTRAINT region_is_known EXPECT (region <> '') ON VIOLATION DROP ROW
)
AS SELECT trim(split_part(place, ',', -1)) AS region, count(*) AS earthquakes, max(magnitude) AS strongest
FROM reported
GROUP BY ALL;

CREATE MATERIALIZED VIEW strong AS
SELECT time, magnitude, place, depth_km
FROM reported
WHERE magnitude >= ${strong_from}
ORDER BY magnitude DESC, time;
