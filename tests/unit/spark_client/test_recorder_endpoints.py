"""Descriptions of the endpoints of a recording."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headwater_model.ids import DatasetId
from headwater_model.operations import InputField, Read, Write
from spark_client import FieldOperation
from tests.unit.spark_client.recordings import (
    CHECKED,
    ESTIMATED,
    a_recorder,
    dataset,
    operations_in,
)

READ_FROM, WRITTEN_TO = "files that hold flights", "Kafka broker at localhost:9092"
DESCRIBED = {
    "as triples": ((*ESTIMATED, WRITTEN_TO), [FieldOperation("in").reads((*CHECKED, READ_FROM)).outputs("distance")]),
    "as objects": (
        {**dataset(ESTIMATED), "description": WRITTEN_TO},
        [FieldOperation("in").reads({**dataset(CHECKED), "description": READ_FROM}).outputs("distance")],
    ),
    "as JSON of the first design": (
        (*ESTIMATED, WRITTEN_TO),
        [
            {
                "name": "in",
                "inputs": ["source"],
                "outputs": ["distance"],
                "source": {**dataset(CHECKED), "description": READ_FROM},
            }
        ],
    ),
    "of the model": (
        None,
        [
            Read("in", DatasetId(*CHECKED), ("distance",), source_description=READ_FROM),
            Write(
                "out",
                (InputField("in", "distance"),),
                DatasetId(*ESTIMATED),
                destination_description=WRITTEN_TO,
            ),
        ],
    ),
}


@pytest.mark.parametrize(("destination", "given"), DESCRIBED.values(), ids=DESCRIBED)
def test_descriptions_of_endpoints_travel_with_them(lake: SimpleNamespace, destination: Any, given: list[Any]) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(destination, given, None if destination is None else ["distance"])

    read, written = operations_in(lake.events()[0])
    assert read["source"] == {**dataset(CHECKED), "description": READ_FROM}
    assert written["destination"] == {**dataset(ESTIMATED), "description": WRITTEN_TO}


def test_the_endpoints_of_a_pipeline_have_descriptions_too(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.read((*CHECKED, READ_FROM), ["distance"])
        recorder.write((*ESTIMATED, WRITTEN_TO), ["distance"])

    read, written = operations_in(lake.events()[0])
    assert (read["source"]["description"], written["destination"]["description"]) == (READ_FROM, WRITTEN_TO)
