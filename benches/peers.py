"""The work of `benches/models.rs` with the usual Python libraries, on the same numbers.

Usage: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benches/peers.py DIR WORK...
Works: cholesky, lstsq, ridge, nnls. Prints seconds of CPU time, as `models.rs` does.
"""
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


WORKS = {"cholesky": cholesky, "lstsq": lstsq, "ridge": ridge, "nnls": nnls}


def main(folder, works):
    x, y = load(folder)
    for work in works:
        before = time.process_time()
        costs = WORKS[work](x, y)
        spent = time.process_time() - before
        print(f"{work} {x.shape[0]} x {COLUMNS}: {spent:.2f} s CPU; sum of costs {costs.sum():.9e} J")


main(sys.argv[1], sys.argv[2:])
