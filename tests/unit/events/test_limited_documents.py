"""Events as JSON, limited as the loader limits them: what has no effect here must not leave under our name."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.events.rights import limit_document, limit_event
from tests.builders_events import a_dataset, a_dataset_event, a_facet, a_job_event, a_run_event, a_schema
from tests.examples import examples

OURS, THEIRS = "ours", "theirs"
WRITES = ("our*",)


def symlinks(*namespaces):
    identifiers = [{"namespace": namespace, "name": "alias", "type": "TABLE"} for namespace in namespaces]
    return a_facet("SymlinksDataset", "1-0-1", identifiers=identifiers)


FACETS = st.fixed_dictionaries(
    {},
    optional={
        "schema": st.just(a_schema("id")),
        "version": st.just(a_facet("DatasetVersionDataset", "1-0-1", datasetVersion="7")),
        "symlinks": st.lists(st.sampled_from([OURS, THEIRS]), max_size=3).map(lambda named: symlinks(*named))
        | st.just(a_facet("SymlinksDataset", "1-0-1", _deleted=True)),
        "tags": st.just(a_facet(tags=[{"key": "PII", "value": "true", "source": "DBT"}])),
    },
)
NAMES = st.sampled_from(["raw", "checked"])
OWN = st.builds(lambda name, facets: {**a_dataset(name, OURS), "facets": facets}, NAMES, FACETS)
ANY = st.builds(
    lambda name, namespace, facets: {**a_dataset(name, namespace), "facets": facets},
    NAMES,
    st.sampled_from([OURS, THEIRS]),
    FACETS,
)
SIDES = {"inputs": st.lists(ANY, max_size=3), "outputs": st.lists(OWN, max_size=3)}
EVENTS = (
    st.fixed_dictionaries(SIDES).map(lambda sides: a_run_event(namespace=OURS, **sides))
    | st.fixed_dictionaries(SIDES).map(lambda sides: a_job_event(namespace=OURS, **sides))
    | OWN.map(a_dataset_event)
)


def parsed(document):
    """Return the event of a document without what identifies the document itself."""
    return replace(parse_event(document, NamingRules(), now=None), hash="")


@examples(400)
@given(EVENTS)
def test_the_limited_document_is_the_document_of_the_limited_event(event):
    expected = replace(limit_event(parsed(event), WRITES), named=())
    assert parsed(limit_document(event, WRITES)) == expected


@examples(100)
@given(EVENTS)
def test_without_limits_a_document_stays_as_it_was_sent(event):
    assert limit_document(event, None) is event
    assert limit_document(event, ["*"]) is event
