"""A model of a table of any size: two passes of Spark over it, and a merge after each."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence, Union

from pyspark.sql import SparkSession

from .arguments import check_free, listed
from .partials import described, fixed_partitions, partials_of, put
from .parts import Table, parts_of
from .program import find_program, run


@dataclass(frozen=True)
class Fitted:
    """Files on the driver that a fit has written."""

    model: Path
    """model.json: costs in joules; rounds.json and estimability.csv are beside it."""
    cv: Optional[Path]
    """cv.csv: r and NMAE per round. None where nothing was judged."""


def fit(
    spark: SparkSession,
    table: Table,
    *,
    solver: str,
    out: str,
    target: Optional[str] = None,
    group: Optional[str] = None,
    features: Optional[Sequence[str]] = None,
    weight: Optional[str] = None,
    relative_floor: Optional[float] = None,
    folds: int = 4,
    seed: int = 1,
    penalty: Optional[float] = None,
    prior: Optional[str] = None,
    judge: bool = True,
    force: bool = False,
    fan_in: int = 32,
    program: Optional[str] = None,
) -> Fitted:
    """Fits costs to a table, which is read once, and once more to be judged.

    table: a DataFrame, whose rows have to be the same whenever Spark computes them again, or
        paths of Parquet. Files of a folder that driver and executors share (`file:`) are read by
        the program, which takes a tenth of the processor time; all else by Spark.
    solver: ls, gd, nnls, ridge, elastic-net, shrink or bayes.
    out: folder on the driver for model.json, estimability.csv, rounds.json and cv.csv.
    target: the column to explain, in joules. group: cases of one value stay in one fold.
    features: names and patterns, as in `wattline fit --features`.
    weight, penalty: as the flags. relative_floor: joules, with weight "relative".
    prior: a file on the driver. judge: cv.csv, too. force: replaces results that are there.
    fan_in: partials that one task, or the driver, merges. Their size is that of the features
        squared (4.6 MB for 187 features and 4 folds), and the driver holds so many.
    program: path of wattline on driver and executors; see `find_program`.

    Raises FileExistsError, MissingProgram and ProgramError on the driver, and Spark's exception
    with the text of these where a task failed.
    """
    here = find_program(program)
    check_free(Path(out), ("model.json", "cv.csv"), force)
    flags = _flags(
        solver=solver,
        target=target,
        group=group,
        features=None if features is None else ",".join(listed(features)),
        weight=weight,
        relative_floor=relative_floor,
        folds=folds,
        seed=seed,
    )
    merge = _flags(solver=solver, penalty=penalty, prior=prior) + ["--force"] * force
    with fixed_partitions(spark):
        parts = parts_of(spark, table)
        with described(spark, f"fit by {solver}, sums of {parts.count} parts"):
            summed = partials_of(parts, flags, fan_in, program)
        _merge(here, summed, out, merge)
        if judge:
            rounds = Path(out, "rounds.json").read_bytes()
            with described(spark, f"fit by {solver}, judging of {parts.count} parts"):
                judged = partials_of(parts, [], fan_in, program, rounds)
            _merge(here, judged, out, ["--force"] * force)
    return Fitted(Path(out, "model.json"), Path(out, "cv.csv") if judge else None)


def _merge(program: str, partials: Sequence[bytes], out: str, flags: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        put(partials, folder)
        run(program, ["fit", "-q", "--merge", folder, *flags, "--out", str(out)])


def _flags(**values: Union[str, float, int, None]) -> list[str]:
    """`relative_floor=1e-6` to `--relative-floor 1e-06`; None is not given."""
    given = [(name, value) for name, value in values.items() if value is not None]
    # One word each: a value may begin with a dash.
    return [f"--{name.replace('_', '-')}={value}" for name, value in given]
