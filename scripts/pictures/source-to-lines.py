#!/usr/bin/env python3
"""Writes a page that follows one method from its source to the energy of its lines, with the
figures of a campaign's folder. Called by scripts/pictures.sh, which draws the page.

Arguments: the folder, the class and the method as its accounts/blocks.csv has them, the page.
"""

import csv
import html
import sys
import textwrap
import tomllib
from pathlib import Path

STYLE = """
body { margin: 0; padding: 12px; width: max-content; background: #fff; color: #1b2330; font: 14px/1.35 "DejaVu Sans", sans-serif; }
p { margin: 0 0 8px; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 5px 14px 5px 0; border-bottom: 1px solid #dde2e8; font-weight: 400; }
th { color: #5b6675; border-bottom: 2px solid #dde2e8; }
th b { display: block; color: #0b5cad; }
th:not(:last-child) b::after { content: " \\2192"; }
code { font-family: "DejaVu Sans Mono", monospace; font-size: 13px; white-space: pre; }
.number { text-align: right; white-space: nowrap; }
.interval { display: block; color: #5b6675; font-size: 12px; }
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def energy(joules):
    """An energy with its unit and three digits, as the program writes it."""
    if joules == 0:
        return "0 J"
    for unit, size in [("J", 1.0), ("mJ", 1e-3), ("µJ", 1e-6), ("nJ", 1e-9)]:
        if abs(joules) >= size:
            break
    digits = f"{joules / size:.3g}"
    return f"{float(digits):.{max(0, 3 - len(digits.split('.')[0].lstrip('-')))}f} {unit}"


def with_interval(row, name):
    """The cell of an energy, with its 95 % interval below."""
    low, high = (row[name.replace("_j", f"_{end}_j")] for end in ("lo", "hi"))
    interval = f"{energy(float(low))} to {energy(float(high))}" if low and high else "no interval"
    return f'{energy(float(row[name]))}<span class="interval">{interval}</span>'


def operation_text(name, count):
    """An operation with its count; a library function without its package."""
    if name.startswith("lib:"):
        name = ".".join(name.split(".")[-2:]) + "()"
    return f"{html.escape(name)} {count}"


def block_text(row):
    """The name of a block within its method; the first one has no name of its own."""
    return html.escape(row["name"].rpartition(row["method"])[2].lstrip(".") or "(entry)")


def cell(contents, kind="", span=1):
    return f'<td class="{kind}" rowspan="{span}">{contents}</td>'


def place(row):
    return row["start_line"], row["end_line"]


def source_cell(lines, row):
    first, last = int(row["start_line"]), int(row["end_line"])
    shown = [f"{n:>3}  {lines[n]}" for n in range(first, last + 1) if lines[n].strip()]
    return "<code>" + html.escape("\n".join(shown)) + "</code>"


def line_cell(energies, row):
    first, last = int(row["start_line"]), int(row["end_line"])
    spent = [energies[n] for n in range(first, last + 1) if n in energies]
    return "".join(f"<div>line {one['line']}: {with_interval(one, 'energy_j')}</div>" for one in spent)


def table(folder, class_name, method):
    blocks = [
        row
        for row in rows(folder / "accounts/blocks.csv")
        if (row["class"], row["method"]) == (class_name, method)
    ]
    if not blocks:
        sys.exit(f"{folder}/accounts/blocks.csv: no block of {class_name}.{method} ran")
    blocks.sort(key=lambda row: int(row["block"]))
    operations = {}
    for row in rows(folder / "operations.csv"):
        operations.setdefault(row["block"], []).append((row["operation"], row["count"]))
    [file] = {row["file"] for row in blocks}
    text = (folder / "sources" / file).read_text(encoding="utf-8").splitlines()
    first = min(int(row["start_line"]) for row in blocks)
    last = max(int(row["end_line"]) for row in blocks)
    body = textwrap.dedent("\n".join(text[first - 1 : last])).splitlines()
    lines = dict(enumerate(body, first))
    energies = {
        int(row["line"]): row for row in rows(folder / "accounts/lines.csv") if row["file"] == file
    }
    written = []
    for at, row in enumerate(blocks):
        is_first = at == 0 or place(blocks[at - 1]) != place(row)
        span = sum(1 for other in blocks[at:] if place(other) == place(row))
        cells = [
            cell(source_cell(lines, row), span=span) if is_first else "",
            cell(block_text(row)),
            cell("<br>".join(operation_text(*one) for one in operations.get(row["block"], []))),
            cell(f"{int(row['executions']):,}".replace(",", " "), "number"),
            cell(with_interval(row, "cost_j"), "number"),
            cell(with_interval(row, "energy_j"), "number"),
            cell(line_cell(energies, row), "number", span) if is_first else "",
        ]
        written.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join(written)


HEADS = [
    ("Source", "lines"),
    ("Blocks", "that always run whole"),
    ("Operations", "of one execution"),
    ("Counts", "executions"),
    ("Costs", "of one execution"),
    ("Energies", "counts x costs"),
    ("Lines", "sum of their parts"),
]


def origin(folder):
    """Whether the energies are simulated, estimated or measured, as the folder has it."""
    dataset = tomllib.loads((folder / "dataset.toml").read_text(encoding="utf-8"))
    if dataset["virtual_board"]:
        return "simulated on a virtual board"
    if dataset["meter"] == "software":
        return "estimated from CPU time by a model, not measured"
    return f"measured by {dataset['meter']}"


def main(folder, class_name, method, page):
    folder = Path(folder)
    heads = "".join(f"<th><b>{name}</b>{what}</th>" for name, what in HEADS)
    title = f"<p><code>{html.escape(f'{class_name}.{method}')}</code>: energies {origin(folder)}; 95 % intervals in small type</p>"
    head_row = f"<thead><tr>{heads}</tr></thead>"
    body = f"{title}<table>{head_row}<tbody>{table(folder, class_name, method)}</tbody></table>"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(method)}</title>'
    Path(page).write_text(f"{head}<style>{STYLE}</style>{body}", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
