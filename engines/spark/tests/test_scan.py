"""A scan by Spark is one scan."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from wattline_spark import scan
from wattline_spark.scan import TABLES

CLASS = """package p{package};

class C{number}{extends} {{
    int sum(int[] values) {{
        int sum = {number};
        for (int value : values) {{
            sum += value * {number};
        }}
        return sum > 0 ? sum : {call};
    }}
}}
"""


def sources(folder: Path) -> Path:
    """Classes that refer to each other, in two packages, and one that is broken."""
    for number in range(12):
        package, base = number % 2, number - 2
        inherited = number >= 2
        text = CLASS.format(
            package=package,
            number=number,
            extends=f" extends C{base}" if inherited else "",
            call="super.sum(values)" if inherited else "-1",
        )
        path = folder / f"p{package}" / f"C{number}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "p0" / "Broken.java").write_text("package p0; class Broken { int x( { }")
    return folder


@pytest.mark.parametrize("shards", [1, 5, 20])
def test_tables_are_those_of_one_scan(
    spark: SparkSession, program: str, tmp_path: Path, shards: int
) -> None:
    folder = sources(tmp_path / "src")
    whole = tmp_path / "whole"
    command = [program, "-q", "scan", folder, "--no-cache", "--out", whole]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    out = scan(spark, str(folder), shards, str(tmp_path / "out"), program=program)
    for name in TABLES:
        table = (whole / name).read_bytes()
        assert (out / name).read_bytes() == table, name
        assert table.count(b"\n") > 1, name
    assert sorted(path.name for path in out.iterdir()) == sorted(TABLES)
    with pytest.raises(FileExistsError, match="force=True"):
        scan(spark, str(folder), shards, str(tmp_path / "out"), program=program)


def test_sources_that_are_not_there_are_named(
    spark: SparkSession, program: str, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match="nowhere"):
        scan(spark, str(tmp_path / "nowhere"), 2, str(tmp_path / "out"), program=program)
    with pytest.raises(ValueError, match="at least 1"):
        scan(spark, str(tmp_path), 0, str(tmp_path / "out"), program=program)
