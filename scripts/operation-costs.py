"""How true the costs of operations are, on a virtual board.

    operation-costs.py FOLDER

The simulated energy model spends by bytecode and knows no operations of the source, so no table holds their
true costs. What can be asked is: which costs would explain the true energy of all lines best
(`ground-truth/lines.csv`, relative errors, no cost below zero; executions and prices of contexts as
in the accounts), and how far are the fitted ones from those? Prints the operations that make
95 % of the energy, with the standard error of the best cost. FOLDER is a pipeline's on a
virtual board. Needs numpy and scipy.
"""

import collections
import csv
import json
import pathlib
import sys

import numpy
from scipy.optimize import nnls

LINES_HOLD = 0.99  # of the true energy; the rest are lines of next to none
SHOWN = 0.95
RELATIVE_ERROR = 0.05  # of a line, which sets the weights


def read(folder, name):
    with open(folder / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def counts_by_line(folder, relative):
    """Executions of each operation by line, in units of its cost."""
    files = {row["block"]: row["file"] for row in read(folder, "blocks.csv")}
    accounts = read(folder, "accounts/blocks.csv")
    runs = {row["block"]: float(row["executions"] or 0) for row in accounts}
    lines = collections.defaultdict(collections.Counter)
    for row in read(folder, "lines.csv"):
        operation, block = row["operation"], row["block"]
        price = relative.get((operation, row["context"]), 1.0)
        count = runs.get(block, 0.0) * float(row["count"]) * price
        if count > 0:
            lines[files[block], row["line"]][operation] += count
    return lines


def dearest(truth, lines):
    """The lines that hold most of the true energy, most expensive first."""
    keys = sorted((key for key in lines if truth.get(key, 0) > 0), key=lambda key: -truth[key])
    held = numpy.cumsum([truth[key] for key in keys])
    return keys[: int(numpy.searchsorted(held, LINES_HOLD * held[-1])) + 1]


def best_costs(counts, energy):
    """Costs that explain the energies best, and their standard errors, in joules."""
    weights = 1 / numpy.hypot(RELATIVE_ERROR * energy, 1e-4 * energy.max())
    design = counts * weights[:, None]
    lengths = numpy.linalg.norm(design, axis=0)
    design /= lengths
    found, _ = nnls(design, energy * weights)
    left = energy * weights - design @ found
    variance = left @ left / max(1, len(energy) - counts.shape[1])
    covariance = numpy.linalg.pinv(design.T @ design) * variance
    return found / lengths, numpy.sqrt(numpy.diag(covariance).clip(0)) / lengths


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    folder = pathlib.Path(sys.argv[1])
    if not (folder / "ground-truth" / "lines.csv").exists():
        sys.exit(f"{folder}: no ground-truth/lines.csv; `wattline pipeline` on a virtual board leaves one")
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    ours = {cost["operation"]: cost["cost_j"] for cost in model["costs"]}
    relative = {(c["operation"], c["context"]): c["relative"] for c in model["contexts"]}
    lines = counts_by_line(folder, relative)
    truth = read(folder, "ground-truth/lines.csv")
    truth = {(row["file"], row["line"]): float(row["energy_j"]) for row in truth}
    keys = dearest(truth, lines)
    operations = sorted({operation for key in keys for operation in lines[key]})
    counts = numpy.array([[lines[key][o] for o in operations] for key in keys])
    energy = numpy.array([truth[key] for key in keys])
    best, error = best_costs(counts, energy)
    shares = counts.sum(axis=0) * best / (counts @ best).sum()
    print(f"{len(keys)} lines, {len(operations)} operations and library functions")
    print(f"{'':36}{'share':>7}{'best':>11}{'+-':>7}{'fitted':>11}{'off by':>9}")
    held, near, shown = 0.0, 0.0, 0
    for at in numpy.argsort(-shares):
        if held > SHOWN:
            break
        off = ours.get(operations[at], numpy.nan) / best[at] - 1
        held, shown = held + shares[at], shown + 1
        near += shares[at] * (abs(off) <= 0.1)
        print(
            f"{operations[at]:36}{shares[at]:7.1%}{best[at]:11.3e}{error[at] / best[at]:7.0%}"
            f"{ours.get(operations[at], numpy.nan):11.3e}{off:+9.1%}"
        )
    print(f"{shown} hold {held:.1%} of the energy; those within 10 % hold {near:.1%}")


if __name__ == "__main__":
    main()
