"""Rows of energy by key of many recordings: what `--partial` writes, as one DataFrame.

The program gives the rows as Parquet, one recording after another, in whole attounits.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Iterator, Optional, Sequence, Union
from urllib.parse import unquote, urlparse

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, SparkSession

from .arguments import listed
from .program import ProgramError, find_program, run

# Decimals, so that sums are exact. 18 places: attojoules, attoseconds.
EXACT = "decimal(38,18)"
# Counts of 64 bits.
COUNT = "decimal(20,0)"
# What every row says of itself.
ORIGIN = "format int, part string, part_rows int, recording string"
# The version of the rows that the columns here are of.
FORMAT = "1"


def energies(
    spark: SparkSession,
    paths: Union[str, Sequence[str]],
    command: Sequence[str],
    flags: Sequence[str],
    columns: str,
    partitions: Optional[int],
    program: Optional[str],
) -> DataFrame:
    """The rows of `wattline COMMAND RECORDING FLAGS --partial -` of each recording; `columns`
    are those after ORIGIN, in their order."""
    files = spark.sparkContext.binaryFiles(",".join(listed(paths)), partitions)
    command, flags = list(command), list(flags)
    rows = files.flatMap(lambda file: _rows(file[0], file[1], command, flags, program))
    return spark.createDataFrame(rows, f"{ORIGIN}, {columns}")


def _rows(
    recording: str,
    content: bytes,
    command: Sequence[str],
    flags: Sequence[str],
    program: Optional[str],
) -> Iterator[tuple]:
    """Rows of one recording, which lies in the task's own folder while the program reads it."""
    with tempfile.TemporaryDirectory() as folder:
        name = Path(unquote(urlparse(recording).path)).name
        Path(folder, name).write_bytes(content)
        arguments = [*command, "-q", f"./{name}", *flags, "--partial", "-"]
        try:
            partial = run(find_program(program), arguments, folder)
        except ProgramError as error:
            raise ProgramError(f"{recording}: {error}") from None
    table = _table(partial)
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    columns["recording"] = [recording] * table.num_rows
    for row in zip(*columns.values()):
        yield tuple(dict(value) if isinstance(value, list) else value for value in row)


def _table(partial: bytes) -> pa.Table:
    """The rows of a partial, if they are of the version that is known here."""
    file = parquet.ParquetFile(io.BytesIO(partial))
    found = (file.metadata.metadata or {}).get(b"wattline:format", b"none").decode()
    if found != FORMAT:
        raise ProgramError(
            f"rows of format {found}, this package takes {FORMAT}: package and program have to be "
            "of one version"
        )
    # No threads of Arrow's for so little.
    return file.read(use_threads=False)
