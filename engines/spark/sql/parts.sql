-- Recordings that are in a table twice, or not whole: none of them may be left before sums are
-- trusted. Spark SQL, DuckDB and BigQuery alike; `tenants` stands for `activities` and `accounts`
-- as well. A part is known by its rows, whatever its recording is called.
SELECT
    part,
    MIN(recording) AS recording,
    MAX(recording) AS other_recording,
    COUNT(*) AS rows_found,
    MIN(part_rows) AS rows_wanted
FROM tenants
GROUP BY part
HAVING COUNT(*) <> MIN(part_rows)
ORDER BY part
