"""Tags, owners and who reported them, by example; the model and the loaders' table must agree."""

from headwater.facts.annotations import Attribution, Owner, Tag
from headwater.queries.lists.annotated import THINGS_MAX
from headwater.queries.results.columns import TimeRange
from headwater.queries.service import LineageQueries
from headwater_model.columns import ColumnSource
from headwater_model.ids import DatasetId
from tests.unit.facts.statements import a_dataset_event, an_event, at
from tests.unit.facts.strategies import a_symlink
from tests.unit.queries.columns.column_statements import (
    CALCULATE,
    CHECK,
    CHECKED,
    ESTIMATED,
    HASHED,
    IDENTITY,
    JOINED,
    RAW,
    a_schema,
    column_lineage,
    taken,
)
from tests.unit.queries.columns.counting import Counter, dataset
from tests.unit.queries.every_query import loaded

WINDOW = TimeRange(at(0), at(9))
DBT = "https://github.com/OpenLineage/OpenLineage/tree/1.52.0/integration/dbt"


def tags(*sent, producer=DBT):
    """The facet with tags, each (key, field) or the whole entry."""
    entries = [tag if isinstance(tag, dict) else {"key": tag[0], "field": tag[1]} for tag in sent]
    return {"tags": {"_producer": producer, "tags": entries}}


def names(page):
    return [(hit.dataset.name, ".".join(hit.field)) if hasattr(hit, "field") else hit.id.name for hit in page.items]


def tagged(queries, tag="PII", **how):
    return names(queries.search_tagged(tag, **{"kind": None, "sort": "name", "limit": 10, **how}))


def over(*statements):
    """Return the queries over a table to which the statements were applied one by one, the last first."""
    return LineageQueries(loaded(*([statement] for statement in statements[::-1])))


def test_tags_and_owners_are_shown_with_their_reporter():
    facets = tags(("PII", "carrier"), {"key": "tier", "value": "gold", "source": "DBT"})
    owners = {"ownership": {"owners": [{"name": "team:check", "type": "MAINTAINER"}]}}
    queries = over(
        an_event(1, "r1", CHECK, outputs=[(CHECKED, {**facets, **owners})], job_facets=tags({"key": "nightly"}))
    )

    annotations = queries.find_dataset(CHECKED).annotations
    by_dbt = Attribution(DBT, at(1))
    assert annotations.tags == (
        Tag("tier:gold", None, "gold", "DBT", by_dbt),
        Tag("PII", "carrier", None, None, by_dbt),
    )
    assert (annotations.names, annotations.of_field("carrier")) == (("tier:gold",), ("PII",))
    assert annotations.owners == (Owner("team:check", "MAINTAINER", Attribution(None, at(1))),)
    job = queries.find_graph(CHECK.node_id, depth=0).jobs[0]
    assert (job.annotations, job.annotations.names) == (queries.find_job(CHECK).annotations, ("nightly",))


def test_tags_of_the_last_run_with_tags_are_tags_of_its_job():
    """dbt sends the tags of a model in each of its runs; OpenLineage's client adds its own version."""
    dbt = {"key": "nightly", "value": "true", "source": "DBT"}
    client = {"key": "openlineage_client_version", "value": "1.52.0", "source": "OPENLINEAGE_CLIENT"}
    first = an_event(1, "r1", CHECK, run_facets=tags(("old", None), dbt))
    second = an_event(2, "r2", CHECK, run_facets=tags(dbt, client), job_facets=tags({"key": "PII", "source": "USER"}))
    third = an_event(3, "r3", CHECK, job_facets=tags({"key": "Nightly", "source": "USER"}))
    queries = over(first, second, third)

    assert over(first, second).find_job(CHECK).annotations.tags == (
        Tag("nightly", None, "true", "DBT", Attribution(DBT, at(2))),
        Tag("PII", None, None, "USER", Attribution(DBT, at(2))),
    )
    assert tagged(queries, "NIGHTLY") == tagged(queries, "nightly", kind="job") == ["check"]
    assert (tagged(queries, "old"), tagged(queries, "PII")) == ([], [])
    assert queries.find_job(CHECK).annotations.names == ("Nightly",)
    assert [tag.name for tag in queries.list_tags(limit=10, offset=0).items] == ["Nightly", "old", "PII"]
    withdrawn = an_event(4, "r4", CHECK, run_facets={"tags": {"_deleted": True}})
    assert over(first, second, withdrawn).find_job(CHECK).annotations.names == ("PII",)


def test_a_tag_is_searched_for_in_any_case_by_kind_namespace_and_text():
    queries = over(
        an_event(
            1, "r1", CHECK, outputs=[(CHECKED, tags(("pii", "carrier"), ("pii", None)))], job_facets=tags(("PII", None))
        )
    )

    assert tagged(queries, "Pii") == ["check", "checked", ("checked", "carrier")]
    assert tagged(queries, kind="job") == ["check"]
    assert tagged(queries, kind="dataset") == ["checked"]
    assert tagged(queries, kind="column") == [("checked", "carrier")]
    assert tagged(queries, text="CARR") == [("checked", "carrier")]
    assert tagged(queries, namespace="emissions") == ["check"]
    assert tagged(queries, namespace="s3://fli") == []
    assert tagged(queries, after=at(2)) == []
    assert tagged(queries, "PI") == []


def a_run(second, run, job, source, target, facets=None, **fields):
    """A run that makes each column of these ways from the carrier of the source."""
    reported = column_lineage(**{name: [taken(source, "carrier", *ways)] for name, ways in fields.items()})
    return an_event(second, run, job, inputs=[source], outputs=[(target, {**reported, **(facets or {})})])


def test_a_report_of_a_tag_has_what_is_made_of_tagged_columns_unless_it_is_masked(queries_over):
    queries = queries_over(
        [
            a_dataset_event(1, RAW, **tags(("PII", "carrier")), **a_schema("carrier")),
            a_run(2, "r2", CHECK, RAW, CHECKED, carrier=[IDENTITY], hashed=[HASHED], joined=[JOINED]),
            a_run(3, "r3", CALCULATE, CHECKED, ESTIMATED, name=[IDENTITY], secret=[HASHED]),
        ]
    )

    report = queries.report_tag("pii", WINDOW)

    (column,) = report.columns
    assert (column.column, [tag.name for tag in column.tags]) == (ColumnSource(RAW, ("carrier",)), ["PII"])
    flows = {
        (flow.column.dataset.name, flow.column.field): (flow.hops, flow.direct, flow.masked) for flow in report.flows
    }
    assert flows == {
        ("checked", ("carrier",)): (1, True, False),
        ("checked", ("joined",)): (1, False, False),
        ("estimated", ("name",)): (2, True, False),
    }


def test_a_dataset_with_a_tag_of_its_own_stands_for_all_of_its_columns(queries_over):
    known = a_dataset_event(1, RAW, **tags(("PII", None)), **a_schema("carrier", "seats"))
    unknown = a_dataset_event(1, CHECKED, **tags(("PII", None)))

    report = queries_over([known, unknown]).report_tag("PII", WINDOW)

    assert [tagged.column for tagged in report.columns] == [
        ColumnSource(CHECKED),
        ColumnSource(RAW, ("carrier",)),
        ColumnSource(RAW, ("seats",)),
    ]


def test_a_tag_costs_a_bounded_number_of_requests_and_says_that_there_is_more():
    few, many = (
        Counter(a_dataset_event(1, dataset(number), **tags(("PII", "a"))) for number in range(count))
        for count in (100, THINGS_MAX + 1)
    )

    page, cost = few.measure(lambda queries: queries.search_tagged("PII", kind=None, sort="name", limit=10))
    assert (page.total, page.truncated, cost.requests) == (100, False, 4)
    page, cost = many.measure(lambda queries: queries.search_tagged("PII", kind=None, sort="name", limit=10))
    assert (page.total, page.truncated, cost.requests) == (THINGS_MAX, True, 13)
    report, _ = many.measure(lambda queries: queries.report_tag("PII", WINDOW))
    assert (len(report.columns), report.truncated) == (THINGS_MAX, True)


def test_a_dataset_is_found_by_a_tag_and_an_owner_of_its_alias_in_another_namespace():
    alias = DatasetId("elsewhere", "checked")
    facets = {**tags(("PII", None)), "ownership": {"owners": [{"name": "ann"}]}}
    queries = over(
        a_dataset_event(1, CHECKED, **a_schema("flight")),
        a_dataset_event(2, alias, **facets),
        a_dataset_event(3, CHECKED, **a_symlink(alias)),
    )
    for hits in (queries.search_tagged("pii", **_ALL), queries.search_owned("ann", **_ALL)):
        assert names(hits) == [CHECKED.name]


_ALL = {"kind": None, "sort": "name", "limit": 10, "namespace": CHECKED.namespace}
