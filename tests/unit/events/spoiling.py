"""Events that are spoiled: any JSON at any place."""

from hypothesis import strategies as st

from tests.builders_events import a_dataset, a_dataset_event, a_job_event, a_parent, a_run_event

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
TESTED = {
    "dataQualityMetrics": {"columnMetrics": {"a": {"nullCount": 1}}},
    "dataQualityAssertions": {"assertions": [{"assertion": "not_null", "success": True, "column": "a"}]},
}
FACETS = {
    "schema": {"fields": [{"name": "a", "type": "int", "fields": [{"name": "b"}]}]},
    "symlinks": {"identifiers": [{"namespace": "n", "name": "x"}]},
    "tags": {"tags": [{"key": "PII", "field": "a"}]},
    **TESTED,
}
PARENT = {"parent": a_parent(root=("r", "top")), "nominalTime": {"nominalStartTime": "2025-11-20T12:00:00Z"}}
SOURCE = {"namespace": "n", "name": "x/day=1", "field": "a", "type": "DATASET", "transformations": [{"type": "DIRECT"}]}
COLUMNS = {"columnLineage": {"fields": {"a": {"inputFields": [SOURCE]}}, "dataset": [SOURCE]}}
ENTRY = {**SOURCE, "inputs": [SOURCE], "fields": {"a": {"inputs": [SOURCE]}}}
OPERATIONS = [
    {"type": "READ", "name": "r", "source": SOURCE, "outputs": ["a"]},
    {"type": "WRITE", "name": "w", "destination": SOURCE, "inputs": [{"origin": "r", "name": "a"}]},
]
OURS = {"headwater_operations": {"operations": OPERATIONS}, "headwater_records": {"rootIds": ["r"]}}
# Facets that name datasets, which may stand anywhere.
NAMING = {**FACETS, **COLUMNS, "lineage": {**ENTRY, "entries": [ENTRY]}, **OURS}
# Events with every facet that is read.
WHOLE = [
    a_run_event(run_facets=PARENT, inputs=[a_dataset("raw/day=1", facets=FACETS)]),
    a_run_event(run_facets=OURS, outputs=[a_dataset(f"raw/day={day}", facets=COLUMNS) for day in (1, 2)]),
    a_job_event(),
    a_job_event(job_facets={"lineage": {"entries": [ENTRY]}}),
    a_dataset_event(a_dataset(facets=FACETS)),
    a_dataset_event(a_dataset(facets={"lineage": ENTRY})),
    a_run_event(
        run_facets=NAMING,
        job_facets=NAMING,
        inputs=[{**a_dataset("landing"), "inputFacets": TESTED}],
        outputs=[{**a_dataset("raw", facets=NAMING), "outputFacets": TESTED}],
    ),
]


def places(value, place=()):
    """Every place in the JSON, the whole too."""
    yield place
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        yield from places(child, (*place, step))


def replaced(value, place, new):
    """The JSON with another value at a place."""
    if not place:
        return new
    first, *rest = place
    if isinstance(value, list):
        return [replaced(child, rest, new) if step == first else child for step, child in enumerate(value)]
    return {step: replaced(child, rest, new) if step == first else child for step, child in value.items()}


# An event and a place in it.
SPOILED = st.sampled_from([(whole, place) for whole in WHOLE for place in places(whole)])
