"""The tables of `benches/reading.rs`, and the same work with pyarrow, pandas and scikit-learn.

Usage: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benches/reference_reading.py DIR ROWS
Makes `table.parquet` (pyarrow's defaults) and `table.csv` with ROWS rows of 187 whole counts
and an energy, if they are not there. Prints seconds of CPU time, five times each.
"""
import os
import sys
import time

import numpy
import pandas
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import sklearn.linear_model
import sklearn.model_selection

COLUMNS = 187


def make(folder, rows):
    random = numpy.random.default_rng(1)
    drawn = 1e-9 * (0.2 + random.random(COLUMNS))
    costs = numpy.where(numpy.arange(COLUMNS) % 3 == 0, 0, drawn)
    size = 10 ** (3 + 2 * random.random(rows))
    columns, energy = {}, numpy.zeros(rows)
    for j in range(COLUMNS):
        counts = numpy.floor(size * random.random(rows) ** 3).astype(numpy.int64)
        energy += counts * costs[j]
        columns[f"op_{j}"] = counts
    energy *= 1 + 0.1 * (random.random((3, rows)).sum(axis=0) - 1.5)
    table = pyarrow.table({"energy_j": energy, **columns})
    pyarrow.parquet.write_table(table, f"{folder}/table.parquet")
    pyarrow.csv.write_csv(table, f"{folder}/table.csv")


def timed(name, work):
    for _ in range(5):
        before = time.process_time()
        work()
        print(f"{name}: {time.process_time() - before:.3f} s CPU", flush=True)


def batches(path):
    file = pyarrow.parquet.ParquetFile(path)
    return sum(b.num_rows for b in file.iter_batches(batch_size=4096, use_threads=False))


def ridge(x, y):
    model = sklearn.linear_model.Ridge(alpha=1e-3, fit_intercept=False)
    folds = sklearn.model_selection.KFold(4, shuffle=True, random_state=1)
    sklearn.model_selection.cross_val_score(model, x, y, cv=folds, scoring="r2")
    model.fit(x, y)


def main(folder, rows):
    if not os.path.exists(f"{folder}/table.csv"):
        make(folder, rows)
    parquet = f"{folder}/table.parquet"
    timed("pyarrow table", lambda: pyarrow.parquet.read_table(parquet, use_threads=False))
    timed("pyarrow batches", lambda: batches(parquet))
    timed("pandas CSV", lambda: pandas.read_csv(f"{folder}/table.csv"))
    table = pyarrow.parquet.read_table(parquet).to_pandas()
    y = table.pop("energy_j").to_numpy()
    x = numpy.ascontiguousarray(table.to_numpy(dtype=float))
    timed("scikit-learn Ridge, 4 folds, arrays in memory", lambda: ridge(x, y))


main(sys.argv[1], int(sys.argv[2]))
