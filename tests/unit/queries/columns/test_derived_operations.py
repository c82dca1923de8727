"""Column lineage facets of OpenLineage as operations."""

from headwater.queries.ranges.derived_operations import derive_operations
from headwater.queries.ranges.operation_graph import detail_of
from headwater.queries.ranges.operation_paths import path_of
from headwater_model.columns import ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId
from headwater_model.operation_checks import check_operations
from tests.builders_operations import ESTIMATED, FLIGHTS, a_read, a_transform, a_write

WEATHER = DatasetId("s3://weather", "hourly")
SAME = Transformation("DIRECT", "IDENTITY", "", masking=False)
SUM = Transformation("DIRECT", "AGGREGATION", "sum(distance)", masking=False)
FILTER = Transformation("INDIRECT", "FILTER")


def sources(*reported):
    """Sources of a column: `(FLIGHTS, "distance", SUM)`; no field for an unknown one."""
    return {
        ColumnSource(dataset, (field,) if field else None): frozenset(transformations)
        for dataset, field, *transformations in reported
    }


def operations(whole=(), types=(), **fields):
    columns = ColumnLineage(
        {(name,): sources(*reported) for name, reported in fields.items()}, sources(*whole), dict(types)
    )
    return derive_operations({ESTIMATED: columns}).operations


def test_a_column_is_made_by_an_operation_that_its_transformations_name():
    assert operations(total=[(FLIGHTS, "distance", SUM)]) == (
        a_read("distance"),
        a_transform("AGGREGATION", ["read.distance"], ["total"], description="sum(distance)"),
        a_write("AGGREGATION.total"),
    )


def test_an_unchanged_column_of_the_same_name_goes_straight_to_the_write():
    assert operations(carrier=[(FLIGHTS, "carrier", SAME)], airline=[(FLIGHTS, "carrier", SAME)]) == (
        a_read("carrier"),
        a_transform("IDENTITY", ["read.carrier"], ["airline"]),
        a_write("IDENTITY.airline", "read.carrier"),
    )


def test_an_unchanged_column_that_is_masked_or_depends_on_another_does_not():
    masked = Transformation("DIRECT", "IDENTITY", None, masking=True)
    derived = operations(
        carrier=[(FLIGHTS, "carrier", masked)],
        origin=[(FLIGHTS, "origin", SAME), (FLIGHTS, "year", FILTER)],
        dest=[(FLIGHTS, "dest", SAME, FILTER)],
        unknown=[(FLIGHTS, "unknown")],
    )
    assert derived[1:-1] == (
        a_transform("IDENTITY", ["read.carrier"], ["carrier"], description="masking"),
        a_transform("IDENTITY, FILTER", ["read.dest"], ["dest"]),
        a_transform("IDENTITY, FILTER#2", ["read.origin", "read.year"], ["origin"]),
        a_transform("UNKNOWN", ["read.unknown"], ["unknown"]),
    )


def test_a_transformation_without_a_subtype_is_named_by_its_type_and_without_transformations_it_is_unknown():
    derived = operations(a=[(FLIGHTS, "x", Transformation("DIRECT"))], b=[(FLIGHTS, "x")], c=[])
    assert {operation.name: operation.outputs for operation in derived[1:-1]} == {
        "DIRECT": ("a",),
        "UNKNOWN": ("b",),
        "GENERATED": ("c",),
    }
    assert derive_operations({ESTIMATED: ColumnLineage({("c",): {}})}).generated


def test_several_sources_and_destinations_are_read_and_written_by_name():
    archive = DatasetId("s3://flights", "archive")
    both = sources((FLIGHTS, "hour", SUM), (WEATHER, "wind/speed", SUM))
    reported = derive_operations(
        {ESTIMATED: ColumnLineage({("drag",): both}), archive: ColumnLineage({("drag",): both})}
    )
    assert [(operation.name, getattr(operation, "source", None)) for operation in reported.operations] == [
        ("read checked", FLIGHTS),
        ("read hourly", WEATHER),
        ("AGGREGATION", None),
        ("AGGREGATION#2", None),
        ("write archive", None),
        ("write estimated", None),
    ]
    assert ColumnSource(WEATHER, ("wind/speed",)) in reported.columns()[archive].fields[("drag",)]


def test_dependencies_without_reported_columns_are_no_operations():
    derived = operations(
        whole=[(FLIGHTS, "year", FILTER), (WEATHER, None)],
        a=[(FLIGHTS, "x", SUM), (WEATHER, None)],
        b=[(WEATHER, None, SUM)],
    )
    assert derived == (
        a_read("x"),
        a_transform("AGGREGATION", ["read.x"], ["a"], description="sum(distance)"),
        a_write("AGGREGATION.a"),
    )


def test_they_are_sound_and_serve_cdaps_queries():
    reported = derive_operations(
        {ESTIMATED: ColumnLineage({("total",): sources((FLIGHTS, "distance", SUM)), ("n",): {}})}
    )
    assert check_operations(reported.operations) == ()
    assert [operation.name for operation in path_of(reported, ESTIMATED, ("total",)).operations] == [
        "read",
        "AGGREGATION",
    ]
    [connection] = detail_of([reported], FLIGHTS, ("distance",), "down").connections
    assert (connection.origin, connection.operation, connection.destination) == (
        "read.distance",
        "AGGREGATION",
        "AGGREGATION.total",
    )
