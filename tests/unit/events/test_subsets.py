"""The part of a dataset that a run used, where one event mentions the dataset more than once, as its partitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.mentions import merge_subsets
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from tests.builders_events import CALCULATE, a_run_event
from tests.unit.api.graph_api import GraphApi, at
from tests.work import calls_of

DAY = {"type": "partition", "partitions": [{"dimensions": {"day": "2013-01-01"}}]}
NEXT = {"type": "partition", "partitions": [{"dimensions": {"day": "2013-01-02"}, "identifier": "next"}]}
DAYS = {"type": "partition", "partitions": [*DAY["partitions"], *NEXT["partitions"]]}
FILE = {"type": "location", "locations": ["s3://flights/checked/day=2013-01-01/a.parquet"]}
CARRIER = {
    "type": "compare",
    "comparison": "EQUAL",
    "left": {"type": "field", "field": "carrier"},
    "right": {"type": "literal", "value": "UA"},
}


def either(left, right):
    return {"type": "binary", "operator": "OR", "left": left, "right": right}


def both(left, right):
    return {"type": "binary", "operator": "AND", "left": left, "right": right}


def used(*conditions, side="inputs"):
    """Return the condition that a run shows of a dataset that it mentions with these; None if it shows none."""
    kind = side[:-1]
    mentions = [
        {
            "namespace": "s3://flights",
            "name": "checked",
            f"{kind}Facets": {} if condition is None else {"subset": {f"{kind}Condition": condition}},
        }
        for condition in conditions
    ]
    api = GraphApi(a_run_event(job=CALCULATE, **{"inputs": [], "outputs": [], side: mentions}))
    (run,) = api.found(f"/namespaces/emissions/jobs/{CALCULATE}/runs")["runs"]
    (version,) = api.found(f"/jobs/runs{at(run['id'])}")[f"{kind}DatasetVersions"]
    return version["facets"].get("subset", {}).get(f"{kind}Condition")


@pytest.mark.parametrize("side", ["inputs", "outputs"])
@pytest.mark.parametrize(
    ("conditions", "whole"),
    [
        ([DAY], DAY),
        ([both(DAY, CARRIER)], both(DAY, CARRIER)),
        ([DAY, NEXT], DAYS),
        ([NEXT, DAY, DAY], DAYS),
        ([FILE, DAY], either(FILE, DAY)),
        ([either(FILE, NEXT), DAY], either(FILE, DAYS)),
        ([both(DAY, CARRIER), both(DAY, CARRIER)], both(DAY, CARRIER)),
        # A mention that names no part may have used all of it.
        ([DAY, None], None),
        ([None, DAY, NEXT], None),
    ],
)
def test_a_run_shows_the_part_of_a_dataset_that_its_mentions_name_together(side, conditions, whole):
    assert used(*conditions, side=side) == whole
    assert used(*conditions[::-1], side=side) == whole


ATOMS = (DAY, NEXT, FILE, CARRIER, both(DAY, FILE), {"type": "partition"}, {"type": ["odd"]})
conditions = st.recursive(st.sampled_from(ATOMS), lambda inner: st.builds(either, inner, inner), max_leaves=5)


def holds_one_of(condition):
    """Return what a condition names, each by its JSON-like text."""
    if condition.get("operator") == "OR":
        return holds_one_of(condition["left"]) | holds_one_of(condition["right"])
    names = {"partition": "partitions", "location": "locations"}
    listed = names.get(condition["type"]) if isinstance(condition["type"], str) else None
    if listed and listed in condition:
        return {
            f"{condition['type']} {sorted(part.items()) if listed == 'partitions' else part}"
            for part in condition[listed]
        }
    return {str(condition)}


@given(st.data(), st.lists(conditions, min_size=2, max_size=4))
def test_the_union_is_the_same_in_any_order_and_repeated(data, mentioned):
    facets = [
        {"_producer": f"https://{number}", "inputCondition": condition} for number, condition in enumerate(mentioned)
    ]
    merged = merge_subsets(facets)
    again = data.draw(st.permutations([*facets, data.draw(st.sampled_from(facets))]))
    assert merge_subsets(again) == merged
    assert merge_subsets([merged, *facets]) == merged
    assert merge_subsets([merge_subsets(facets[:2]), *facets[2:], *facets[:1]]) == merged
    assert holds_one_of(merged["inputCondition"]) == set().union(*map(holds_one_of, mentioned))


def of_partitions(count):
    """Return an event that mentions so many partitions of one dataset."""
    mentions = [
        {
            "namespace": "s3://flights",
            "name": f"checked/day={number}",
            "inputFacets": {
                "subset": {"inputCondition": {**CARRIER, "right": {"type": "literal", "value": str(number)}}}
            },
        }
        for number in range(count)
    ]
    return a_run_event(inputs=mentions, outputs=[])


def test_an_event_with_thousands_of_partitions_is_parsed_with_work_in_proportion_to_them():
    def parse(count):
        (use,) = parse_event(of_partitions(count), NamingRules(), now=None).inputs
        assert (use.dataset.name, use.use_facets["subset"]["inputCondition"]["operator"]) == ("checked", "OR")

    few, many = (calls_of(lambda: parse(count)) for count in (1_000, 4_000))  # noqa: B023 - called at once
    assert many < 5 * few
