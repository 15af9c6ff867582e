"""Rows of energy by tenant of many recordings, as one DataFrame."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from pyspark.sql import DataFrame, SparkSession

from .energies import COUNT, EXACT, energies

COLUMNS = (
    f"tenant string, basis string, log_s {EXACT}, metered_s {EXACT}, cpu_s {EXACT}, "
    f"cycles {EXACT}, switches {COUNT}, energy_j {EXACT}, counters map<string,{EXACT}>"
)


def tenants(
    spark: SparkSession,
    paths: Union[str, Sequence[str]],
    *,
    log: str = "perfetto",
    options: Sequence[str] = (),
    partitions: Optional[int] = None,
    program: Optional[str] = None,
) -> DataFrame:
    """Shares the energy of each recording among its tenants (`wattline tenants LOG`).

    paths: files, folders or patterns that Spark reads, one recording a file.
    log: perfetto or perf.
    options: further flags, as ["--by", "process"]; files in them have to be on the executors.
    partitions: at least so many tasks, where recordings are of some MB; small ones are put
        together up to `spark.files.maxPartitionBytes` (128 MB) a task. A task takes one after
        another, and each has to fit into memory.

    A row for each recording and tenant, with the path of the recording as `recording`; the
    columns are those of docs/reference/energies.md (seconds, joules), other counters the map `counters`.
    What is not known is null. The energies of a recording add up to its meter's difference, to
    the last digit. The work is done whenever the DataFrame is evaluated: write it to a table
    first.

    An action on it raises Spark's exception with the text of ProgramError, which names the
    recording, or of MissingProgram.
    """
    if log not in ("perfetto", "perf"):
        raise ValueError(f"log {log!r}: perfetto and perf are recordings of one file")
    return energies(spark, paths, ["tenants", log], options, COLUMNS, partitions, program)
