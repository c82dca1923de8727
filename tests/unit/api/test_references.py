"""To name is not to own: a foreign token's events about a team's things change no response to the team."""

import json
import re
from functools import cache
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.api_changes import parse_change
from headwater.events.naming import NamingRules
from headwater.events.rights import applied_patterns, check_rights
from headwater.namespaces import Rights
from headwater_model.errors import Forbidden
from tests.builders_events import a_dataset_event, a_facet, a_job_event, a_parent, a_run_event, a_schema
from tests.examples import examples
from tests.unit.api.teams import APART, OWN, A, B, World, requests_about

OF_A = Rights((A.jobs, A.store))
# Datasets of B: only read; made and read; never named.
SUBJECTS = {"raw": ("load", 1), "clean": ("sum", 2), "unknown": ("load", 1)}
# Responses with B's readers: they alone may show A, and the existence of a dataset by its readers.
OF_READERS = re.compile("/api/v1/(lineage|column-lineage|runlineage|reports)|/v3/")
TIMES = tuple(f"2025-11-20T{hour}:00:00Z" for hour in ("11", "12", "14", "18"))


def _names(team):
    return st.sampled_from([{"namespace": team.store, "name": name} for name in (*SUBJECTS, "report")])


_any_name = st.one_of(_names(A), _names(B))
_column = _any_name.map(lambda name: {**name, "field": "total"})
_descriptions = {
    "schema": st.sampled_from((a_schema("id", "other"), a_facet("Schema", _deleted=True))),
    "symlinks": st.lists(_any_name, min_size=1, max_size=2).map(
        lambda names: a_facet("SymlinksDataset", identifiers=[{**name, "type": "TABLE"} for name in names])
    ),
    "tags": st.sampled_from(("PII", "of-b", "OF-B", "of-a")).map(
        lambda key: a_facet(
            "TagsDataset", tags=[{"key": key, "value": "x", "source": "a"}, {"key": key, "field": "total"}]
        )
    ),
    "ownership": st.just(a_facet("Ownership", owners=[{"name": "ann"}])),
    "documentation": st.just(a_facet("Documentation", description="A's")),
    "dataSource": st.sampled_from(("lake-a", "lake-b")).map(lambda name: {"name": name, "uri": "s3://theirs"}),
    "lifecycleStateChange": st.sampled_from(("DROP", "CREATE", "RENAME")).flatmap(
        lambda change: _any_name.map(
            lambda name: a_facet("Lifecycle", lifecycleStateChange=change, previousIdentifier=name)
        )
    ),
    "version": st.sampled_from("12").map(lambda version: a_facet("Version", datasetVersion=version)),
    "columnLineage": _column.map(
        lambda column: a_facet("ColumnLineageDataset", fields={"total": {"inputFields": [column]}}, dataset=[column])
    ),
    "lineage": _any_name.map(lambda name: a_facet("Lineage", inputs=[{"type": "DATASET", **name}])),
    "custom": st.just({"a": 1}),
}
_facets = st.fixed_dictionaries({}, optional=_descriptions)
_inputs = st.lists(
    st.builds(lambda name, facets: {**name, "facets": facets, "inputFacets": facets}, _any_name, _facets), max_size=2
)
# Few are refused: most outputs are A's own.
_outputs = st.lists(
    st.builds(lambda name, facets: {**name, "facets": facets}, st.one_of(_names(A), _names(A), _any_name), _facets),
    max_size=2,
)
_job_facets = st.fixed_dictionaries(
    {},
    optional={
        "lineage": st.tuples(_names(A), _any_name).map(
            lambda pair: a_facet(
                "Lineage", entries=[{"type": "DATASET", **pair[0], "inputs": [{"type": "DATASET", **pair[1]}]}]
            )
        ),
        "tags": _descriptions["tags"],
    },
)


def _operations(source, destination):
    read, write = (f"{kind} of {A.jobs}" for kind in ("read", "write"))
    taken = [{"origin": read, "name": "total"}]
    return a_facet(
        "HeadwaterOperations",
        operations=[
            {"type": "READ", "name": read, "source": source, "outputs": ["total"]},
            {"type": "WRITE", "name": write, "inputs": taken, "destination": destination},
        ],
    )


_run_facets = st.fixed_dictionaries(
    {},
    optional={
        "parent": st.sampled_from((A, A, A, B)).map(lambda team: a_parent(B.run(2), "sum", team.jobs)),
        "jobDependencies": st.just(
            a_facet(
                "JobDependencies",
                upstream=[{"job": {"namespace": B.jobs, "name": "sum"}, "run": {"runId": B.run(2)}}],
                downstream=[{"job": {"namespace": B.jobs, "name": "load"}}],
            )
        ),
        "headwater_operations": st.builds(_operations, _any_name, _names(A)),
    },
)
_events = st.one_of(
    st.builds(
        a_run_event,
        run=st.sampled_from((A.run(8), A.run(1), B.run(1), B.run(2))),
        job=st.sampled_from(("sum", "load", "new")),
        namespace=st.just(A.jobs),
        eventType=st.sampled_from(("START", "COMPLETE", "FAIL")),
        eventTime=st.sampled_from(TIMES),
        inputs=_inputs,
        outputs=_outputs,
        job_facets=_job_facets,
        run_facets=_run_facets,
    ),
    st.builds(
        a_job_event,
        job=st.sampled_from(("sum", "new")),
        namespace=st.just(A.jobs),
        eventTime=st.sampled_from(TIMES),
        inputs=_inputs,
        outputs=_outputs,
        job_facets=_job_facets,
    ),
    st.builds(
        a_dataset_event,
        st.builds(lambda name, facets: {**name, "facets": facets}, _names(A), _facets),
        eventTime=st.sampled_from(TIMES),
    ),
)


def limits(event):
    """Limit an event to A's rights: its namespaces, False if it is refused."""
    parsed = parse_change(event, NamingRules(trim_partitions=False))
    try:
        check_rights(parsed, OF_A)
    except Forbidden:
        return False
    return applied_patterns(parsed, OF_A.writes)


def responses(world, subject):
    """Send B's requests about its dataset, and the dataset's job."""
    token = world.token(B.jobs, B.store)
    requests = chain.from_iterable(requests_about(B, subject, *SUBJECTS[subject]).values())
    return {f"{path} {query}": world.send(token, path, query) for path, query in requests}


def is_of_a(value):
    """True if a value names something of A's, itself or in a part."""
    if isinstance(value, str):
        return A.jobs in value or A.store in value
    if not isinstance(value, dict):
        return False
    # A use by no job is a DatasetEvent's, and B has sent none.
    return ("runs" in value and value.get("job", "") is None) or any(map(is_of_a, value.values()))


def without_readers(value):
    """Remove A's parts from JSON, then empty objects, and the numbers of readers."""
    if isinstance(value, list):
        kept = [without_readers(item) for item in value if not is_of_a(item)]
        return [item for item in kept if not isinstance(item, dict) or any(item.values())]
    if not isinstance(value, dict):
        return value
    return {name: without_readers(part) for name, part in value.items() if name != "more" and not is_of_a(name)}


def comparable(request, response, subject, *, strict):
    """Reduce a response to its stable part; None if it leads to readers, and through them to anything."""
    status, body = response
    if not OF_READERS.match(request):
        return response
    if subject == "unknown" or not strict or "csv" in request or "/history" in request:
        # A history begins with the first reader, too.
        return None
    return status, without_readers(json.loads(body))


@cache
def responses_before(subject, *, strict):
    return responses(World(*OWN, *APART, strict=strict), subject)


@examples(40)
@given(st.sampled_from(sorted(SUBJECTS)), st.lists(_events, min_size=1, max_size=3), st.booleans())
def test_whatever_another_teams_token_sends_each_response_stays_but_for_its_readers(subject, events, strict):
    world = World(*OWN, *APART, strict=strict)
    for event in events:
        patterns = limits(event)
        if patterns is not False:
            world.load(event, writes=patterns)

    before, after = responses_before(subject, strict=strict), responses(world, subject)
    different = [
        (request, before[request], after[request])
        for request in before
        if comparable(request, before[request], subject, strict=strict)
        != comparable(request, after[request], subject, strict=strict)
    ]
    assert different[:2] == []
