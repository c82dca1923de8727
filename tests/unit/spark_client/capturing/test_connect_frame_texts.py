"""Frames of Spark Connect as the server is to explain them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("grpc", reason="Spark Connect's client needs grpcio")
from pyspark.sql.connect import functions as sf
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.plan import Read

from spark_client.capturing.connect.frame_texts import frame_to_explain
from spark_client.capturing.connect.literal_risks import LiteralRisks

_SAFE = LiteralRisks(ids=False, parts=False, brackets=False, commas=False)
_ODD = "a#1 (b, c] AS d"


def _sent(*columns: Any) -> tuple[str, LiteralRisks, bool]:
    """Return what the server gets of a projection, the risks in it, and that the program's own frame is the same."""
    session = SimpleNamespace(session_id="none")
    frame = DataFrame(Read("flights"), session).select(*columns)
    relation = frame._plan.plan(session)
    before = relation.SerializeToString()
    sent = frame_to_explain(relation)
    return str(sent.relation), sent.risks, relation.SerializeToString() == before


@pytest.mark.parametrize(
    "column",
    [
        lambda: sf.regexp_replace("dest", r"\\d+#1", _ODD),
        lambda: sf.when(sf.col("dest") == _ODD, sf.lit(_ODD)),
        lambda: sf.expr(f"concat(dest, '{_ODD}')"),
    ],
    ids=["a pattern", "a choice", "in SQL"],
)
def test_a_literal_that_looks_like_a_part_of_a_plan_is_another_one_there(column: Callable[[], Any]) -> None:
    text, risks, same = _sent(column())
    assert (_ODD in text, risks, same) == (False, _SAFE, True)


def test_a_literal_that_the_analysis_needs_is_kept() -> None:
    schema, *others = sf.from_json("dest", "a INT, b INT"), sf.col("note")["a, b"], sf.expr("note['a (b)']")
    text, risks, _ = _sent(schema, *others, sf.to_number("dest", sf.lit("999,9")))
    assert [kept in text for kept in ("a INT, b INT", "a, b", "a (b)", "999,9")] == [True] * 4
    assert (risks, _sent(schema)[1]) == (LiteralRisks(ids=False, parts=True, brackets=True, commas=True), _SAFE)


def test_a_name_that_looks_like_an_id_is_a_risk() -> None:
    assert [_sent(sf.col("dest").alias(name))[1].ids for name in ("a#1", "a#b", "a, (b)")] == [True, False, False]


def test_a_frame_may_be_as_deep_as_a_client_makes_it() -> None:
    session = SimpleNamespace(session_id="none")
    frame = DataFrame(Read("flights"), session)
    for _ in range(300):
        frame = frame.withColumn("v", sf.lit(_ODD))
    relation = frame_to_explain(frame._plan.plan(session)).relation
    assert (str(relation).count("with_columns"), _ODD in str(relation)) == (300, False)
