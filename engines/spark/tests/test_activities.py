"""Energies by activity by Spark are those of `wattline activities`, and sums of them exact."""

from __future__ import annotations

import csv
import random
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from partials import in_duckdb, partial, query
from wattline_spark import activities


def log(seed: int) -> str:
    """A processor and a light for two activities, read by a meter every 50 ms."""
    numbers = random.Random(seed)
    lines, energy, states = ["time_s,component,event,value"], 0.0, {"cpu": 0, "light": 0}
    for step in range(200):
        time = step * 0.05
        component = numbers.choice(list(states))
        states[component] ^= 1
        name = "on" if states[component] else "off"
        activity = numbers.choice(["search", "upload"])
        lines.append(f"{time:.3f},{component},set,{activity}")
        lines.append(f"{time:.3f},{component},state,{name}")
        lines.append(f"{time:.3f},,energy,{energy:.9f}")
        watts = 0.3 + 1.5 * states["cpu"] + 0.7 * states["light"]
        energy += 0.05 * watts * numbers.gauss(1, 0.01)
    lines.append(f"10,,energy,{energy:.9f}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "recordings"
    folder.mkdir()
    for number in range(4):
        (folder / f"phone {number}.csv").write_text(log(number))
    return folder


def test_sums_by_sql_are_exact(spark: SparkSession, program: str, recordings: Path) -> None:
    alone = recordings.parent / "alone"
    alone.mkdir()
    measured = Decimal(0)
    for path in recordings.iterdir():
        command = ["activities", path, "--out", alone / path.stem]
        partial(program, command, alone / f"{path.stem}.parquet")
        rows = csv.DictReader((alone / path.stem / "activities.csv").open())
        [total] = [row["energy_j"] for row in rows if row["activity"] == "(total)"]
        measured += Decimal(total)
    found = activities(spark, str(recordings), program=program)
    parquet = recordings.parent / "energies"
    found.write.parquet(str(parquet))
    spark.read.parquet(str(parquet)).createOrReplaceTempView("activities")
    by_spark = [tuple(row) for row in spark.sql(query("activities")).collect()]
    names = {row[0] for row in by_spark}
    assert {"device:search", "device:upload", "(constant)", "(unexplained)"} <= names

    for files in (f"{parquet}/*.parquet", f"{alone}/*.parquet"):
        assert in_duckdb("activities", files, query("activities")) == by_spark
    spark.read.parquet(str(alone / "*.parquet")).createOrReplaceTempView("activities")
    assert [tuple(row) for row in spark.sql(query("activities")).collect()] == by_spark

    # Before its first change of state, what a component draws is not known: no energy.
    known = [row for row in by_spark if row[3] is not None]
    assert all(row[2] > 0 for row in by_spark if row[3] is None)
    assert abs(sum(row[3] for row in known) - measured) < Decimal("1e-12")
    for name, recordings_of, _, energy, low, high in known:
        assert recordings_of == 4, name
        if name == "(unexplained)":
            assert (low, high) == (None, None)
        else:
            assert low <= energy <= high


def test_a_broken_recording_is_named(spark: SparkSession, program: str, recordings: Path) -> None:
    (recordings / "broken.csv").write_text("nothing\n")
    rows = activities(spark, str(recordings), program=program)
    with pytest.raises(Exception) as caught:
        rows.count()
    assert f"{recordings}/broken.csv: wattline activities ended with 3: error:" in str(caught.value)
