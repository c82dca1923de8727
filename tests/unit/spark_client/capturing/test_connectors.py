"""Connectors: the search for them, the cost of their faults, and the names given by ours."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_client.capturing.datasets.catalogs import Catalogs, parse_catalogs
from spark_client.capturing.datasets.sources import find_datasets
from spark_client.capturing.datasets.targets import find_targets
from spark_client.capturing.jvm.object_rules import GETTERS, getters_with, options_with
from spark_client.capturing.registry import Registry, load, registry
from spark_client.capturing.streams.reading import find_sink
from spark_client.connectors import GROUP, Computed, Connector, DatasetId, Described
from tests.unit.spark_client.capturing.builders_nodes import CATALOGS, COLUMNS, SCHEMA, a_node, a_table

_GUIDE = Path(__file__).resolve().parents[4] / "docs" / "connectors.md"
_FULL_NAME = "getClass.getName"


class Acme:
    """The connector of a package, simulated by the tests."""

    classes = ("acme", "com.acme.Relation")
    getters: Mapping[str, Sequence[str]] = {"com.acme.Relation": ("params",)}
    options = ("server", "list")

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Name a list of a server."""
        return [DatasetId(f"acme://{described.options['server']}", described.options["list"])]


class Broken(Acme):
    classes = ("broken",)
    getters: Mapping[str, Sequence[str]] = {}

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        raise RuntimeError("password=s3cret")


class Unmade:
    def __init__(self) -> None:
        raise RuntimeError("no licence")


def an_entry_point(value: str) -> EntryPoint:
    return EntryPoint("acme", f"{__name__}:{value}", GROUP)


def test_a_connector_is_a_class_or_an_instance_behind_an_entry_point():
    [acme] = load([an_entry_point("Acme")])
    assert isinstance(acme, Connector)
    datasets = Registry([acme]).find(
        {"class": "Relation", _FULL_NAME: "com.acme.Relation"}, {"Server": "a", "list": "b"}
    )
    assert datasets == [DatasetId("acme://a", "b")]


def test_a_connector_that_cannot_be_loaded_costs_one_warning_and_no_other_connector(caplog):
    with caplog.at_level(logging.WARNING):
        connectors = load([an_entry_point("Missing"), an_entry_point("Unmade"), an_entry_point("Acme")])
    assert [type(connector) for connector in connectors] == [Acme]
    assert [record.getMessage().rpartition(": ")[0] for record in caplog.records] == [
        f"capture: connector acme ({__name__}:Missing) cannot be loaded: AttributeError",
        f"capture: connector acme ({__name__}:Unmade) cannot be loaded: RuntimeError",
    ]


@pytest.mark.parametrize(
    "faulty",
    [
        SimpleNamespace(),
        SimpleNamespace(classes=("x",), getters=None, options=()),
        SimpleNamespace(classes=None, getters={}, options=()),
        SimpleNamespace(classes=("x",), getters={"a.b": 1}, options=()),
    ],
    ids=repr,
)
def test_what_is_no_connector_costs_one_warning_and_no_other_connector(faulty: Any, caplog):
    with caplog.at_level(logging.WARNING):
        known = Registry([faulty, Acme()])
    assert len(caplog.records) == 1
    assert known.find({}, {"server": "a", "list": "b"}, form="acme") == [DatasetId("acme://a", "b")]
    assert known.find({}, {}, form="x") is None


def test_a_connector_that_raises_costs_one_warning_without_secrets_and_names_nothing(caplog):
    known = Registry([Broken(), Acme()])
    with caplog.at_level(logging.WARNING):
        assert [known.find({}, {}, form="broken") for _ in range(3)] == [(), (), ()]
    [record] = caplog.records
    assert "s3cret" not in record.getMessage()
    assert known.find({}, {"server": "a", "list": "b"}, form="ACME") == [DatasetId("acme://a", "b")]
    assert known.find({}, {}, form="another") is None


@pytest.mark.parametrize(
    "named", [None, ["acme://a"], [DatasetId("", "a")], [DatasetId("a", "")], [DatasetId("a", "b" * 9999)]]
)
def test_what_is_no_name_costs_a_warning(named: Any, caplog):
    connector = SimpleNamespace(classes=("x",), getters={}, options=(), datasets=lambda _: named)
    with caplog.at_level(logging.WARNING):
        assert Registry([connector]).find({}, {}, form="x") == ()
    assert len(caplog.records) == 1


def test_a_name_is_cleaned_of_users_and_query_strings_whoever_gives_it():
    named = [DatasetId("acme://ann:s3cret@host", "list?token=s3cret")]
    connector = SimpleNamespace(classes=("x",), getters={}, options=(), datasets=lambda _: named)
    assert Registry([connector]).find({}, {}, form="x") == [DatasetId("acme://host", "list")]


def test_options_with_names_of_secrets_do_not_leave_the_jvm(caplog):
    secrets = [
        "password",
        "sfPassword",
        "pem_private_key",
        "aws_secret_key",
        "auth.token",
        "user",
        "apiKey",
        "awsAccessKeyId",
    ]
    connector = SimpleNamespace(classes=("x",), getters={}, options=("server", *secrets), datasets=lambda _: ())
    with caplog.at_level(logging.WARNING):
        known = Registry([connector])
    assert known.options == {"server"}
    [record] = caplog.records
    assert all(secret.lower() in record.getMessage() for secret in secrets)


def test_getters_of_connectors_come_beside_ours_and_name_the_class_of_what_they_choose():
    getters = getters_with(Registry([Acme()]))
    assert {owner: tuple(getters[owner]) for owner in GETTERS} == GETTERS
    assert tuple(getters["com.acme.Relation"]) == (_FULL_NAME, "params")
    assert {"server", "list", "path"} <= set(options_with(Registry([Acme()])))


def test_options_of_a_getter_are_used_where_the_read_has_none():
    known = Registry([Acme()])
    source = {_FULL_NAME: "com.acme.Relation", "params": {"server": "a", "list": "b", "other": "c"}}
    assert known.find(source) == [DatasetId("acme://a", "b")]
    assert known.find(source, {"server": "own", "list": "c"}) == [DatasetId("acme://own", "c")]


def test_the_first_of_two_connectors_of_a_class_is_chosen():
    second = SimpleNamespace(classes=("acme",), getters={}, options=(), datasets=lambda _: [DatasetId("x", "y")])
    assert Registry([Acme(), second]).find({}, {"server": "a", "list": "b"}, form="acme") == [
        DatasetId("acme://a", "b")
    ]


def test_nothing_is_loaded_before_a_plan_is_read():
    program = (
        "import sys; from spark_client import capture; import spark_client.capturing.session.start;"
        "print([name for name in sys.modules if 'connectors.' in name or 'databases.' in name])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Names of ours. Each row: source, options, the datasets.
_MONGO = "mongodb://ann:s3cret@db-1:27018,db-2:27018"
NAMES: tuple[tuple[str, dict[str, str], list[tuple[str, str]]], ...] = (
    ("mongodb", {"connection.uri": f"{_MONGO}/shop", "collection": "o"}, [("mongodb://db-1:27018", "shop.o")]),
    ("mongodb", {"connection.uri": f"{_MONGO}/shop.o?authSource=admin"}, [("mongodb://db-1:27018", "shop.o")]),
    (
        "mongodb",
        {"connection.uri": "mongodb+srv://ann:s3cret@c0.ab1.mongodb.net", "database": "shop", "collection": "o"},
        [("mongodb://c0.ab1.mongodb.net", "shop.o")],
    ),
    ("mongodb", {"database": "shop", "collection": "o,p"}, [("mongodb://localhost:27017", f"shop.{c}") for c in "op"]),
    ("mongodb", {"database": "shop", "collection": "*"}, []),
    ("mongodb", {"database": "shop"}, []),
    ("mongodb", {"collection": "o"}, []),
    ("mongodb", {"connection.uri": "mongodb://ann:s3/cret@db-1/shop.o"}, []),
    (
        "mongodb",
        {
            "connection.uri": "mongodb://a:s3cret@a.mongo.cosmos.azure.com:10255/shop?ssl=true&appName=@a@",
            "collection": "o",
        },
        [("mongodb://a.mongo.cosmos.azure.com:10255", "shop.o")],
    ),
)


_REDSHIFT = "jdbc:redshift://c1.abc.eu-west-1.redshift.amazonaws.com:5439/dev"
_OF_REDSHIFT = "redshift://c1.eu-west-1:5439"
_SNOW = {"sfurl": "acme-prod.snowflakecomputing.com", "sfdatabase": "SHOP", "sfschema": "SALES"}
_OF_SNOW = "snowflake://acme-prod"
_IRELAND = "{0}://{0}.eu-west-1.amazonaws.com"
_OF_DYNAMODB, _OF_KINESIS = _IRELAND.format("dynamodb"), _IRELAND.format("kinesis")
_ES = "elasticsearch://s-1:9200"
NAMES += (
    *(
        (form, {"url": f"{_REDSHIFT}?user=ann&password=s3cret", "dbtable": "sales.o"}, [(_OF_REDSHIFT, "dev.sales.o")])
        for form in ("redshift", "io.github.spark_redshift_community.spark.redshift", "com.databricks.spark.redshift")
    ),
    (
        "redshift",
        {"url": _REDSHIFT.replace("redshift:", "postgresql:", 1), "dbtable": "o"},
        [(_OF_REDSHIFT, "dev.public.o")],
    ),
    ("redshift", {"url": _REDSHIFT, "query": "select id, n from o where n > 1"}, [(_OF_REDSHIFT, "dev.public.o")]),
    ("redshift", {"url": _REDSHIFT, "dbtable": "(select id from o) t"}, [(_OF_REDSHIFT, "dev.public.o")]),
    ("redshift", {"url": _REDSHIFT, "query": "select * from o join p using (id)"}, []),
    ("redshift", {"url": "jdbc:mysql://db/shop", "dbtable": "o"}, []),
    ("redshift", {"dbtable": "o"}, []),
    ("snowflake", {**_SNOW, "dbtable": "O"}, [(_OF_SNOW, "SHOP.SALES.O")]),
    ("net.snowflake.spark.snowflake", {**_SNOW, "dbtable": "RAW.O"}, [(_OF_SNOW, "SHOP.RAW.O")]),
    ("snowflake", {**_SNOW, "dbtable": 'A.B."o.p"'}, [(_OF_SNOW, "A.B.o.p")]),
    ("snowflake", {**_SNOW, "query": "select ID from O"}, [(_OF_SNOW, "SHOP.SALES.O")]),
    (
        "snowflake",
        {"sfurl": "https://ab1.eu-west-1.snowflakecomputing.com:443", "sfdatabase": "S", "dbtable": "O"},
        [("snowflake://ab1.eu-west-1.aws", "S.PUBLIC.O")],
    ),
    ("snowflake", {"sfurl": _SNOW["sfurl"], "dbtable": "O"}, []),
    ("snowflake", {"sfdatabase": "SHOP", "dbtable": "O"}, []),
    ("snowflake", {**_SNOW, "sfurl": "ann:s3cret@acme-prod.snowflakecomputing.com", "dbtable": "O"}, []),
    *(
        ("bigquery", options, [("bigquery", "acme-1.shop.orders")])
        for options in (
            {"table": "acme-1.shop.orders"},
            {"path": "acme-1:shop.orders"},
            {"table": "`acme-1`.shop.orders$20130101"},
            {"table": "shop.orders", "project": "acme-1"},
            {"table": "orders", "dataset": "shop", "project": "acme-1"},
            {"query": "select a from `acme-1.shop.orders`"},
            {"path": "SELECT a FROM `acme-1.shop.orders`"},
        )
    ),
    ("bigquery", {"table": "shop.orders"}, []),
    ("bigquery", {"path": "/lake/orders"}, []),
    ("dynamodb", {"tablename": "orders", "region": "eu-west-1"}, [(_OF_DYNAMODB, "orders")]),
    ("dynamodb", {"dynamodb.table.name": "orders", "dynamodb.regionid": "eu-west-1"}, [(_OF_DYNAMODB, "orders")]),
    ("dynamodb", {"dynamodb.input.tablename": "orders", "dynamodb.region": "eu-west-1"}, [(_OF_DYNAMODB, "orders")]),
    ("dynamodb", {"dynamodb.tablearn": "arn:aws:dynamodb:eu-west-1:1:table/orders"}, [(_OF_DYNAMODB, "orders")]),
    (
        "dynamodb",
        {"tablename": "orders", "endpoint": "http://localhost:8000"},
        [("dynamodb://localhost:8000", "orders")],
    ),
    ("com.audienceproject.spark.dynamodb", {"tablename": "o"}, [("dynamodb://dynamodb.us-east-1.amazonaws.com", "o")]),
    ("dynamodb", {"tablename": "orders"}, []),
    ("kinesis", {"streamname": "o", "endpointurl": "https://kinesis.eu-west-1.amazonaws.com/"}, [(_OF_KINESIS, "o")]),
    ("kinesis", {"streamname": "o,p", "region": "eu-west-1"}, [(_OF_KINESIS, "o"), (_OF_KINESIS, "p")]),
    ("kinesis", {"streamarn": "arn:aws:kinesis:eu-west-1:1:stream/o"}, [(_OF_KINESIS, "o")]),
    ("aws-kinesis", {"kinesis.streamname": "o", "kinesis.region": "eu-west-1"}, [(_OF_KINESIS, "o")]),
    ("kinesis", {"streamname": "o"}, []),
    ("es", {"es.nodes": "S-1,s-2", "es.resource": "orders/_doc"}, [(_ES, "orders")]),
    (
        "org.elasticsearch.spark.sql",
        {"es.nodes": "https://s-1:9243/", "path": "o,p"},
        [("elasticsearch://s-1:9243", "o"), ("elasticsearch://s-1:9243", "p")],
    ),
    ("es", {"es.nodes": "ann:s3cret@s-1", "es.resource": "orders"}, []),
    ("es", {"es.nodes": "s-1", "es.resource": "orders-*"}, []),
    ("es", {"es.nodes": "s-1", "es.resource": "orders-{day}"}, []),
    ("es", {"es.resource": "orders"}, []),
    (
        "opensearch",
        {"opensearch.nodes": "s-1", "opensearch.port": "443", "path": "orders"},
        [("opensearch://s-1:443", "orders")],
    ),
)


@pytest.mark.parametrize(("form", "options", "names"), NAMES, ids=str)
def test_names(form: str, options: dict[str, str], names: list[tuple[str, str]]):
    assert registry().find({}, options, form=form) == [DatasetId(*name) for name in names]


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("redshift", {"url": _REDSHIFT, "query": "select sum(n) from o"}),
        ("snowflake", {**_SNOW, "query": "select sum(N) from O"}),
        ("bigquery", {"query": "select sum(n) from `acme-1.shop.orders`"}),
    ],
)
def test_a_query_that_computes_reads_its_table_and_makes_other_columns(form: str, options: dict[str, str]):
    named = registry().find({}, options, form=form)
    assert (isinstance(named, Computed), len(named or ())) == (True, 1)
    assert registry().find({}, options, form=form, is_write=True) == []


def test_of_several_options_that_of_the_side_is_used():
    options = {"es.nodes": "s-1", "es.resource": "all", "es.resource.read": "in", "es.resource.write": "out"}
    tables = {"dynamodb.input.tablename": "in", "dynamodb.output.tablename": "out", "dynamodb.region": "eu-west-1"}
    for form, given_options, namespace in (("es", options, _ES), ("dynamodb", tables, _OF_DYNAMODB)):
        for is_write, name in ((False, "in"), (True, "out")):
            datasets = registry().find({}, given_options, form=form, is_write=is_write)
            assert datasets == [DatasetId(namespace, name)]


@pytest.mark.parametrize("package", ["org.apache.spark.sql.kinesis", "org.apache.spark.sql.connector.kinesis"])
def test_the_sink_of_a_stream_names_it_by_what_it_was_made_of(package: str):
    kind = f"{package}.KinesisSink"
    [options] = registry().getters[kind][1:]
    sink_options = {"kinesis.streamname": "o", "kinesis.region": "eu-west-1"}
    assert registry().find({_FULL_NAME: kind, options: sink_options}, is_write=True) == [DatasetId(_OF_KINESIS, "o")]


def test_settings_of_a_session_name_the_nodes_where_the_options_do_not():
    relation = {
        _FULL_NAME: "org.elasticsearch.spark.sql.ElasticsearchRelation",
        "parameters": {"es.resource": "orders"},
    }
    settings = {"cfg.getNodes": "s-1", "cfg.getPort": "9200", "cfg.getResourceRead": "orders"}
    assert registry().find({**relation, **settings}) == [DatasetId(_ES, "orders")]


def test_sparks_conf_names_what_the_options_do_not():
    conf = {
        "spark.es.nodes": "s-1",
        "spark.es.resource": "another",
        "spark.mongodb.write.connection.uri": "mongodb://ann:s3cret@db-1/shop",
        "spark.url": "jdbc:redshift://c1/dev",
    }
    catalogs = parse_catalogs(conf, {})
    assert "s3cret" not in repr(catalogs)
    cases = (
        ({"shortName": "es"}, {"path": "orders"}, [DatasetId(_ES, "orders")]),
        ({"shortName": "es"}, {"path": "o", "es.nodes": "s-2"}, [DatasetId("elasticsearch://s-2:9200", "o")]),
        ({"shortName": "mongodb"}, {"collection": "o"}, [DatasetId("mongodb://db-1:27017", "shop.o")]),
        ({"shortName": "redshift"}, {"dbtable": "o"}, []),
    )
    for source, options, named in cases:
        command = a_node("SaveIntoDataSourceCommand", dataSource=source, options=options, query__schema=SCHEMA)
        [target] = find_targets(command, catalogs)
        assert ([target.output.id] if target.output else []) == named


def test_a_table_of_bigquery_is_named_by_its_own_id():
    ids = {"tableId.getProject": "acme-1", "tableId.getDataset": "shop", "tableId.getTable": "orders"}
    table = {_FULL_NAME: "com.google.cloud.spark.bigquery.v2.Spark35BigQueryTable", **ids}
    assert registry().find(table, {"table": "orders"}) == [DatasetId("bigquery", "acme-1.shop.orders")]


def test_a_pipeline_of_mongodb_makes_other_rows():
    options = {"database": "shop", "collection": "o", "aggregation.pipeline": None}
    assert registry().find({}, options, form="mongodb") == Computed([DatasetId("mongodb://localhost:27017", "shop.o")])
    assert isinstance(registry().find({}, options, form="mongodb"), Computed)
    assert not isinstance(registry().find({}, options, form="mongodb", is_write=True), Computed)


# Secrets share no word with the rest of an option set: their words in a name come from them.
_SECRET = st.text("abcdef§/:@?&=#%;,. ()'\"", min_size=4, max_size=12).map(lambda text: f"s3cr{text}T0k")
_SHAPES = st.sampled_from(
    (
        "https://ann:{}@host/x",
        "https://host:9200/p?token={}",
        "mongodb://ann:{}@host:1/db.coll",
        "mongodb+srv://{}@host/db",
        "mongodb://host/db?password={}",
        "{}@host",
        "host?{}",
        "ann:{}@host:9200",
        "jdbc:redshift://host/db?password={}",
        "jdbc:redshift://ann:{}@host:5439/db",
        "ann:{}@acme-x.snowflakecomputing.com",
        "select '{}' from t",
    )
)
# Options with names, not with addresses or queries.
_PLAIN = frozenset(
    {"collection", "database", "dataset", "path", "project", "resource", "sfdatabase", "sfschema", "table"}
    | {"dbtable", "read", "write", "streamname", "tablename"}
)
_WORDS = st.sampled_from(
    ("", "orders", "a.b.c", "shop", "us-east-1", "*", "a,b", "host:9200", "/x", "select * from t", "\\")
)


@st.composite
def option_sets(draw: st.DrawFn) -> tuple[str, dict[str, str], str]:
    """Draw a source, options with a secret in their URLs or under keys of secrets, and the secret."""
    known = registry()
    form = draw(st.sampled_from(sorted(known.names)))
    secret = draw(_SECRET)
    keys = sorted(key.rstrip("?") for key in known._options[id(known._by_name[form])])
    shaped = _SHAPES.map(lambda shape: shape.format(secret))
    options = {
        key: draw(_WORDS if key.rpartition(".")[2] in _PLAIN else st.one_of(_WORDS, shaped))
        for key in draw(st.lists(st.sampled_from(keys), max_size=8, unique=True))
    }
    hidden = draw(st.dictionaries(st.sampled_from(("password", "user", "sfpassword", "token")), st.just(secret)))
    return form, {**options, **hidden}, secret


@given(option_sets(), st.booleans())
def test_no_secret_comes_into_a_name_and_no_connector_raises(case: tuple[str, dict[str, str], str], is_write: bool):
    form, options, _ = case
    named = registry().find({}, options, form=form, is_write=is_write)
    assert named is not None
    assert registry().faulty == set()
    text = repr([(dataset.namespace, dataset.name) for dataset in named])
    assert "s3cr" not in text.lower(), (form, options)
    assert "t0k" not in text.lower(), (form, options)


# Plans. The source is a list of Acme's, wherever a plan may have one.
_LIST = DatasetId("mongodb://db-1:27017", "shop.o")
_GIVEN = {"connection.uri": "mongodb://ann:s3cret@db-1/shop.o"}
_TABLE = {"class": "MongoTable", _FULL_NAME: "com.mongodb.spark.sql.connector.MongoTable", "name": "MongoTable()"}
_PROVIDER = {"class": "MongoTableProvider", "shortName": "mongodb"}
LEAVES = {
    "a relation of the first interface": a_node(
        "LogicalRelation", relation={**_PROVIDER, "parameters": _GIVEN}, schema=SCHEMA
    ),
    "a table of the second": a_node("DataSourceV2Relation", table=_TABLE, options=_GIVEN, schema=SCHEMA),
    "a table with properties": a_node("DataSourceV2Relation", table={**_TABLE, "properties": _GIVEN}, schema=SCHEMA),
    "a stream of the first interface": a_node(
        "StreamingRelation",
        dataSource={"class": "DataSource", "className": "MongoDB", "options": _GIVEN},
        schema=SCHEMA,
    ),
    "a stream of the second": a_node("StreamingRelationV2", table=_TABLE, extraOptions=_GIVEN, schema=SCHEMA),
}


@pytest.mark.parametrize("leaf", LEAVES.values(), ids=LEAVES)
def test_a_connector_names_a_leaf_with_its_columns(leaf: Any):
    read = find_datasets(leaf, Catalogs())
    assert read.unknown is None
    assert [(dataset.id, dataset.schema) for dataset in read.datasets] == [(_LIST, COLUMNS)]


@pytest.mark.parametrize("leaf", LEAVES.values(), ids=LEAVES)
def test_a_source_whose_connector_finds_no_name_has_none(leaf: Any):
    nameless = a_node(leaf.kind, **{key: _without_options(value) for key, value in leaf.values.items()})
    read = find_datasets(nameless, Catalogs())
    assert (read.datasets, str(read.unknown).partition(": ")[2]) == ((), "its connector finds no name")


def _without_options(value: Any) -> Any:
    if value == _GIVEN:
        return {"path": "/lake/orders", "url": "jdbc:postgresql://db/shop", "dbtable": "orders"}
    return {key: _without_options(each) for key, each in value.items()} if isinstance(value, dict) else value


def test_a_table_of_a_catalog_keeps_its_name_beside_that_of_the_connector():
    leaf = a_node(
        "LogicalRelation", relation={**_PROVIDER, "parameters": _GIVEN}, catalogTable=a_table(), schema=SCHEMA
    )
    [dataset] = find_datasets(leaf, CATALOGS).datasets
    assert (dataset.id, [link.name for link in dataset.symlinks]) == (_LIST, ["default.flights"])


def test_a_connector_names_what_is_written():
    relation = LEAVES["a table of the second"]
    commands = (
        a_node("SaveIntoDataSourceCommand", dataSource=_PROVIDER, options=_GIVEN, query__schema=SCHEMA),
        a_node("AppendData", table=relation, query__schema=SCHEMA),
        a_node("InsertIntoDataSourceCommand", logicalRelation=LEAVES["a relation of the first interface"]),
    )
    assert [find_targets(command, Catalogs())[0].output.id for command in commands] == [_LIST] * 3
    sink = find_sink(a_node("WriteToStream", sink=_TABLE, inputQuery__schema=SCHEMA), _GIVEN, Catalogs())
    assert sink.output.id == _LIST


def test_a_write_whose_connector_finds_no_name_has_no_target():
    options = {"path": "/lake/orders"}
    command = a_node("SaveIntoDataSourceCommand", dataSource=_PROVIDER, options=options, query__schema=SCHEMA)
    assert find_targets(command, Catalogs())[0].output is None


def test_the_guide_to_a_connector_of_ones_own_does_what_it_says():
    [program] = re.findall(r"```python\n(.*?)```", _GUIDE.read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(program, str(_GUIDE), "exec"), names)
    known = Registry([names["AcmeConnector"]()])
    named = [DatasetId("acme://host", "orders")]
    relation = {"class": "AcmeRelation", _FULL_NAME: "com.acme.spark.AcmeRelation"}
    given = {"server": "host", "list": "orders"}
    assert known.find({}, given, form="acme") == named
    assert known.find({**relation, "parameters": given}) == named
    assert isinstance(known.find({**relation, "parameters": {**given, "filter": None}}), Computed)
    assert known.find(relation, {"server": "host"}) == []
    assert known.faulty == set()
