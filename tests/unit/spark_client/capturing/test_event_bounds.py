"""Parts that an event leaves out: secrets, unwanted statements, and all that makes it too large."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from headwater.events.lineage_facets import columns_of_facet
from headwater_model.columns import ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId
from spark_client.capturing.events.run_events import CUTS, EventRules, write_events
from spark_client.capturing.model import Dataset, Failure, SchemaField, Write
from tests.unit.spark_client.capturing.builders_writes import (
    APPLICATION,
    CHECKED,
    ESTIMATED,
    IDENTITY,
    JOIN,
    PLANES,
    a_write,
    of,
)
from tests.unit.spark_client.capturing.captured_events import (
    JOB,
    capture_of,
    ended,
)
from tests.work import calls_of


def test_secrets_are_taken_out_of_statements_and_messages() -> None:
    sql = "CREATE TABLE t USING jdbc OPTIONS (password 'x')"
    end = ended(sql=sql, failure=Failure(sql, sql))

    error = end["run"]["facets"]["errorMessage"]
    assert [end["job"]["facets"]["sql"]["query"], error["message"], error["stackTrace"]] == [
        sql.replace("'x'", "***")
    ] * 3


def test_redactions_are_the_deployers_own() -> None:
    rules = EventRules(redactions=[re.compile("name = (?P<secret>'[^']*')")])

    _, end = write_events(a_write(sql="SELECT 1 WHERE name = 'Ada'"), APPLICATION, JOB, rules)

    assert end["job"]["facets"]["sql"]["query"] == "SELECT 1 WHERE name = ***"


def test_statements_are_emitted_only_if_wanted() -> None:
    _, end = write_events(a_write(), APPLICATION, JOB, EventRules(sql=False))

    assert "sql" not in end["job"]["facets"]
    assert "cut" not in capture_of(end)


def test_long_texts_are_cut_and_marked_so() -> None:
    end = ended(sql="SELECT 1" + " " * 1_000_000, failure=Failure("x" * 100_000))

    assert len(end["job"]["facets"]["sql"]["query"]) == 20_000
    assert len(end["run"]["facets"]["errorMessage"]["message"]) == 4_000
    assert capture_of(end)["cut"] == ["sql", "error"]


def test_a_text_that_was_cut_within_a_character_is_unicode_again() -> None:
    assert ended(sql="SELECT '\ud83d")["job"]["facets"]["sql"]["query"] == "SELECT '?"


def test_a_thousand_unknown_columns_are_named_at_most() -> None:
    end = ended(unknown={(f"c{number}",): "RDD" for number in range(1_001)})

    assert (len(capture_of(end)["unknown"]), capture_of(end)["cut"]) == (1_000, ["unknown"])


# Events that are too large


_DESCRIBED = replace(IDENTITY, description="copied")


@pytest.mark.large
def test_a_large_event_goes_without_one_thing_after_the_other_until_it_fits() -> None:
    flight = (SchemaField("tailnum", "string"),)
    write = a_write(
        sql="SELECT 1" + "  " * 5_000,
        failure=Failure("x" * 4_000, "y" * 16_000),
        unknown={(f"unknown{number}",): "LogicalRDD: made of an RDD" for number in range(200)},
        inputs=tuple(Dataset(DatasetId("s3://flights", f"day{number}"), flight) for number in range(300)),
        output=Dataset(ESTIMATED, tuple(SchemaField(f"c{number}", "double") for number in range(600))),
        columns=ColumnLineage(
            {(f"c{number}",): of(CHECKED, "co2", transformations=(_DESCRIBED, JOIN)) for number in range(600)}
        ),
    )
    seen = []
    size = len(json.dumps(write_events(write, APPLICATION, JOB)[1]))
    while True:
        _, end = write_events(write, APPLICATION, JOB, EventRules(size_max_bytes=size))
        assert len(json.dumps(end)) <= size
        cut = tuple(capture_of(end).get("cut", []))
        seen += [] if cut in seen else [cut]
        if len(seen[-1]) == len(CUTS):
            break
        # Of the columns, as many stay as fit into half.
        size = len(json.dumps(end)) - (2_000 if "columnLineage" in cut else 1)

    assert seen == [CUTS[:number] for number in range(len(CUTS) + 1)]


def test_without_indirect_dependencies_a_column_that_has_no_others_is_left_out_rather_than_made_of_nothing() -> None:
    columns = ColumnLineage(
        {
            ("kind",): of(CHECKED, "co2", transformations=(JOIN,)),
            ("n",): {},
            ("tailnum",): of(CHECKED, "tailnum", transformations=(IDENTITY, JOIN)),
        }
        | {(f"c{number}",): of(CHECKED, f"c{number}", transformations=(JOIN,)) for number in range(100)},
        of(PLANES, "tailnum", transformations=(JOIN,)),
    )
    _, end = write_events(a_write(columns=columns), APPLICATION, JOB, EventRules(size_max_bytes=9_000))

    facet = end["outputs"][0]["facets"]["columnLineage"]
    assert capture_of(end)["cut"] == ["descriptions", "inputSchemas", "indirect"]
    assert columns_of_facet(facet) == ColumnLineage(
        {("n",): {}, ("tailnum",): of(CHECKED, "tailnum", transformations=(IDENTITY,))}, columns.dataset_level
    )


@pytest.mark.parametrize(("shared", "count"), [(True, 1_500), (False, 100)], ids=["shared", "each with its own"])
def test_columns_that_are_all_from_all_of_1500_are_given_up_before_they_are_built(shared: bool, count: int) -> None:
    def sources() -> dict[ColumnSource, frozenset[Transformation]]:
        return {ColumnSource(CHECKED, (f"c{number}",)): frozenset({IDENTITY}) for number in range(1_500)}

    of_all = sources()
    # Fifty are too many already: more of them add their names alone.
    few, many = (
        ColumnLineage({(f"c{number}",): of_all if shared else sources() for number in range(columns)})
        for columns in (50, count)
    )

    ends: list[dict[str, Any]] = []
    calls, calls_of_few = (calls_of(lambda: ends.append(ended(columns=columns))) for columns in (many, few))  # noqa: B023
    assert calls < 1.5 * calls_of_few
    assert capture_of(ends[0])["cut"] == [
        "descriptions",
        "inputSchemas",
        "indirect",
        "outputSchema",
        "masking",
        "columnLineage",
    ]


def _wide(count: int, name: str = "column_{}") -> Write:
    fields = tuple(SchemaField(name.format(number), "double") for number in range(count))
    columns = ColumnLineage({(field.name,): of(CHECKED, field.name) for field in fields})
    return a_write(columns=columns, output=Dataset(ESTIMATED, fields), inputs=(Dataset(CHECKED, fields),))


def test_5000_columns_fit() -> None:
    write = _wide(5_000)

    _, end = write_events(write, APPLICATION, JOB)

    assert len(json.dumps(end)) <= 1_000_000
    assert "columnLineage" not in capture_of(end)["cut"]
    facet = columns_of_facet(end["outputs"][0]["facets"]["columnLineage"])
    assert {path: set(sources) for path, sources in facet.fields.items()} == {
        path: set(sources) for path, sources in write.columns.fields.items()
    }


@pytest.mark.parametrize("count", [5_000, 8_000, 20_000])
def test_of_too_many_columns_the_first_stay(count: int) -> None:
    write = _wide(count, "a_column_of_a_name_that_is_long_{:06}")

    _, end = write_events(write, APPLICATION, JOB)

    kept = end["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert len(json.dumps(end)) <= 1_000_000
    assert "columnLineage" in capture_of(end)["cut"]
    assert list(kept) == [f"a_column_of_a_name_that_is_long_{number:06}" for number in range(len(kept))]
    assert len(kept) > 1_500


def test_2000_columns_are_rendered_whole_with_work_in_proportion_to_them() -> None:
    write = _wide(2_000)

    _, end = write_events(write, APPLICATION, JOB)

    assert "cut" not in capture_of(end)
    assert columns_of_facet(end["outputs"][0]["facets"]["columnLineage"]) == write.columns
    few, many = (calls_of(lambda: write_events(wide, APPLICATION, JOB)) for wide in (_wide(500), write))  # noqa: B023
    assert many < 5 * few


def test_schemas_of_many_wide_inputs_are_given_up_before_they_are_built() -> None:
    fields = tuple(SchemaField(f"column_{number}", "double") for number in range(2_000))
    inputs = tuple(Dataset(DatasetId("s3://flights", f"day{number}"), fields) for number in range(500))

    ends: list[dict[str, Any]] = []
    calls, calls_of_few = (calls_of(lambda: ends.append(ended(inputs=shown))) for shown in (inputs, inputs[:100]))  # noqa: B023
    assert calls < 1.5 * calls_of_few  # a hundred are too many already
    assert capture_of(ends[0])["cut"] == ["descriptions", "inputSchemas"]
    assert len(ends[0]["inputs"]) == 500
