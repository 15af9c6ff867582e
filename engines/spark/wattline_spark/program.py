"""The program `wattline`: where it is, and how a task or the driver runs it.

Knows nothing of tables and models: arguments and bytes in, bytes out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from itertools import chain
from typing import BinaryIO, Iterable, Optional, Sequence

import pyarrow as pa
from pyspark import SparkFiles

NAME = "wattline"
VARIABLE = "WATTLINE_PROGRAM"


class MissingProgram(RuntimeError):
    """The program is not on this machine; the message says how to bring it there."""


class ProgramError(RuntimeError):
    """The program failed; the message holds all that it said on standard error."""


def find_program(given: Optional[str]) -> str:
    """The path of the program on the machine that asks, be it driver or executor.

    Looked for in this order: `given`, the variable WATTLINE_PROGRAM, a file `wattline` that
    Spark ships (`spark.files`), PATH. A place that is named must hold it: another version
    from further down is not what was asked for.

    Raises MissingProgram.
    """
    for origin, path in (("program", given), (VARIABLE, os.environ.get(VARIABLE))):
        if path:
            if not _is_program(path):
                raise _missing(f"{path}, which {origin} names, is no program there")
            return path
    shipped = SparkFiles.get(NAME)
    if _is_program(shipped):
        return shipped
    found = shutil.which(NAME)
    if found is None:
        raise _missing("it is neither named, nor shipped by Spark, nor in PATH")
    return found


def run(program: str, arguments: Sequence[str], folder: Optional[str] = None) -> bytes:
    """Standard output of `wattline ARGUMENTS`, run in `folder`.

    Raises ProgramError.
    """
    command = [program, *arguments]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
    _check(arguments, done.returncode, done.stderr)
    return done.stdout


def pipe(
    program: str,
    arguments: Sequence[str],
    batches: Iterable[pa.RecordBatch],
    schema_if_none: pa.Schema,
) -> bytes:
    """Standard output of `wattline ARGUMENTS` with the batches as one Arrow stream on its
    standard input; without a batch, a stream of `schema_if_none` and no rows.

    Raises ProgramError.
    """
    # Files, not pipes: the program may answer or fail while it is still written to.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        command = [program, *arguments]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=errors)
        try:
            _write(process.stdin, batches, schema_if_none)
            process.wait()
        finally:
            # A task that is cancelled leaves no program behind. After its end this does nothing.
            process.kill()
            process.wait()
        output.seek(0)
        errors.seek(0)
        _check(arguments, process.returncode, errors.read())
        return output.read()


def _write(sink: BinaryIO, batches: Iterable[pa.RecordBatch], schema_if_none: pa.Schema) -> None:
    rest = iter(batches)
    first = next(rest, None)
    schema = schema_if_none if first is None else first.schema
    try:
        with sink, pa.ipc.new_stream(sink, schema) as writer:
            for batch in chain([] if first is None else [first], rest):
                writer.write_batch(batch)
    except BrokenPipeError:
        # The program has ended early and says why on standard error.
        pass


def _check(arguments: Sequence[str], code: int, errors: bytes) -> None:
    if code != 0:
        said = errors.decode("utf-8", "replace").strip()
        said = said or "it said nothing"
        raise ProgramError(f"wattline {arguments[0]} ended with {code}: {said}")


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _missing(why: str) -> MissingProgram:
    return MissingProgram(
        f"no program wattline on {os.uname().nodename}: {why}; ship it to all executors with "
        f"--files wattline (spark.files), or install it there and name it with program=... or "
        f"spark.executorEnv.{VARIABLE}"
    )
