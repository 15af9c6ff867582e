"""A scan of sources in shards: each task writes the tables of one, the driver joins them."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import Optional, Sequence, Union

from pyspark import TaskContext
from pyspark.sql import SparkSession

from .arguments import check_free, listed
from .program import find_program, run

TABLES = ("blocks.csv", "operations.csv", "lines.csv", "findings.csv")


def scan(
    spark: SparkSession,
    sources: Union[str, Sequence[str]],
    shards: int,
    out: str,
    *,
    classpath: str = "",
    granularity: str = "statement",
    cache: Optional[str] = None,
    force: bool = False,
    program: Optional[str] = None,
) -> Path:
    """Counts the operations of all basic blocks; the tables are those of one scan, byte for byte.

    sources, classpath, out, cache: paths that mean the same on driver and executors, as those of
        a shared folder do; relative ones are made absolute on the driver. Shards that share a
        cache parse each file once; without one each shard parses all files.
    shards: tasks, at least 1.

    Returns the folder of blocks.csv, operations.csv, lines.csv and findings.csv. Raises
    FileExistsError, ValueError for shards below 1, and Spark's exception with the text of
    MissingProgram or ProgramError where a task failed.
    """
    if shards < 1:
        raise ValueError(f"{shards} shards: at least 1 is needed")
    folder = Path(out).absolute()
    check_free(folder, TABLES, force)
    arguments = ["--granularity", granularity, "--classpath", _absolute_parts(classpath)]
    arguments += ["--no-cache"] if cache is None else ["--cache", os.path.abspath(cache)]
    arguments += [os.path.abspath(source) for source in listed(sources)]
    # Of this run alone: what an earlier one left behind is no part of it.
    parts = folder / f".shards-{uuid.uuid4().hex}"
    parts.mkdir(parents=True)
    try:
        numbers = spark.sparkContext.parallelize(range(1, shards + 1), shards)
        numbers.foreach(lambda shard: _scan_shard(shard, shards, arguments, parts, program))
        for name in TABLES:
            _join([parts / str(shard) / name for shard in range(1, shards + 1)], folder / name)
    finally:
        shutil.rmtree(parts, ignore_errors=True)
    return folder


def _scan_shard(
    shard: int, shards: int, arguments: Sequence[str], parts: Path, program: Optional[str]
) -> None:
    """Tables of one shard appear whole or not at all, however often the task is tried."""
    attempt = parts / f"{shard}-{TaskContext.get().taskAttemptId()}"
    numbered = ["--shard", f"{shard}/{shards}", "--out", str(attempt)]
    run(find_program(program), ["scan", "-q", *arguments, *numbered])
    try:
        attempt.rename(parts / str(shard))
    except OSError:
        # Another attempt at the same shard was first, with the same tables.
        if not (parts / str(shard)).is_dir():
            raise


def _join(tables: Sequence[Path], to: Path) -> None:
    """The rows of all tables after one another, under one header."""
    part = tables[0].parent.parent / to.name
    with part.open("wb") as joined:
        for number, table in enumerate(tables):
            with table.open("rb") as rows:
                if number > 0:
                    rows.readline()
                shutil.copyfileobj(rows, joined)
    part.replace(to)


def _absolute_parts(classpath: str) -> str:
    parts = [os.path.abspath(part) for part in classpath.split(os.pathsep) if part]
    return os.pathsep.join(parts)
