"""Rows of energy by component and activity of many recordings, as one DataFrame."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from pyspark.sql import DataFrame, SparkSession

from .energies import EXACT, energies

COLUMNS = (
    "node string, component string, activity string, origin string, "
    f"time_s {EXACT}, undetermined_s {EXACT}, energy_j {EXACT}, "
    f"energy_lo_j {EXACT}, energy_hi_j {EXACT}"
)


def activities(
    spark: SparkSession,
    paths: Union[str, Sequence[str]],
    *,
    options: Sequence[str] = (),
    partitions: Optional[int] = None,
    program: Optional[str] = None,
) -> DataFrame:
    """Accounts for the energy of each recording by component and activity (`wattline
    activities`).

    paths: files, folders or patterns that Spark reads, one recording a file, with its meter in
        it: Perfetto traces, batterystats, intervals, CSV with `energy`, binary logs. A recording
        in several files (a log and its samples) is not one of these.
    options: further flags, as ["--node", "pixel"]; files in them have to be on the executors.
    partitions: at least so many tasks, where recordings are of some MB; small ones are put
        together up to `spark.files.maxPartitionBytes` (128 MB) a task. A task takes one after
        another, and each has to fit into memory.

    A row for each recording, node, component and activity, with the path of the recording as
    `recording`; the columns are those of docs/reference/energies.md (seconds, joules). What is not known
    is null. The energies of a node add up to what was measured, to the last digit. The work is
    done whenever the DataFrame is evaluated: write it to a table first.

    An action on it raises Spark's exception with the text of ProgramError, which names the
    recording, or of MissingProgram.
    """
    return energies(spark, paths, ["activities"], options, COLUMNS, partitions, program)
