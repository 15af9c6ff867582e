"""A table of counts and energies in Parquet, and a fit to it by two executors of this machine."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from wattline_spark import fit

ROWS_PER_FILE = 100_000


def write_table(folder: Path, rows: int, features: int) -> None:
    """Whole counts, half of them 0, costs of 0.1 uJ and more, and 2 % of noise; from a seed."""
    folder.mkdir(parents=True)
    numbers = np.random.default_rng(1)
    costs_j = np.arange(1, features + 1) * 1e-7
    for first in range(0, rows, ROWS_PER_FILE):
        shape = (min(ROWS_PER_FILE, rows - first), features)
        counts = (numbers.exponential(900, shape) * numbers.integers(0, 2, shape)).astype(np.int64)
        energy = counts @ costs_j * numbers.normal(1, 0.02, shape[0])
        columns = {"case": [f"c{first + row}" for row in range(shape[0])], "energy_j": energy}
        columns |= {f"n{feature}": counts[:, feature] for feature in range(features)}
        pq.write_table(pa.table(columns), folder / f"{first // ROWS_PER_FILE:05}.parquet")


def fit_table(folder: str, executors: int, out: str) -> None:
    # Executors on this machine find Python packages where the driver does.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(f"local-cluster[{executors},1,2048]")
        .config("spark.executor.memory", "1g")
        .getOrCreate()
    )
    begin = time.monotonic()
    fitted = fit(spark, folder, solver="nnls", out=out)
    print(f"{fitted.model} and {fitted.cv}: {time.monotonic() - begin:.1f} s")
    spark.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    table = commands.add_parser("table", help="write a table")
    table.add_argument("--rows", type=int, required=True)
    table.add_argument("--features", type=int, default=187)
    table.add_argument("--out", type=Path, required=True)
    fitting = commands.add_parser("fit", help="fit nnls to a table, with 4 folds")
    fitting.add_argument("table")
    fitting.add_argument("--executors", type=int, default=2)
    fitting.add_argument("--out", required=True)
    arguments = parser.parse_args()
    if arguments.command == "table":
        write_table(arguments.out, arguments.rows, arguments.features)
    else:
        fit_table(arguments.table, arguments.executors, arguments.out)


if __name__ == "__main__":
    main()
