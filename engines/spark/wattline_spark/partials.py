"""Partials: sums over one part of a table, and over many parts.

A partial is a row of (part, partial): the part's number and the bytes that
`wattline fit --partial -` writes. Partials are merged in groups until few are left.
"""

from __future__ import annotations

import math
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Sequence

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession

from .parts import Batches, Parts
from .program import find_program, run

SCHEMA = "part int, partial binary"
Task = Callable[[Batches], Iterator[pa.RecordBatch]]

ADAPTIVE = "spark.sql.adaptive.enabled"
DESCRIPTION = "spark.job.description"


@contextmanager
def fixed_partitions(spark: SparkSession) -> Iterator[None]:
    """Keeps Spark from joining partitions while it runs: their number is part of a partial."""
    before = spark.conf.get(ADAPTIVE)
    spark.conf.set(ADAPTIVE, "false")
    try:
        yield
    finally:
        spark.conf.set(ADAPTIVE, before)


@contextmanager
def described(spark: SparkSession, what: str) -> Iterator[None]:
    """Spark's pages call the jobs that are run within by this name."""
    context = spark.sparkContext
    before = context.getLocalProperty(DESCRIPTION)
    context.setLocalProperty(DESCRIPTION, f"wattline: {what}")
    try:
        yield
    finally:
        context.setLocalProperty(DESCRIPTION, before)


def partials_of(
    parts: Parts,
    flags: Sequence[str],
    fan_in: int,
    program: Optional[str],
    rounds: Optional[bytes] = None,
) -> list[bytes]:
    """At most `fan_in` partials of all parts of a table, summed as `flags` say, or judged by
    `rounds`, the content of rounds.json, which has all of the flags. To be called within
    `fixed_partitions`.

    Raises what Spark makes of ProgramError and MissingProgram in a task.
    """
    count = parts.count
    partials = parts.frame.mapInArrow(_summing(parts, list(flags), program, rounds), SCHEMA)
    while count > fan_in:
        count = math.ceil(count / fan_in)
        partials = partials.repartition(count, "part").mapInArrow(_merging(program), SCHEMA)
    rows = sorted(partials.collect(), key=lambda row: row["part"])
    return [bytes(row["partial"]) for row in rows]


def put(partials: Iterable[bytes], folder: str) -> None:
    """Writes partials to a folder under the names by which `--merge` finds them."""
    for number, partial in enumerate(partials, 1):
        Path(folder, f"{number:06}.partial").write_bytes(partial)


def _summing(
    parts: Parts, flags: list[str], program: Optional[str], rounds: Optional[bytes]
) -> Task:
    """One part to its partial. The number of the partition tells empty partitions apart, and a
    partition that is counted twice or missing; it is the same when a task is run again."""
    count, fit = parts.count, parts.fit

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        part = TaskContext.get().partitionId() + 1
        arguments = ["-q", *flags, "--part", f"{part}/{count}", "--partial", "-"]
        with tempfile.TemporaryDirectory() as folder:
            if rounds is not None:
                judge = Path(folder, "rounds.json")
                judge.write_bytes(rounds)
                arguments += ["--judge", str(judge)]
            yield _row(part, fit(find_program(program), arguments, batches))

    return task


def _merging(program: Optional[str]) -> Task:
    """Partials to one. Spark may deal a task none: then there is nothing to pass on."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        with tempfile.TemporaryDirectory() as folder:
            count = 0
            for batch in batches:
                for part, partial in zip(batch.column(0), batch.column(1)):
                    Path(folder, f"{part.as_py():06}.partial").write_bytes(partial.as_buffer())
                    count += 1
            if count > 0:
                arguments = ["fit", "-q", "--merge", folder, "--partial", "-"]
                merged = run(find_program(program), arguments)
                yield _row(TaskContext.get().partitionId() + 1, merged)

    return task


def _row(part: int, partial: bytes) -> pa.RecordBatch:
    columns = [pa.array([part], pa.int32()), pa.array([partial], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, names=["part", "partial"])
