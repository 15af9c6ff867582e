#!/bin/sh
# Our fits and the peers', one after the other, on the same numbers, one thread each.
# Needs a Python with numpy, scipy, scikit-learn, pyarrow, pymc, nutpie and arviz, and 3 GB
# in the folder. Usage: benches/models.sh FOLDER [PYTHON]
set -eu
folder=$1
python=${2:-python3}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 RAYON_NUM_THREADS=1
export NUMBA_NUM_THREADS=1
models() { cargo bench --bench models -- "$folder" "$@"; }
models make nnls ls ridge bootstrap bayes pattern
"$python" -u benches/peers.py "$folder" cholesky lstsq ridge nnls pattern parquet
# By itself, for its peak of memory.
models parquet
