"""Rows of energy by tenant of many recordings, as one DataFrame."""

from __future__ import annotations

import csv
import io
import tempfile
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path
from typing import Iterator, Optional, Sequence, Union
from urllib.parse import unquote, urlparse

from pyspark.sql import DataFrame, SparkSession

from .arguments import listed
from .program import ProgramError, find_program, run

# Decimals, so that sums are exact. 18 places: attojoules, attoseconds.
NUMBER = "decimal(38,18)"
PLACES = Decimal(1).scaleb(-18)
WIDE = Context(prec=60, rounding=ROUND_HALF_EVEN)

NUMBERS = ("start_s", "end_s", "cpu_s", "cycles", "energy_j", "power_w", "share")
FIXED = (
    *("start_s", "end_s", "tenant", "cpu_s", "cycles"),
    *("switches", "energy_j", "power_w", "share", "basis"),
)
TYPES = {"tenant": "string", "switches": "bigint", "basis": "string"}
COLUMNS = [f"{name} {TYPES.get(name, NUMBER)}" for name in FIXED]
SCHEMA = ", ".join(["recording string", *COLUMNS, f"counters map<string,{NUMBER}>"])


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
    partitions: at least so many tasks; a task takes one recording after another, each of which
        has to fit into memory.

    A row for each recording and tenant: the columns of tenants.csv (seconds, joules, watts),
    with the path of the recording as `recording` and other counters as the map `counters`. What
    is not known is null. Numbers have the digits of tenants.csv, those beyond the 18th place
    rounded off. The work is done whenever the DataFrame is evaluated: write it to a table first.

    An action on it raises Spark's exception with the text of ProgramError, which names the
    recording, or of MissingProgram.
    """
    if log not in ("perfetto", "perf"):
        raise ValueError(f"log {log!r}: perfetto and perf are recordings of one file")
    files = spark.sparkContext.binaryFiles(",".join(listed(paths)), partitions)
    flags = list(options)
    rows = files.flatMap(lambda file: _rows(file[0], file[1], log, flags, program))
    return spark.createDataFrame(rows, SCHEMA)


def _rows(
    recording: str, content: bytes, log: str, options: Sequence[str], program: Optional[str]
) -> Iterator[tuple]:
    """Rows of one recording, which lies in the task's own folder while the program reads it."""
    with tempfile.TemporaryDirectory() as folder:
        name = Path(unquote(urlparse(recording).path)).name
        Path(folder, name).write_bytes(content)
        arguments = ["tenants", "-q", log, f"./{name}", *options, "--out", "out"]
        try:
            run(find_program(program), arguments, folder)
        except ProgramError as error:
            raise ProgramError(f"{recording}: {error}") from None
        text = Path(folder, "out", "tenants.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(io.StringIO(text, newline="")):
        yield _typed(recording, row)


def _typed(recording: str, row: dict[str, str]) -> tuple:
    fixed = [_value(name, row.pop(name)) for name in FIXED]
    return (recording, *fixed, {name: _number(text) for name, text in row.items()})


def _value(name: str, text: str) -> Union[Decimal, int, str, None]:
    if name in NUMBERS:
        return _number(text)
    return int(text) if name == "switches" else text


def _number(text: str) -> Optional[Decimal]:
    """Empty is unknown, not 0."""
    return Decimal(text).quantize(PLACES, context=WIDE) if text else None
