-- Energy by activity over all recordings, exact: Spark SQL, DuckDB and BigQuery alike.
-- `activities` is a table or view of the rows that docs/reference/energies.md describes. Rows whose energy
-- is not known (null: no power is determined) are in no sum, and are counted. The interval is as
-- if all powers erred together; there is none where one of the rows has none.
SELECT
    activity,
    COUNT(DISTINCT part) AS recordings,
    COUNT(*) - COUNT(energy_j) AS rows_undetermined,
    SUM(energy_j) AS energy_j,
    CASE WHEN COUNT(energy_lo_j) = COUNT(energy_j) THEN SUM(energy_lo_j) END AS energy_lo_j,
    CASE WHEN COUNT(energy_hi_j) = COUNT(energy_j) THEN SUM(energy_hi_j) END AS energy_hi_j
FROM activities
GROUP BY activity
ORDER BY energy_j DESC, activity
