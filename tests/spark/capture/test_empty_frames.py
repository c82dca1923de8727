"""The lineage of a job over empty frames, as `headwater check` runs it: the lineage of the real run, case by case."""

from __future__ import annotations

import difflib
import importlib
import re
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.spark.capture.conftest import DATASETS, Watch
from tests.spark.capture.planned_writes import post_planned_write
from tests.spark.capture.specification import Case, expected, lines_of

pytestmark = pytest.mark.slow
_HERE = Path(__file__).parent
# Cases whose plan depends on rows, by name.
_OF_ROWS = frozenset({"how often values meet"})
_OF_CASES = re.compile(r"case: Case, check\)")


def _cases() -> list[Any]:
    cases: dict[str, Case] = {}
    for file in sorted(_HERE.glob("test_*.py")):
        if _OF_CASES.search(file.read_text(encoding="utf-8")):
            module = importlib.import_module(f"tests.spark.capture.{file.stem}")
            lists = [value for value in vars(module).values() if isinstance(value, tuple)]
            cases |= {f"{file.stem}: {case.name}": case for each in lists for case in each if isinstance(case, Case)}
    return [
        pytest.param(case, id=name)
        for name, case in cases.items()
        if case.make is not None and pyspark.__version__ >= case.since
    ]


@pytest.fixture(scope="module")
def empty(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """A session whose datasets have no rows."""
    folder, session = tmp_path_factory.mktemp("empty"), spark.newSession()
    session.sql("CREATE DATABASE without_rows")
    session.sql("USE without_rows")
    for name, rows in DATASETS.items():
        session.sql(rows).limit(0).write.parquet(f"{folder}/{name}")
        session.sql(f"CREATE TABLE {name} USING parquet LOCATION '{folder}/{name}'")
    return session


@pytest.mark.parametrize("case", _cases())
def test_the_lineage_over_empty_frames_is_that_of_the_real_run(
    case: Case, empty: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    for before in case.before:
        empty.sql(before)
    make = case.make
    assert make is not None
    lines = lines_of(watch.writes_of(lambda: post_planned_write(make(empty), str(tmp_path / "out"))))
    if case.name in _OF_ROWS:
        assert lines != expected(case.lineage), "it is equal now: leave it out of the names above"
    elif lines != (expected_lines := expected(case.lineage)):
        pytest.fail("\n".join(difflib.ndiff(expected_lines, lines)), pytrace=False)
