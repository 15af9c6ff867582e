#!/bin/sh
# Reading and fitting tables, here and with the usual Python libraries, one after the other,
# one thread each. Needs a Python with pyarrow, pandas and scikit-learn.
# Usage: benches/reading.sh FOLDER [ROWS [PYTHON]]
set -eu
folder=$1
rows=${2:-200000}
python=${3:-python3}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 RAYON_NUM_THREADS=1
"$python" -u benches/reference_reading.py "$folder" "$rows"
reading() { cargo bench --bench reading -- "$@"; }
reading "$folder/table.parquet" read
reading "$folder/table.csv" read
reading "$folder/table.parquet" fit
cargo build --release
for table in parquet csv; do
    for _ in 1 2 3 4 5; do
        # Seconds in the program and in the system, and the peak of memory in kB.
        command time -f "wattline fit $table: %U + %S s CPU, %M kB" \
            target/release/wattline --quiet fit "$folder/table.$table" --solver nnls --folds 4 \
            --out "$folder/fit" --force > "$folder/fit.log"
    done
done
