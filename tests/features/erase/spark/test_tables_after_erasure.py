"""Spark makes the tables of an erased day again, without the targets."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from headwater_model.archive_tables import TABLES, attempt_prefix
from jobs.compact_archive import compact
from tests.builders import DAY
from tests.features.erase.aws.planted import Estate
from tests.features.erase.aws.test_erase import erasure, planted


@pytest.mark.slow
def test_no_planted_text_is_in_the_tables_that_spark_makes_after_an_erasure(switched_on, spark, tmp_path):
    cloud, estate = switched_on, Estate(1000)
    planted(cloud, estate)
    erasure(cloud, estate.targets).erase()
    for key, body in cloud.objects("").items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(body)
    compact(spark, tmp_path.as_uri(), DAY, "a-3")
    files = [file for of in TABLES for file in (tmp_path / attempt_prefix(of.name, DAY, "a-3")).rglob("*.parquet")]
    rows = "".join(str(pq.read_table(file).to_pylist()) for file in files)
    assert ("flights" in rows, [text for text in estate.texts if text in rows]) == (True, [])
