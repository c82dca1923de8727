"""Writes and their application as events: what openlineage-python would make of the same, and within a size."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    base_subset_dataset,
    column_lineage_dataset,
    dataset_version_dataset,
    documentation_job,
    error_message_run,
    input_statistics_input_dataset,
    lifecycle_state_change_dataset,
    output_statistics_output_dataset,
    ownership_job,
    sql_job,
    symlinks_dataset,
    tags_job,
    tags_run,
)
from openlineage.client.serde import Serde

from headwater.events.lineage_facets import columns_of_facet
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.columns import ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId
from spark_client.capturing.events.descriptions import Description, Owner, parse_tags
from spark_client.capturing.events.run_events import EventRules, application_event, write_events
from spark_client.capturing.model import Dataset, Failure, InputStatistics, RowIds, SchemaField, WriteStatistics
from spark_client.current_run import RunContext
from spark_client.version import PRODUCER
from tests.unit.spark_client.capturing.builders_writes import (
    APPLICATION,
    APPLICATION_RUN,
    AT_MS,
    CHECKED,
    COLUMNS,
    ESTIMATED,
    NIGHTLY,
    PLANES,
    a_write,
)
from tests.unit.spark_client.capturing.captured_events import (
    BY,
    JOB,
    PARENT,
    SCHEMAS,
    capture_of,
    content,
    ended,
    engine,
    field,
    how,
    job_type,
    schema,
    source,
)


def test_a_write_begins_as_a_run_that_the_application_started() -> None:
    start, end = write_events(a_write(), APPLICATION, JOB)

    assert start == content(
        RunEvent(
            eventTime="2025-11-20T12:00:00.123Z",
            eventType=RunState.START,
            run=Run(end["run"]["runId"], {"processing_engine": engine(start), "parent": PARENT}),
            job=Job("emissions", JOB, {"jobType": job_type("JOB")}),
            inputs=[],
            outputs=[],
            producer=PRODUCER,
        )
    )


def test_a_write_ends_with_all_that_is_known_of_it_as_openlineages_own_client_renders_it() -> None:
    end = ended()

    columns = column_lineage_dataset.ColumnLineageDatasetFacet(
        {
            "co2": column_lineage_dataset.Fields(
                [
                    source(
                        CHECKED,
                        "distance",
                        how("DIRECT", "TRANSFORMATION", "python udf estimate"),
                        how("INDIRECT", "CONDITIONAL"),
                    ),
                    source(PLANES, "plane.seats", how("DIRECT", "TRANSFORMATION", "python udf estimate")),
                    source(PLANES, "year", how("INDIRECT", "CONDITIONAL")),
                ]
            ),
            "tailnum": column_lineage_dataset.Fields([source(CHECKED, "tailnum", how("DIRECT", "IDENTITY"))]),
            "unit": column_lineage_dataset.Fields([]),
        },
        [
            source(CHECKED, "tailnum", how("INDIRECT", "JOIN")),
            source(PLANES, "tailnum", how("INDIRECT", "JOIN")),
        ],
        **BY,
    )
    output_facets = {
        "schema": schema(field("tailnum", "string"), field("co2", "double"), field("unit", "string")),
        "symlinks": symlinks_dataset.SymlinksDatasetFacet(
            [symlinks_dataset.Identifier("hive://metastore:9083", "emissions.estimated", "TABLE")], **BY
        ),
        "version": dataset_version_dataset.DatasetVersionDatasetFacet("12", **BY),
        "columnLineage": columns,
        "lifecycleStateChange": lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
            lifecycle_state_change_dataset.LifecycleStateChange.OVERWRITE, **BY
        ),
    }
    planes = schema(field("tailnum", "string"), field("plane", "struct", field("seats", "int")))
    statistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(335_220, 4_194_304, 2, **BY)
    sql = sql_job.SQLJobFacet("INSERT OVERWRITE emissions.estimated SELECT ...", "spark", **BY)
    expected = content(
        RunEvent(
            eventTime="2025-11-20T12:00:02.123Z",
            eventType=RunState.COMPLETE,
            run=Run(end["run"]["runId"], {"processing_engine": engine(end), "parent": PARENT}),
            job=Job("emissions", JOB, {"jobType": job_type("JOB"), "sql": sql}),
            inputs=[
                InputDataset(
                    "s3://flights",
                    "checked",
                    facets={"schema": schema(field("tailnum", "string"), field("distance", "double"))},
                    inputFacets=None,
                ),
                InputDataset("s3://flights", "planes", facets={"schema": planes}, inputFacets=None),
            ],
            outputs=[
                OutputDataset(*_names(ESTIMATED), facets=output_facets, outputFacets={"outputStatistics": statistics})
            ],
            producer=PRODUCER,
        )
    )
    assert capture_of(end) == {"tier": "full", "command": "InsertIntoHadoopFsRelationCommand"}
    del end["run"]["facets"]["headwater_capture"]
    assert end == expected


def _names(dataset: DatasetId) -> tuple[str, str]:
    return dataset.namespace, dataset.name


def test_columns_are_read_as_they_were_emitted() -> None:
    facet = ended()["outputs"][0]["facets"]["columnLineage"]

    assert columns_of_facet(facet) == COLUMNS


def test_a_failed_write_says_why_and_changed_nothing_as_a_whole() -> None:
    end = ended(
        failure=Failure("org.apache.spark.SparkException: Job aborted.", "at a.b(c)"), written=WriteStatistics()
    )

    error = error_message_run.ErrorMessageRunFacet(
        "org.apache.spark.SparkException: Job aborted.", "JAVA", "at a.b(c)", **BY
    )
    assert end["eventType"] == "FAIL"
    assert end["run"]["facets"]["errorMessage"] == Serde.to_dict(error)
    assert end["outputs"][0].keys() == {"namespace", "name", "facets"}
    assert "lifecycleStateChange" not in end["outputs"][0]["facets"]


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("headwater_branch", {"branch": "audit"}, {"branch": "audit"}),
        (
            "headwater_rows",
            {"rows": RowIds("f392", 4, 8, 14, True)},
            {"table": "f392", "sequence": 4, "firstRow": 8, "nextRow": 14, "upgrades": True},
        ),
        ("headwater_rows", {"rows": RowIds("f392", 4)}, {"table": "f392", "sequence": 4}),
    ],
)
def test_a_write_names_its_branch_and_the_ids_of_its_rows(name: str, known: Any, expected: Any) -> None:
    facet = ended(output=replace(a_write().output, **known))["outputs"][0]["outputFacets"][name]
    schema = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate({name: facet})
    assert {key: value for key, value in facet.items() if not key.startswith("_")} == expected


def test_maintenance_reads_and_writes_no_dataset_and_names_the_table() -> None:
    start, end = write_events(a_write(change="MAINTENANCE", inputs=()), APPLICATION, JOB)

    assert [event["job"]["facets"]["jobType"]["jobType"] for event in (start, end)] == ["MAINTENANCE"] * 2
    assert [event[side] for event in (start, end) for side in ("inputs", "outputs")] == [[], [], [], []]
    assert capture_of(end)["maintained"] == {"namespace": ESTIMATED.namespace, "name": ESTIMATED.name}


def test_what_is_not_known_is_left_out() -> None:
    end = ended(
        inputs=(),
        columns=ColumnLineage(),
        output=Dataset(ESTIMATED),
        change=None,
        written=WriteStatistics(),
        sql=None,
        tier="tables",
        tier_reason="a statement with password=secret in it",
    )

    assert end["inputs"] == []
    assert end["outputs"] == [{"namespace": "s3://flights", "name": "estimated", "facets": {}}]
    assert end["job"]["facets"].keys() == {"jobType"}
    content = capture_of(end)
    assert (content["tier"], content["tierReason"]) == ("tables", "a statement with password=*** in it")


def test_columns_of_which_nothing_is_known_are_named_with_the_reason() -> None:
    end = ended(unknown={("b", "c.d"): "LogicalRDD: made of an RDD", ("a",): "ExternalRDD: made of an RDD"})

    assert capture_of(end)["unknown"] == [
        {"field": "a", "reason": "ExternalRDD: made of an RDD"},
        {"field": "b.`c.d`", "reason": "LogicalRDD: made of an RDD"},
    ]


def test_sources_without_kinds_have_no_transformations_but_their_type() -> None:
    reads = ColumnLineage({("co2",): {ColumnSource(CHECKED, ("distance",)): frozenset({Transformation("DIRECT")})}})

    (column,) = ended(columns=reads)["outputs"][0]["facets"]["columnLineage"]["fields"]["co2"]["inputFields"]

    assert column["transformations"] == [{"type": "DIRECT"}]


def test_a_write_has_the_same_run_id_whenever_it_is_emitted_and_no_other_write_has_it() -> None:
    others = [a_write(execution_id=8), a_write(output=Dataset(CHECKED))]

    ids = [
        {event["run"]["runId"] for event in write_events(write, APPLICATION, JOB)}
        for write in (a_write(), a_write(command="other", ended_ms=AT_MS), *others)
    ]

    assert ids[0] == ids[1]
    assert [len(run_ids) for run_ids in ids] == [1] * 4
    assert len(set.union(*ids)) == 3


def test_a_write_never_ends_before_it_began() -> None:
    assert ended(ended_ms=AT_MS - 5)["eventTime"] == "2025-11-20T12:00:00.123Z"


def test_an_application_that_nobody_started_is_the_root_of_its_writes() -> None:
    alone = type(APPLICATION)(RunContext(APPLICATION_RUN))

    start, _ = write_events(a_write(), alone, JOB)
    began = application_event(alone, "START", AT_MS)

    parent = start["run"]["facets"]["parent"]
    assert parent["root"] == {"run": parent["run"], "job": parent["job"]}
    assert (began["run"], "processing_engine" in start["run"]["facets"]) == (
        {"runId": APPLICATION_RUN.run_id, "facets": {}},
        False,
    )


def test_an_application_reports_in_the_end_which_records_it_worked_on() -> None:
    end = application_event(APPLICATION, "COMPLETE", AT_MS, root_ids=["flights", "planes"])

    facet = end["run"]["facets"]["headwater_records"]
    schema = json.loads((SCHEMAS / "headwater_records.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate({"headwater_records": facet})
    assert facet["rootIds"] == ["flights", "planes"]


@pytest.mark.parametrize(
    ("folders", "condition"),
    [
        (
            (
                "s3a://flights/checked/day=2013-01-01/hour=5",
                "s3a://flights/checked/day=x%20y/hour=__HIVE_DEFAULT_PARTITION__",
            ),
            base_subset_dataset.PartitionSubsetCondition(
                [
                    base_subset_dataset.Partition({"day": "2013-01-01", "hour": "5"}),
                    base_subset_dataset.Partition({"day": "x y", "hour": None}),
                ]
            ),
        ),
        (
            ("s3://flights/checked/2013/01/01",),
            base_subset_dataset.LocationSubsetCondition(["s3://flights/checked/2013/01/01"]),
        ),
        ((), None),
    ],
)
def test_an_input_has_what_was_read_of_it(folders: tuple[str, ...], condition: Any) -> None:
    event = ended(scanned={CHECKED: InputStatistics(2, 1_000, 1, folders)})

    statistics = content(input_statistics_input_dataset.InputStatisticsInputDatasetFacet(2, 1_000, 1, **BY))
    subset = base_subset_dataset.InputSubsetInputDatasetFacet(condition, **BY)
    (facets,) = [dataset["inputFacets"] for dataset in event["inputs"] if "inputFacets" in dataset]
    expected = {"inputStatistics": statistics, **({"subset": content(subset)} if condition else {})}
    for partition in expected.get("subset", {}).get("inputCondition", {}).get("partitions", ()):
        partition["dimensions"].setdefault("hour", None)
    assert facets == expected


def test_the_description_of_an_application_is_as_openlineage_has_it() -> None:
    description = Description("of each flight", (Owner("flights", "team"),), parse_tags("a;b:c:d"), parse_tags("e:f"))

    start = application_event(replace(APPLICATION, description=description), "START", AT_MS)

    tags = [tags_job.TagsJobFacetFields("a", "true", "CONFIG"), tags_job.TagsJobFacetFields("b", "c", "d")]
    facets = {
        "jobType": job_type("APPLICATION"),
        "documentation": documentation_job.DocumentationJobFacet("of each flight", **BY),
        "ownership": ownership_job.OwnershipJobFacet([ownership_job.Owner("flights", "team")], **BY),
        "tags": tags_job.TagsJobFacet(tags, **BY),
    }
    assert start["job"] == content(Job("emissions", "emissions", facets))
    of_run = tags_run.TagsRunFacet([tags_run.TagsRunFacetFields("e", "f", "CONFIG")], **BY)
    assert start["run"]["facets"]["tags"] == content(of_run)
    assert "tags" not in write_events(a_write(), replace(APPLICATION, description=description), JOB)[1]["job"]["facets"]


@pytest.mark.parametrize("text", ["a:", ":b", "a:b:c:d"])
def test_a_tag_without_its_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be key, key:value or key:value:source"):
        parse_tags(text)


def test_an_application_begins_and_ends_as_a_run_of_its_own() -> None:
    start = application_event(APPLICATION, "START", AT_MS)
    end = application_event(
        APPLICATION, "FAIL", AT_MS + 1, counts={"writes": 2, "dropped": 0}, failure=Failure("ValueError: x", "line 1")
    )

    root = {"run": {"runId": NIGHTLY.run_id}, "job": {"namespace": "emissions", "name": "nightly"}}
    assert start == content(
        RunEvent(
            eventTime="2025-11-20T12:00:00.123Z",
            eventType=RunState.START,
            run=Run(
                APPLICATION_RUN.run_id,
                {"processing_engine": engine(start), "parent": start["run"]["facets"]["parent"]},
            ),
            job=Job("emissions", "emissions", {"jobType": job_type("APPLICATION")}),
            inputs=[],
            outputs=[],
            producer=PRODUCER,
        )
    )
    assert {name: start["run"]["facets"]["parent"][name] for name in ("run", "job", "root")} == {**root, "root": root}
    assert (end["eventType"], capture_of(end)) == ("FAIL", {"counts": {"writes": 2, "dropped": 0}})
    assert end["run"]["facets"]["errorMessage"]["programmingLanguage"] == "PYTHON"


@pytest.mark.parametrize("failure", [None, Failure("boom")])
def test_the_door_takes_every_event(failure: Failure | None) -> None:
    events = [
        *write_events(a_write(failure=failure, unknown={("x",): "RDD"}), APPLICATION, JOB),
        application_event(APPLICATION, "START", AT_MS),
        application_event(APPLICATION, "COMPLETE", AT_MS, counts={"writes": 1}),
    ]

    assert [parse_event(event, NamingRules(), now=None).type for event in events] == [
        "START",
        "FAIL" if failure else "COMPLETE",
        "START",
        "COMPLETE",
    ]


# Secrets, and texts that are too long


def test_inputs_that_nobody_can_name_are_emitted_by_their_reasons_without_secrets() -> None:
    reasons = ("rows of the program", "no answer of https://ann:hush@server", *("x" * 600 for _ in range(200)))
    content = capture_of(ended(tier="tables", unknown_inputs=reasons))
    assert content["unknownInputs"][:2] == ["rows of the program", "no answer of https://ann:***@server"]
    assert {len(reason) for reason in content["unknownInputs"][2:]} == {500}
    assert (len(content["unknownInputs"]), content["cut"]) == (100, ["unknown"])


def test_a_name_with_a_dot_is_spelled_alike_in_schema_and_column_lineage() -> None:
    output = Dataset(ESTIMATED, (SchemaField("a.b", "struct", (SchemaField("c.d", "long"),)),))
    end = ended(output=output, columns=ColumnLineage({("a.b", "c.d"): {}}))
    facets = end["outputs"][0]["facets"]
    (field,) = facets["schema"]["fields"]
    assert (field["name"], field["fields"][0]["name"]) == ("`a.b`", "`c.d`")
    assert list(facets["columnLineage"]["fields"]) == ["`a.b`.`c.d`"]


def test_a_write_says_what_the_self_test_found_to_be_misread() -> None:
    _, end = write_events(a_write(), APPLICATION, JOB, EventRules(misread=("join", "sort")))
    assert (capture_of(end)["tier"], capture_of(end)["misread"]) == ("doubtful", ["join", "sort"])
    _, end = write_events(a_write(tier="tables"), APPLICATION, JOB, EventRules(misread=("join",)))
    assert capture_of(end)["tier"] == "tables"
