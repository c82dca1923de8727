"""Names of datasets by the rules of a program's configuration."""

from __future__ import annotations

import pytest

from headwater_model.columns import ColumnLineage, ColumnSource
from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.name_rules import NameRules
from spark_client.capturing.model import Dataset, SchemaField, Symlink
from spark_client.capturing.plans.values import CHANGED, IDENTITY
from spark_client.capturing.session.settings import parse_settings
from tests.unit.spark_client.capturing.builders_writes import a_write

REMOVE = "spark.openlineage.dataset.removePath.pattern"
RESOLVERS = "spark.openlineage.dataset.namespaceResolvers."
REPLACEMENTS = "spark.headwater.capture.datasetReplacements"
ALIASES = "spark.headwater.capture.datasetAliases"
KAFKA = {f"{RESOLVERS}flights.type": "hostList", f"{RESOLVERS}flights.hosts": "[kafka-1:9092;KAFKA-2:9092]"}
GROUP = {
    f"{RESOLVERS}any.type": "patternGroup",
    f"{RESOLVERS}any.regex": r"(?<cluster>[a-z-]+)-\d+\.company\.com(:\d*)?",
    f"{RESOLVERS}any.matchingGroup": "cluster",
    f"{RESOLVERS}any.schema": "cassandra",
}


@pytest.mark.parametrize(
    ("conf", "name", "renamed"),
    [
        ({}, ("s3://lake", "flights"), ("s3://lake", "flights")),
        ({REMOVE: r"(.*)(?<remove>/.*/.*)"}, ("s3://lake", "flights/a/b"), ("s3://lake", "flights")),
        ({REMOVE: r"(?P<remove>.*)"}, ("s3://lake", "flights"), ("s3://lake", "flights")),
        ({REMOVE: r"x(?<remove>y)?"}, ("s3://lake", "x"), ("s3://lake", "x")),
        ({REPLACEMENTS: "^raw/ -> lake/\n(\\w+)_v\\d+$ -> \\1"}, ("file", "raw/checked_v2"), ("file", "lake/checked")),
        ({REPLACEMENTS: "_tmp -> "}, ("file", "/lake/a_tmp"), ("file", "/lake/a")),
        (KAFKA, ("kafka://kafka-2:9092", "flights"), ("kafka://flights", "flights")),
        (KAFKA, ("kafka://kafka-3:9092", "flights"), ("kafka://kafka-3:9092", "flights")),
        (GROUP, ("cassandra://prod-eu-89.company.com:8080/x", "t"), ("cassandra://prod-eu/x", "t")),
        (GROUP, ("kafka://prod-eu-89.company.com:8080", "t"), ("kafka://prod-eu-89.company.com:8080", "t")),
        ({ALIASES: "s3://lake raw/a b -> s3://lake b"}, ("s3://lake", "raw/a b"), ("s3://lake", "b")),
        ({REMOVE: "(?<remove>_v1)", ALIASES: "file /a -> file /b"}, ("file", "/a_v1"), ("file", "/b")),
    ],
)
def test_names_follow_the_rules(
    conf: dict[str, str], name: tuple[str, str], renamed: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    assert parse_settings(conf, {}).names.name(DatasetId(*name)) == DatasetId(*renamed)
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("conf", "message"),
    [
        ({REMOVE: "(a)"}, f"{REMOVE} is '(a)': must be a regular expression with a group (?<remove>...)"),
        ({REMOVE: "("}, f"{REMOVE} is '(': must be a regular expression"),
        ({REPLACEMENTS: "a b"}, f"{REPLACEMENTS} is 'a b': must be lines of REGEX -> REPLACEMENT"),
        ({REPLACEMENTS: "a -> \\1"}, f"{REPLACEMENTS} is 'a -> \\\\1': must be lines of REGEX -> REPLACEMENT"),
        ({ALIASES: "a -> b"}, f"{ALIASES} is 'a -> b': must be lines of NAMESPACE NAME -> NAMESPACE NAME"),
        ({f"{RESOLVERS}x.type": "hostlist"}, f"{RESOLVERS}x is {{'type': 'hostlist'}}: must be a hostList with hosts"),
        ({**GROUP, f"{RESOLVERS}any.matchingGroup": "c"}, f"{RESOLVERS}any is {{"),
    ],
)
def test_a_rule_that_is_none_is_one_warning(
    conf: dict[str, str], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert parse_settings(conf, {}).names == NameRules()
    (logged,) = caplog.messages
    assert logged.startswith(message)


def test_a_write_is_renamed_as_a_whole() -> None:
    first, second = (DatasetId("s3://lake", f"raw/{day}") for day in ("monday", "tuesday"))
    raw, out = DatasetId("s3://lake", "raw"), DatasetId("s3://lake", "checked")
    column = (SchemaField("a", "int"),)
    shared = {ColumnSource(first, ("a",)): frozenset({IDENTITY}), ColumnSource(second, ("a",)): frozenset({CHANGED})}
    link = Symlink("s3://lake", "raw/tuesday")
    write = a_write(
        inputs=(Dataset(first, version="1"), Dataset(second, column, (link,), version="2")),
        output=Dataset(DatasetId("s3://lake", "checked/monday"), column),
        columns=ColumnLineage({("a",): shared, ("b",): shared}, shared),
    )

    renamed = parse_settings({REMOVE: "(?<remove>/(mon|tues)day)"}, {}).names.rename(write)

    sources = {ColumnSource(raw, ("a",)): frozenset({IDENTITY, CHANGED})}
    assert renamed.inputs == (Dataset(raw, column),)
    assert renamed.output == Dataset(out, column)
    assert renamed.columns == ColumnLineage({("a",): sources, ("b",): sources}, sources)
    assert renamed.columns.fields["a",] is renamed.columns.fields["b",]


def test_a_table_of_s3_tables_has_its_name_in_the_bucket_and_its_location_as_symlink() -> None:
    place, bucket = DatasetId("s3://63a8e430--table-s3", "/"), "arn:aws:s3tables:eu-west-1:111122223333:bucket/sales"
    table = Dataset(place, symlinks=(Symlink(bucket, "web.orders"),))
    columns = ColumnLineage({("id",): {ColumnSource(place, ("id",)): frozenset({IDENTITY})}})
    write = a_write(inputs=(table,), output=table, columns=columns)

    named = NameRules().rename(write)

    name = DatasetId(bucket, "web.orders")
    assert named.inputs == (Dataset(name, symlinks=(Symlink(place.namespace, "/", "LOCATION"),)),)
    assert named.output == named.inputs[0]
    assert named.columns.fields == {("id",): {ColumnSource(name, ("id",)): frozenset({IDENTITY})}}
