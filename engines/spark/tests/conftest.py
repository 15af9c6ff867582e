"""One cluster for all tests: two executors of one core, each a process of its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def program() -> str:
    """The program by WATTLINE_PROGRAM or PATH, which is hidden from the cluster: its tests
    say where it is, each in its way."""
    found = os.environ.pop("WATTLINE_PROGRAM", None) or shutil.which("wattline")
    if found is None:
        pytest.exit("no program: WATTLINE_PROGRAM=.../wattline, or wattline in PATH", 2)
    hidden = str(Path(found).parent)
    folders = os.environ["PATH"].split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(path for path in folders if path != hidden)
    return str(Path(found).absolute())


@pytest.fixture(scope="session")
def spark(program: str, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_WORKER_DIR"] = str(tmp_path_factory.mktemp("worker"))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local-cluster[2,1,2048]")
    settings = {
        "spark.executor.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.task.maxFailures": "3",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
