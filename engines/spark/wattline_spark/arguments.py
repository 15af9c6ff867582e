"""What the functions of the package share in how they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence, Union


def listed(names: Union[str, Sequence[str]]) -> list[str]:
    """One name, or several."""
    return [names] if isinstance(names, str) else [str(name) for name in names]


def check_free(folder: Path, names: Sequence[str], force: bool) -> None:
    """Results that are there are kept, and that is said before any work is done.

    Raises FileExistsError.
    """
    kept = [name for name in names if (folder / name).exists()]
    if kept and not force:
        raise FileExistsError(f"{folder / kept[0]} is there already; force=True replaces it")
