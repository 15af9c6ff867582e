"""A table in parts, each of which one task sums: files that the program reads, or rows that
Spark reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Optional, Sequence, Union
from urllib.parse import unquote, urlparse

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from .arguments import listed
from .program import pipe, run

Table = Union[DataFrame, str, Sequence[str]]
Batches = Iterable[pa.RecordBatch]

# A row costs more than so many times more CPU time by way of Spark than by the program's
# own reader (docs/experiments/2026-11-scale.md), so fewer files than cores are the faster way, too.
ROWS_COST = 8


@dataclass(frozen=True)
class Parts:
    """A table in as many parts as its frame has partitions."""

    frame: DataFrame
    """One row for each row of the table, or for each of its files."""
    count: int
    fit: Callable[[str, Sequence[str], Batches], bytes]
    """Standard output of `PROGRAM fit ARGUMENTS` for the batches of one partition."""


def parts_of(spark: SparkSession, table: Table) -> Parts:
    """Paths of files that driver and executors see are read by the program, all else by Spark.

    To be called where partitions stay as they are (`fixed_partitions`).
    """
    if isinstance(table, DataFrame):
        return _rows(table)
    read = spark.read.parquet(*listed(table))
    files, partitions = _local(read.inputFiles()), read.rdd.getNumPartitions()
    at_once = min(partitions, spark.sparkContext.defaultParallelism)
    if files is None or ROWS_COST * len(files) < at_once:
        return _rows(read)
    return _files(spark, files, min(len(files), partitions))


def _rows(table: DataFrame) -> Parts:
    schema = to_arrow_schema(table.schema)

    def fit(program: str, arguments: Sequence[str], batches: Batches) -> bytes:
        return pipe(program, ["fit", "-", *arguments], batches, schema)

    return Parts(table, table.rdd.getNumPartitions(), fit)


def _files(spark: SparkSession, files: Sequence[str], count: int) -> Parts:
    """Parts of about as many files each."""
    named = spark.sparkContext.parallelize([(file,) for file in files], count)
    frame = spark.createDataFrame(named, "file string")

    def fit(program: str, arguments: Sequence[str], batches: Batches) -> bytes:
        names = [name for batch in batches for name in batch.column(0).to_pylist()]
        return run(program, ["fit", *names, *arguments])

    return Parts(frame, count, fit)


def _local(files: Sequence[str]) -> Optional[list[str]]:
    """Paths of `file:` addresses in the order of their names; None if one is of another store."""
    places = [urlparse(file) for file in files]
    if not places or any(place.scheme != "file" for place in places):
        return None
    return sorted(unquote(place.path) for place in places)
