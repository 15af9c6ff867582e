"""The work of `benches/models.rs` with the usual Python libraries, on the same numbers.

Usage: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benches/peers.py DIR WORK...
Works: cholesky, lstsq, ridge, nnls; parquet (writes `large.parquet`, needs pyarrow); and
pattern (needs pymc, nutpie and arviz, and the `patterns.csv` that `models.rs` writes). Prints seconds of CPU time, as `models.rs` does.
"""
import csv
import sys
import time

import numpy
import scipy.linalg
import scipy.optimize
import sklearn.linear_model
import sklearn.model_selection

COLUMNS = 187


def load(folder):
    table = numpy.fromfile(f"{folder}/large.bin").reshape(-1, COLUMNS + 1)
    return numpy.ascontiguousarray(table[:, :COLUMNS]), table[:, COLUMNS].copy()


def cholesky(x, y):
    return scipy.linalg.cho_solve(scipy.linalg.cho_factor(x.T @ x), x.T @ y)


def lstsq(x, y):
    return numpy.linalg.lstsq(x, y, rcond=None)[0]


def ridge(x, y):
    model = sklearn.linear_model.Ridge(alpha=1e-3, fit_intercept=False)
    folds = sklearn.model_selection.KFold(4, shuffle=True, random_state=1)
    sklearn.model_selection.cross_val_score(model, x, y, cv=folds, scoring="r2")
    return model.fit(x, y).coef_


def nnls(x, y):
    return scipy.optimize.nnls(x, y)[0]


def contrasts(levels):
    """Orthonormal directions that don't change the sum, levels x (levels - 1)."""
    return numpy.linalg.svd(numpy.eye(levels) - 1 / levels)[0][:, : levels - 1]


def pattern_model(path):
    """The pattern model in level-split form: a grand mean, contrasts and scales; levels
    that the measurements don't determine are left out. From sufficient statistics."""
    import pymc

    rows = list(csv.DictReader(open(path)))
    y = numpy.array([float(row["energy_j"]) for row in rows])
    y /= numpy.abs(y).mean()
    blocks, names = [numpy.ones((len(rows), 1))], []
    for factor in list(rows[0])[:-1]:
        levels = sorted({row[factor] for row in rows if row[factor]})
        basis = contrasts(len(levels))
        place = {level: basis[i] for i, level in enumerate(levels)} | {"": 0 * basis[0]}
        blocks.append(numpy.array([place[row[factor]] for row in rows]))
        names.append((factor, len(levels) - 1))
    x = numpy.hstack(blocks)
    xx, xy, yy = x.T @ x, x.T @ y, y @ y
    with pymc.Model() as model:
        parts = [pymc.Normal("mean", 0, 20, shape=1)]
        for name, size in names:
            scale = pymc.Exponential(f"tau_{name}", 1)
            parts.append(pymc.Normal(name, 0, scale, shape=size))
        b = pymc.math.concatenate(parts)
        log_sigma = pymc.Flat("log_sigma")
        squares = yy - 2 * pymc.math.dot(b, xy) + pymc.math.dot(b, pymc.math.dot(xx, b))
        pymc.Potential("e", -len(y) * log_sigma - squares / 2 * pymc.math.exp(-2 * log_sigma))
    return model


def pattern(folder):
    import arviz
    import nutpie

    model = pattern_model(f"{folder}/patterns.csv")
    compiled = nutpie.compile_pymc_model(model, initial_points={"log_sigma": -2.0})
    for seed in range(1, 6):
        before = time.process_time()
        trace = nutpie.sample(
            compiled, draws=4000, tune=1000, chains=4, cores=1, seed=seed,
            target_accept=0.9, progress_bar=False,
        )
        spent = time.process_time() - before
        found = [arviz.ess(trace, method=m).to_array().values for m in ("bulk", "tail")]
        least = min(float(numpy.nanmin(v)) for v in found)
        rhat = float(arviz.rhat(trace).to_array().max())
        divergences = int(trace.sample_stats.diverging.sum())
        print(
            f"pattern by nutpie, seed {seed}: R-hat {rhat:.4f}, divergences {divergences}, "
            f"min ESS {least:.0f}, {spent:.2f} s CPU; {least / spent:.0f} min-ESS/s"
        )


def parquet(folder):
    """`large.bin` as Parquet, in row groups of 65 536 rows."""
    import pyarrow
    import pyarrow.parquet

    table = numpy.memmap(f"{folder}/large.bin", dtype="<f8").reshape(-1, COLUMNS + 1)
    names = [f"op_{j}" for j in range(COLUMNS)] + ["energy_j"]
    schema = pyarrow.schema([(name, pyarrow.float64()) for name in names])
    with pyarrow.parquet.ParquetWriter(f"{folder}/large.parquet", schema) as file:
        for first in range(0, len(table), 65_536):
            part = table[first : first + 65_536]
            columns = [numpy.ascontiguousarray(part[:, j]) for j in range(COLUMNS + 1)]
            file.write_table(pyarrow.table(columns, schema=schema), row_group_size=65_536)


WORKS = {"cholesky": cholesky, "lstsq": lstsq, "ridge": ridge, "nnls": nnls}


OTHERS = {"pattern": pattern, "parquet": parquet}


def main(folder, works):
    x, y = load(folder) if set(works) & set(WORKS) else (None, None)
    for work in works:
        if work in OTHERS:
            OTHERS[work](folder)
            continue
        before = time.process_time()
        costs = WORKS[work](x, y)
        spent = time.process_time() - before
        print(f"{work} {x.shape[0]} x {COLUMNS}: {spent:.2f} s CPU; sum of costs {costs.sum():.9e} J")


main(sys.argv[1], sys.argv[2:])
