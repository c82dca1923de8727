"""Rules that fold the names of fields: an event says the same, however its producer spells the columns."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.api_changes import parse_api_change, render_change
from headwater.events.field_folds import FieldFold
from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.columns import ColumnLineage, ColumnSource
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId
from headwater_model.operation_set import OperationSet
from headwater_model.operations import parse_operations
from tests.builders_events import a_run_event
from tests.examples import examples

SNOWFLAKE, LAKE = "snowflake://acc", "s3://lake"
QUOTED = {"namespace": "snowflake://*", "name": '"*"."*"."*"', "as": {"name": "*.*.*"}}
POS, PLAIN = '"DB"."SC"."POS"', DatasetId(SNOWFLAKE, "DB.SC.POS")


def folding(quotes=True, case="lower"):
    fields = {**({"quotes": "drop"} if quotes else {}), **({"case": case} if case else {})}
    return NamingRules(names=read_rules({"rules": [{**QUOTED, "fields": fields}]}))


def spelled(name):
    """Spellings that a fold of quotes and case joins."""
    return st.sampled_from((name, f'"{name}"', f"[{name}]", f"`{name}`", name.upper(), f'"{name.upper()}"'))


def facets_of_columns(spell, name):
    """Every facet of a dataset that names columns: the dataset's own, and those of itself as a source."""
    nav = {"namespace": SNOWFLAKE, "name": name, "field": spell("nav")}
    entity = {**nav, "type": "DATASET"}
    return {
        "schema": {"fields": [{"name": spell("nav"), "type": "struct", "fields": [{"name": spell("tail")}]}]},
        "columnLineage": {"fields": {spell("nav"): {"inputFields": [nav]}}, "dataset": [nav]},
        "lineage": {"inputs": [entity], "fields": {f"{spell('nav')}.{spell('tail')}": {"inputs": [entity]}}},
        "tags": {"tags": [{"key": "PII", "field": spell("nav")}]},
        **facets_of_uses(spell),
    }


def facets_of_uses(spell):
    tested = {"assertions": [{"assertion": "not_null", "success": True, "column": spell("nav")}, {"success": False}]}
    return {
        "dataQualityMetrics": {"rowCount": 3, "columnMetrics": {spell("nav"): {"nullCount": 1}}},
        "dataQualityAssertions": tested,
        "greatExpectations_assertions": tested,
    }


def an_event(spell, name=POS):
    """A run event that names the column `nav` at every place where an event can."""
    pos = {"namespace": SNOWFLAKE, "name": name}
    facets = {"facets": facets_of_columns(spell, name)}
    entry = {**pos, "type": "DATASET", **facets_of_columns(spell, name)["lineage"]}
    nav, co2 = spell("nav"), spell("co2")
    operations = [
        {"type": "READ", "name": "read", "source": pos, "outputs": [{"name": nav, "type": "int"}]},
        {"type": "TRANSFORM", "name": "make", "inputs": [{"origin": "read", "name": nav}], "outputs": [co2]},
        {
            "type": "WRITE",
            "name": "write",
            "destination": pos,
            "inputs": [{"origin": "read", "name": nav}, {"origin": "make", "name": co2}],
        },
    ]
    event = a_run_event(
        inputs=[{**pos, **facets, "inputFacets": facets_of_uses(spell)}],
        outputs=[{**pos, **facets, "outputFacets": facets_of_uses(spell)}],
    )
    event["run"]["facets"] = {"headwater_operations": {"operations": operations}}
    event["job"]["facets"] = {"lineage": {"entries": [entry]}}
    return event


def parsed(event, rules):
    return replace(parse_event(event, rules, now=None), hash="")


@examples(100)
@given(st.data())
def test_an_event_says_the_same_however_its_columns_are_spelled(data):
    event = an_event(lambda name: data.draw(spelled(name)), data.draw(st.sampled_from((POS, PLAIN.name))))
    assert parsed(event, folding()) == parsed(an_event(str, PLAIN.name), folding())


def test_columns_of_one_facet_that_become_the_same_are_joined():
    sources = [{"namespace": LAKE, "name": "raw", "field": field} for field in ("a", "b")]
    facets = {
        "schema": {"fields": [{"name": '"nav"', "type": "int"}, {"name": "nav", "description": "Value"}]},
        "columnLineage": {"fields": {'"nav"': {"inputFields": sources[:1]}, "nav": {"inputFields": sources[1:]}}},
    }
    event = a_run_event(inputs=[], outputs=[{"namespace": SNOWFLAKE, "name": POS, "facets": facets}])
    (use,) = parsed(event, folding()).outputs
    assert use.facets["schema"] == {"fields": [{"name": "nav", "type": "int", "description": "Value"}]}
    assert use.facets["columnLineage"] == {"fields": {"nav": {"inputFields": sources}}}


LEGS = DatasetId(LAKE, "legs")


@pytest.mark.parametrize(
    ("source", "destination", "fields"),
    [
        (LEGS, PLAIN, {"nav": '"nav"', "co2": '"nav"'}),
        (PLAIN, LEGS, {"nav": "nav", '"co2"': "nav"}),
        (PLAIN, PLAIN, {"nav": "nav", "co2": "nav"}),
    ],
)
def test_fields_of_operations_are_spelled_as_each_endpoint_folds_them(source, destination, fields):
    event = an_event('"{}"'.format)
    read, _, write = event["run"]["facets"]["headwater_operations"]["operations"]
    read["source"], write["destination"] = (
        {"namespace": dataset.namespace, "name": dataset.name} for dataset in (source, destination)
    )
    operations = parsed(event, folding()).run_facets["headwater_operations"]["operations"]
    (columns,) = OperationSet(parse_operations(operations)).columns().values()
    assert {path: {*sources} for path, sources in columns.fields.items()} == {
        (path,): {ColumnSource(source, (of,))} for path, of in fields.items()
    }
    assert isinstance(columns, ColumnLineage)


@pytest.mark.parametrize(("kind", "tag"), [("TAG", "pii"), ("DOCUMENT", None)])
def test_tags_and_descriptions_of_a_column_are_folded(kind, tag):
    of = {"namespace": SNOWFLAKE, "dataset": POS, "field": '"NAV"'}
    change = render_change(kind, time="2025-11-20T12:00:00.000000Z", tag=tag, **of)
    assert parse_api_change(change, folding()).field == "nav"


@examples(300)
@given(st.text('a"[].`/B', min_size=1, max_size=8), st.booleans(), st.sampled_from(("lower", "upper", None)))
def test_to_fold_twice_changes_nothing(text, quotes, case):
    fold = FieldFold(quotes, case)
    once = fold.path(parse_dotted(text))
    assert fold.path(once) == once
    assert parse_dotted(fold.dotted(text)) == once
    assert fold.dotted(fold.dotted(text)) == fold.dotted(text)
