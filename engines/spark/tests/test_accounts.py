"""Energies by method of recordings: the query gives their sums, exact, by Spark and DuckDB."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from pyspark.sql import SparkSession

from partials import in_duckdb, partial, query

ABOUT = """\
recording = 1
host = "phone"
is_virtual = false
cycles = 1
duration_s = 1.0
share = "active"
formulas = []
notes = []

[jvm]
pid = 7
java = "17"
way = "sampling"
folded = []
"""
TABLES = {
    "cycles": "cycle,start_s,end_s,part,formula,basis,energy_j,unattributed_j",
    "processes": "cycle,pid,start_ticks,name,cpu_s,share_active,share_capacity,cpu_j,network_j",
    "threads": "cycle,pid,thread,name,cpu_s,energy_j,literal_w",
    "methods": "cycle,thread,class,method,file,first_line,last_line,calls,samples,duration_s,"
    "waited_s,received,sent,cpu_s,cpu_j,network_j,literal_w",
    "jvm": "cycle,pid,duration_s,cpu_s,cpu_j,network_j",
}


def recording(folder: Path, methods: dict[str, str]) -> Path:
    """A recording of `monitor` of one second and 10 J, of which a JVM with these methods has 6."""
    rows = {
        "cycles": ["1,0,1,cpu,design-power,model,10,4"],
        "processes": ["1,7,1,java,0.6,1,0.6,6,"],
        "threads": ["1,7,5,main,0.6,6,6"],
        "methods": [
            f"1,5,a.A,{name},a/A.java,3,4,10,5,0.1,0,0,0,0.1,{joules},,1"
            for name, joules in methods.items()
        ],
        "jvm": ["1,7,1,0.6,6,"],
    }
    folder.mkdir()
    (folder / "monitor.toml").write_text(ABOUT)
    for name, header in TABLES.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *rows[name]]) + "\n")
    return folder


def test_sums_of_methods_are_exact(spark: SparkSession, program: str, tmp_path: Path) -> None:
    energies = tmp_path / "energies"
    energies.mkdir()
    for number, methods in enumerate(
        [{"x()": "1.000000000000001", "y()": "2"}, {"x()": "0.1", "z()": "0.000000000000007"}]
    ):
        folder = recording(tmp_path / f"recording {number}", methods)
        command = ["account", folder / "monitor.toml", folder]
        partial(program, command, energies / f"{number}.parquet")
    files = f"{energies}/*.parquet"
    spark.read.parquet(files).createOrReplaceTempView("accounts")
    by_spark = [tuple(row) for row in spark.sql(query("methods")).collect()]
    assert in_duckdb("accounts", files, query("methods")) == by_spark
    found = {row[1] or row[2]: (row[3], row[5]) for row in by_spark}
    assert found["x()"] == (2, Decimal("1.100000000000001"))
    assert found["y()"] == (1, Decimal(2))
    assert found["z()"] == (1, Decimal("0.000000000000007"))
    assert sum(energy for _, energy in found.values()) == 12

    text = query("parts").replace("tenants", "accounts")
    assert spark.sql(text).collect() == in_duckdb("accounts", files, text) == []
