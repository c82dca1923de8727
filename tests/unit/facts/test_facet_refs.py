"""Facets that report columns, by content: read once by a process, whatever the order of their names."""

from headwater.facts.facet_refs import COLUMN_LINEAGE, refs_in
from headwater_model.ids import DatasetId
from tests.builders_events import a_facet

FLIGHTS = DatasetId("s3://lake", "flights")


def a_facet_of(columns):
    inputs = [{"namespace": "s3://lake", "name": "raw", "field": "age"}]
    return a_facet(
        "ColumnLineageDataset", fields={f"age-{number}": {"inputFields": inputs} for number in range(columns)}
    )


def ref_of(facet, dataset=FLIGHTS):
    [(_, ref)] = refs_in({COLUMN_LINEAGE: facet}, [COLUMN_LINEAGE], dataset)
    return ref


def test_a_facet_is_read_once_however_often_it_is_reported():
    facet = a_facet_of(2)
    assert ref_of(dict(reversed(facet.items()))) is ref_of(facet)
    assert ref_of(facet, DatasetId("s3://lake", "planes")).id != ref_of(facet).id


def test_a_large_facet_is_not_kept_in_memory():
    facet = a_facet_of(500)
    assert ref_of(facet) == ref_of(facet)
    assert ref_of(facet) is not ref_of(facet)
