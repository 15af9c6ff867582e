"""Tables and logs from a seed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def counts(rows: int, features: int, seed: int) -> pa.Table:
    """Cases in 40 groups, whole counts, and energies in joules with 2 % of noise."""
    random_numbers = np.random.default_rng(seed)
    shape = (rows, features)
    columns = random_numbers.poisson(1000.0, shape) * random_numbers.integers(1, 5, shape)
    costs = np.arange(1, features + 1) * 1e-6
    energy = columns @ costs * random_numbers.normal(1.0, 0.02, rows)
    table = {
        "case": [f"c{row}" for row in range(rows)],
        "program": [f"p{row % 40}" for row in range(rows)],
        "energy_j": energy,
    }
    table |= {f"n{column}": columns[:, column] for column in range(features)}
    return pa.table(table)


def write(table: pa.Table, folder: Path, files: int) -> list[str]:
    """The table in so many Parquet files."""
    folder.mkdir()
    rows = -(-table.num_rows // files)
    paths = [folder / f"{number}.parquet" for number in range(files)]
    for number, path in enumerate(paths):
        pq.write_table(table.slice(number * rows, rows), path)
    return [str(path) for path in paths]


def costs(model: Path) -> dict[str, float]:
    """Joules by operation."""
    found = json.loads(model.read_text())["costs"]
    return {cost["operation"]: cost["cost_j"] for cost in found}


def log(switches: int, seed: int) -> str:
    """A log as `perf script` prints it: one CPU, a tenant of four at a time."""
    numbers = random.Random(seed)
    tids = {"swapper": 0, "java": 4, "sh": 2, "gzip": 5}
    lines, at_us, before = [], 100_000_000, "swapper"
    for _ in range(switches):
        at_us += numbers.randrange(500, 9000)
        after = numbers.choice([name for name in tids if name != before])
        lines.append(
            f"{before:>16} {tids[before]:>5} [000] {at_us // 10**6}.{at_us % 10**6:06}: "
            f"sched:sched_switch: prev_comm={before} prev_pid={tids[before]} prev_prio=120 "
            f"prev_state=S ==> next_comm={after} next_pid={tids[after]} next_prio=120\n"
        )
        before = after
    return "".join(lines)
