-- Energy by tenant over all recordings, exact: Spark SQL, DuckDB and BigQuery alike.
-- `tenants` is a table or view of the rows that docs/reference/energies.md describes. Rows whose energy is
-- not known (null: no meter) are in no sum; how many have one is said. The meters give no
-- interval.
SELECT
    tenant,
    COUNT(*) AS recordings,
    COUNT(energy_j) AS recordings_metered,
    SUM(cpu_s) AS cpu_s,
    SUM(energy_j) AS energy_j
FROM tenants
GROUP BY tenant
ORDER BY energy_j DESC, tenant
