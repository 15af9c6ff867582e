"""A fit by Spark is the fit of one process."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import pytest
from pyspark.sql import SparkSession

from tables import costs, counts, write
from wattline_spark import MissingProgram, ProgramError, fit
from wattline_spark.partials import DESCRIPTION, fixed_partitions
from wattline_spark.parts import parts_of
from wattline_spark.program import find_program

# A program that kills its executor where part 5 is first summed, then is wattline.
DEADLY = """#!/bin/sh
case " $* " in
*" 5/8 "*)
    if mkdir '{folder}/killed' 2>/dev/null; then
        process=$$
        while [ "$(cat "/proc/$process/comm")" != java ]; do
            process=$(awk '{{ print $4 }}' "/proc/$process/stat")
        done
        echo "$process" >'{folder}/killed/process'
        kill -9 "$process"
    fi ;;
esac
exec '{program}' "$@"
"""


def alone(program: str, files: list[str], out: Path, *flags: str) -> dict[str, float]:
    """Costs of one process, by way of one partial: folds then go by hashes, as Spark's do."""
    partial = out.with_suffix(".partial")
    subprocess.run([program, "-q", "fit", *files, *flags, "--partial", partial], check=True)
    merge = [program, "-q", "fit", "--merge", partial, "--out", out]
    subprocess.run(merge, check=True)
    judged = out.with_suffix(".judged.partial")
    judge = [program, "-q", "fit", *files, "--judge", out / "model.json", "--partial", judged]
    subprocess.run(judge, check=True)
    subprocess.run([program, "-q", "fit", "--merge", judged, "--out", out], check=True)
    return costs(out / "model.json")


@contextmanager
def in_files(spark: SparkSession, parts: int) -> Iterator[None]:
    """Small files are not put together to fewer than so many parts."""
    name = "spark.sql.files.minPartitionNum"
    spark.conf.set(name, str(parts))
    try:
        yield
    finally:
        spark.conf.unset(name)


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    assert found.keys() == expected.keys() and len(found) > 0
    for name, cost in expected.items():
        assert found[name] == pytest.approx(cost, rel=1e-9), name


@pytest.mark.parametrize("fan_in", [32, 3])
def test_partitions_make_the_model_of_one_process(
    spark: SparkSession, program: str, tmp_path: Path, fan_in: int
) -> None:
    files = write(counts(4000, 12, seed=1), tmp_path / "table", files=5)
    flags = ["--solver", "nnls", "--group", "program", "--folds", "4", "--seed", "7"]
    flags += ["--features", "n0..n11"]
    expected = alone(program, files, tmp_path / "alone", *flags)
    # Eleven partitions after a shuffle, which Spark would like to join.
    table = spark.read.parquet(*files).repartition(11)
    fitted = fit(
        spark,
        table,
        solver="nnls",
        group="program",
        features=["n0..n11"],
        folds=4,
        seed=7,
        out=str(tmp_path / "out"),
        fan_in=fan_in,
        program=program,
    )
    same(costs(fitted.model), expected)
    assert fitted.cv.read_bytes() == (tmp_path / "alone" / "cv.csv").read_bytes()


def test_sparks_pages_name_what_runs(spark: SparkSession, program: str, tmp_path: Path) -> None:
    files = write(counts(400, 4, seed=1), tmp_path / "table", files=2)
    fit(
        spark,
        spark.read.parquet(*files),
        solver="nnls",
        group="program",
        features=["n0..n3"],
        out=str(tmp_path / "out"),
        program=program,
    )
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    descriptions = [jobs.apply(place).description() for place in range(jobs.size())]
    named = {told.get() for told in descriptions if told.isDefined()}
    for pass_ in ("sums", "judging"):
        assert any(name.startswith(f"wattline: fit by nnls, {pass_} of ") for name in named), named
    assert spark.sparkContext.getLocalProperty(DESCRIPTION) is None


@pytest.mark.parametrize("fan_in", [32, 3])
def test_files_that_all_see_are_read_by_the_program(
    spark: SparkSession, program: str, tmp_path: Path, fan_in: int
) -> None:
    folder = tmp_path / "a table"
    write(counts(4000, 12, seed=1), folder, files=7)
    for number in range(7):
        phone = folder / f"phone=P {number}"
        phone.mkdir()
        (folder / f"{number}.parquet").rename(phone / f"{number}.parquet")
    flags = ["--solver", "nnls", "--group", "phone", "--folds", "2", "--features", "n0.."]
    expected = alone(program, [str(folder)], tmp_path / "alone", *flags)
    with in_files(spark, 7), fixed_partitions(spark):
        parts = parts_of(spark, str(folder))
        assert (parts.count, parts.frame.columns) == (7, ["file"])
        assert parts_of(spark, spark.read.parquet(str(folder))).frame.columns != ["file"]
        fitted = fit(
            spark,
            str(folder),
            solver="nnls",
            group="phone",
            features=["n0.."],
            folds=2,
            out=str(tmp_path / "out"),
            fan_in=fan_in,
            program=program,
        )
    same(costs(fitted.model), expected)
    assert fitted.cv.read_bytes() == (tmp_path / "alone" / "cv.csv").read_bytes()


def test_one_process_that_sees_the_table_fits_the_same_costs(
    spark: SparkSession, program: str, tmp_path: Path
) -> None:
    files = write(counts(2000, 8, seed=2), tmp_path / "table", files=3)
    whole, out = tmp_path / "whole", str(tmp_path / "out")
    flags = ["--solver=nnls", "--features=n0.."]
    subprocess.run([program, "-q", "fit", *files, *flags, "--out", whole], check=True)
    fitted = fit(
        spark, files, features=["n0.."], solver="nnls", out=out, judge=False, program=program
    )
    assert fitted.cv is None
    same(costs(fitted.model), costs(whole / "model.json"))
    with pytest.raises(FileExistsError, match="force=True"):
        fit(spark, files, solver="nnls", out=out, program=program)


def test_empty_partitions_are_parts_of_their_own(
    spark: SparkSession, program: str, tmp_path: Path
) -> None:
    files = write(counts(300, 4, seed=3), tmp_path / "table", files=1)
    once = spark.read.parquet(*files)
    table = once.union(once.where("energy_j < 0").repartition(3))
    with fixed_partitions(spark):
        assert table.rdd.glom().map(len).collect() == [300, 0, 0, 0]
    fitted = fit(
        spark,
        table,
        features=["n0.."],
        solver="ls",
        out=str(tmp_path / "out"),
        program=program,
    )
    flags = ["--solver=ls", "--features=n0.."]
    same(costs(fitted.model), alone(program, files, tmp_path / "alone", *flags))


def test_equal_partitions_are_told(spark: SparkSession, program: str, tmp_path: Path) -> None:
    """The program takes equal sums of two parts for one part counted twice, also where the parts
    have numbers. A table that holds the same partition twice is therefore refused, not halved."""
    files = write(counts(300, 4, seed=3), tmp_path / "table", files=1)
    once = spark.read.parquet(*files)
    with pytest.raises(ProgramError, match="part 2 of 2 is there twice"):
        fit(
            spark,
            once.union(once),
            features=["n0.."],
            solver="ls",
            out=str(tmp_path / "out"),
            program=program,
        )


@pytest.mark.parametrize("by", ["rows", "files"])
def test_a_killed_executor_changes_nothing(
    spark: SparkSession, program: str, tmp_path: Path, by: str
) -> None:
    deadly = tmp_path / "deadly"
    deadly.write_text(DEADLY.format(folder=tmp_path, program=program))
    deadly.chmod(0o755)
    rows = counts(4000, 6, seed=4).drop_columns(["program"])
    tables = {
        "rows": spark.createDataFrame(rows.to_pandas()).repartition(8),
        "files": write(rows, tmp_path / "table", files=8),
    }
    with in_files(spark, 8):
        fits = {
            name: fit(
                spark, tables[by], solver="nnls", out=str(tmp_path / name), fan_in=3, program=path
            )
            for name, path in (("whole", program), ("killed-one", str(deadly)))
        }
    process = int((tmp_path / "killed" / "process").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    same(costs(fits["killed-one"].model), costs(fits["whole"].model))
    assert fits["killed-one"].cv.read_bytes() == fits["whole"].cv.read_bytes()


def test_the_programs_words_reach_the_user(
    spark: SparkSession, program: str, tmp_path: Path
) -> None:
    files = write(counts(50, 3, seed=5), tmp_path / "table", files=1)
    with pytest.raises(Exception) as caught:
        fit(spark, files, solver="nnls", target="joules", out=str(tmp_path / "o"), program=program)
    command = [program, "-q", "fit", *files, "--solver=nnls", "--target=joules", "--partial", "-"]
    said = subprocess.run(command, capture_output=True, text=True).stderr.strip()
    assert said.removeprefix("error: ") in str(caught.value)
    with pytest.raises(Exception) as caught:
        rows = spark.read.parquet(*files)
        fit(spark, rows, solver="nnls", target="joules", out=str(tmp_path / "o"), program=program)
    # The same line, but for the name of the table, which is standard input to such a task.
    assert said.replace(files[0], "-").removeprefix("error: ") in str(caught.value)


def test_an_executor_without_the_program_says_what_to_do(
    spark: SparkSession, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write(counts(200, 3, seed=6), tmp_path / "table", files=2)
    with pytest.raises(MissingProgram, match="program names, is no program there"):
        find_program(str(tmp_path / "nothing"))
    # The driver alone has it: its Python starts after the executors' environment is set.
    with monkeypatch.context() as on_driver:
        on_driver.setenv("WATTLINE_PROGRAM", program)
        with pytest.raises(Exception) as caught:
            fit(spark, files, solver="nnls", out=str(tmp_path / "out"))
        assert "MissingProgram: no program wattline on" in str(caught.value)
        assert "--files wattline" in str(caught.value)
    # A file that Spark ships is found by all.
    shipped = shutil.copy(program, tmp_path / "wattline")
    spark.sparkContext.addFile(str(shipped))
    fitted = fit(spark, files, features=["n0.."], solver="nnls", out=str(tmp_path / "out"))
    assert len(costs(fitted.model)) == 3
