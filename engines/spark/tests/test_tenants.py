"""Energies of recordings by Spark are those of `wattline tenants`, and sums of them exact."""

from __future__ import annotations

import csv
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from partials import in_duckdb, partial, query
from tables import log
from wattline_spark import tenants

METER = "time_s,power_w\n99,6.1\n100.3,7.3\n104,5.7\n"


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "recordings"
    folder.mkdir()
    for number in range(6):
        (folder / f"switches {number}.txt").write_text(log(300, seed=number))
    (tmp_path / "meter.csv").write_text(METER)
    return folder


def one_by_one(program: str, recordings: Path) -> Path:
    """A partial of each recording, and its tables, without Spark."""
    alone = recordings.parent / "alone"
    alone.mkdir()
    for path in sorted(recordings.iterdir()):
        meter = ["--energy", recordings.parent / "meter.csv", "--out", alone / path.stem]
        partial(program, ["tenants", "perf", path, *meter], alone / f"{path.stem}.parquet")
    return alone


def test_sums_by_sql_are_exact(spark: SparkSession, program: str, recordings: Path) -> None:
    alone = one_by_one(program, recordings)
    options = ["--energy", str(recordings.parent / "meter.csv")]
    found = tenants(spark, str(recordings), log="perf", options=options, program=program)
    parquet = recordings.parent / "energies"
    found.write.parquet(str(parquet))
    spark.read.parquet(str(parquet)).createOrReplaceTempView("tenants")
    by_spark = {row["tenant"]: row["energy_j"] for row in spark.sql(query("tenants")).collect()}
    assert len(by_spark) == 5

    # The same by DuckDB, of what Spark wrote and of what the program writes.
    for files in (f"{parquet}/*.parquet", f"{alone}/*.parquet"):
        rows = in_duckdb("tenants", files, query("tenants"))
        assert {row[0]: row[4] for row in rows} == by_spark
        assert in_duckdb("tenants", files, query("parts")) == []
    assert spark.sql(query("parts")).count() == 0

    # The program's rows as they are by Spark, too: the same sums.
    spark.read.parquet(str(alone / "*.parquet")).createOrReplaceTempView("tenants")
    again = {row["tenant"]: row["energy_j"] for row in spark.sql(query("tenants")).collect()}
    assert again == by_spark

    # The tables have ten digits of them.
    tables: Counter[str] = Counter()
    for table in alone.glob("*/tenants.csv"):
        for row in csv.DictReader(table.open()):
            tables[row["tenant"]] += Decimal(row["energy_j"])
    for tenant, energy in by_spark.items():
        assert abs(energy - tables[tenant]) < Decimal("1e-8"), tenant
    # 4 s of the meter's log, as far as the switches go.
    assert sum(by_spark.values()) > 1


def test_a_recording_that_is_there_twice_is_found(
    spark: SparkSession, program: str, recordings: Path
) -> None:
    (recordings / "copy.txt").write_text(log(300, seed=3))
    found = tenants(spark, str(recordings), log="perf", program=program)
    found.cache().createOrReplaceTempView("tenants")
    [doubled] = spark.sql(query("parts")).collect()
    names = [doubled["recording"], doubled["other_recording"]]
    assert [name.rsplit("/", 1)[1] for name in names] == ["copy.txt", "switches 3.txt"]
    assert doubled["rows_found"] == 2 * doubled["rows_wanted"]


def test_without_a_meter_energy_is_null(
    spark: SparkSession, program: str, recordings: Path
) -> None:
    rows = tenants(spark, str(recordings), log="perf", program=program)
    assert rows.where("energy_j is not null or metered_s is not null").count() == 0
    assert rows.where("cpu_s is null or log_s is null or basis <> 'cpu-time'").count() == 0


def test_a_broken_recording_is_named(spark: SparkSession, program: str, recordings: Path) -> None:
    (recordings / "broken.txt").write_text("nothing\n")
    rows = tenants(spark, str(recordings), log="perf", program=program)
    with pytest.raises(Exception) as caught:
        rows.count()
    assert f"{recordings}/broken.txt: wattline tenants ended with 3: error:" in str(caught.value)
    assert "it has no sched:sched_switch" in str(caught.value)
