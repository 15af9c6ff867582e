"""Partials of energies as the program writes them, and the queries of `sql`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Sequence, Union

import duckdb

SQL = Path(__file__).parent.parent / "sql"


def query(name: str) -> str:
    """The text of a query."""
    return (SQL / f"{name}.sql").read_text()


def partial(program: str, arguments: Sequence[Union[str, Path]], to: Path) -> Path:
    """Has the program write a partial."""
    command = [program, *arguments, "-q", "--partial", to]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return to


def in_duckdb(table: str, files: str, text: str) -> list[tuple]:
    """The rows of a query over a view of files, of which it sees nothing but the name."""
    database = duckdb.connect()
    database.sql(f"CREATE VIEW {table} AS FROM read_parquet('{files}')")
    return database.sql(text).fetchall()
