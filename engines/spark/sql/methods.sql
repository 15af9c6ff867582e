-- Energy by method over all campaigns and recordings, exact: Spark SQL, DuckDB and BigQuery
-- alike. `accounts` is a table or view of the rows that docs/reference/energies.md describes. A sum is over
-- one level: those of another say the same energy once more. For operations, blocks and lines it
-- is another level, with the keys of that level. The interval is as if all campaigns erred
-- together; there is none where one of the rows has none.
SELECT
    class,
    method,
    name,
    COUNT(DISTINCT part) AS campaigns,
    SUM(executions) AS executions,
    SUM(energy_j) AS energy_j,
    CASE WHEN COUNT(energy_lo_j) = COUNT(*) THEN SUM(energy_lo_j) END AS energy_lo_j,
    CASE WHEN COUNT(energy_hi_j) = COUNT(*) THEN SUM(energy_hi_j) END AS energy_hi_j
FROM accounts
WHERE level = 'method'
GROUP BY class, method, name
ORDER BY energy_j DESC, class, method, name
