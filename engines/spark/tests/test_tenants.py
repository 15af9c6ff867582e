"""Energies of recordings by Spark are those of `wattline tenants`, and sums of them exact."""

from __future__ import annotations

import csv
import subprocess
from collections import Counter
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from tables import log
from wattline_spark import tenants

QUERY = (Path(__file__).parent.parent / "sql" / "energies.sql").read_text()
METER = "time_s,power_w\n99,6.1\n100.3,7.3\n104,5.7\n"


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "recordings"
    folder.mkdir()
    for number in range(6):
        (folder / f"switches {number}.txt").write_text(log(300, seed=number))
    (tmp_path / "meter.csv").write_text(METER)
    return folder


def one_by_one(program: str, recordings: Path) -> list[Path]:
    """tenants.csv of each recording, without Spark."""
    tables = []
    for path in sorted(recordings.iterdir()):
        out = recordings.parent / "alone" / path.stem
        meter = ["--energy", recordings.parent / "meter.csv"]
        command = [program, "tenants", "-q", "perf", path, *meter, "--out", out]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        tables.append(out / "tenants.csv")
    return tables


def test_sums_by_sql_are_exact(spark: SparkSession, program: str, recordings: Path) -> None:
    tables = one_by_one(program, recordings)
    expected: Counter[str] = Counter()
    rows = []
    for table in tables:
        for row in csv.DictReader(table.open()):
            rows.append((row["tenant"], Decimal(row["cpu_s"]), Decimal(row["energy_j"])))
            expected[row["tenant"]] += Decimal(row["energy_j"])
    assert len(expected) == 5

    options = ["--energy", str(recordings.parent / "meter.csv")]
    found = tenants(spark, str(recordings), log="perf", options=options, program=program)
    parquet = recordings.parent / "energies"
    found.write.parquet(str(parquet))
    energies = spark.read.parquet(str(parquet))
    fields = ("tenant", "cpu_s", "energy_j")
    assert sorted(tuple(row[name] for name in fields) for row in energies.collect()) == sorted(rows)
    assert energies.select("recording").distinct().count() == 6

    energies.createOrReplaceTempView("energies")
    by_spark = {row["tenant"]: row["energy_j"] for row in spark.sql(QUERY).collect()}
    assert by_spark == expected

    database = duckdb.connect()
    database.sql(f"CREATE VIEW energies AS FROM read_parquet('{parquet}/*.parquet')")
    by_duckdb = {row[0]: row[4] for row in database.sql(QUERY).fetchall()}
    assert by_duckdb == expected

    # The same of the CSV files, without Spark.
    number = "DECIMAL(38, 18)"
    types = f"{{'cpu_s': '{number}', 'energy_j': '{number}'}}"
    files = [str(table) for table in tables]
    database.sql(f"CREATE OR REPLACE VIEW energies AS FROM read_csv({files}, types = {types})")
    assert {row[0]: row[4] for row in database.sql(QUERY).fetchall()} == expected


def test_without_a_meter_energy_is_null(
    spark: SparkSession, program: str, recordings: Path
) -> None:
    rows = tenants(spark, str(recordings), log="perf", program=program)
    assert rows.where("energy_j is not null or power_w is not null").count() == 0
    assert rows.where("cpu_s is null or basis <> 'cpu-time'").count() == 0


def test_a_broken_recording_is_named(spark: SparkSession, program: str, recordings: Path) -> None:
    (recordings / "broken.txt").write_text("nothing\n")
    rows = tenants(spark, str(recordings), log="perf", program=program)
    with pytest.raises(Exception) as caught:
        rows.count()
    assert f"{recordings}/broken.txt: wattline tenants ended with 3: error:" in str(caught.value)
    assert "it has no sched:sched_switch" in str(caught.value)
