-- Energy by tenant over all recordings, exact: Spark SQL, DuckDB and BigQuery alike.
-- `energies` is the table or view that README.md creates. Rows whose energy is not known
-- (null: no meter) are in no sum; how many have one is said.
SELECT
    tenant,
    COUNT(*) AS recordings,
    COUNT(energy_j) AS recordings_metered,
    SUM(cpu_s) AS cpu_s,
    SUM(energy_j) AS energy_j
FROM energies
GROUP BY tenant
ORDER BY energy_j DESC, tenant
