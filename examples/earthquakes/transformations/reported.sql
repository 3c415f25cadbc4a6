-- Reads each file of the feed once. Drops and counts other events, such as quarry blasts and explosions.
CREATE TEMPORARY VIEW features AS
SELECT unnest(features) AS feature
FROM STREAM read_files('${feeds}/*.json', format => 'json');

CREATE OR REFRESH STREAMING TABLE reported (
  CONSTRAINT is_earthquake EXPECT (type = 'earthquake') ON VIOLATION DROP ROW,
  CONSTRAINT on_this_planet EXPECT (latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180) ON VIOLATION FAIL UPDATE,
  CONSTRAINT below_the_ground EXPECT (depth_km >= 0)
)
COMMENT 'Earthquakes as they were reported'
AS SELECT
  feature.id AS id,
  feature.properties.type AS type,
  feature.properties.mag AS magnitude,
  feature.properties.place AS place,
  epoch_ms(feature.properties.time) AS time,
  feature.geometry.coordinates[1] AS longitude,
  feature.geometry.coordinates[2] AS latitude,
  feature.geometry.coordinates[3] AS depth_km
FROM STREAM(features);
