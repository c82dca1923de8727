"""Over random estates, a check finds exactly the readers whose columns go."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.features.check.proposal import read_proposal
from headwater.features.check.report import check
from tests.builders_events import STORE
from tests.examples import examples
from tests.features.serving import getter
from tests.unit.api.columns_pipeline import FILTER, IDENTITY, a_dataset_made, a_step, field, source
from tests.unit.api.graph_api import GraphApi

NUMBERS, NAMES = range(5), "abc"
COLUMNS = st.builds("d{}.{}".format, st.sampled_from(NUMBERS), st.sampled_from(NAMES))
# Job n writes dataset dn: the sources of each of its columns, and whether each is a mere condition.
JOB = st.dictionaries(st.sampled_from(NAMES), st.dictionaries(COLUMNS, st.booleans(), max_size=2), min_size=1)
ESTATES = st.fixed_dictionaries(dict.fromkeys(NUMBERS, JOB))
PROPOSALS = st.dictionaries(st.sampled_from(NUMBERS), JOB, min_size=1, max_size=2)


def an_event(number, columns, hour):
    facet_columns = {
        name: [source(*of.split("."), FILTER if condition else IDENTITY) for of, condition in sources.items()]
        for name, sources in columns.items()
    }
    inputs = sorted({of.split(".")[0] for sources in columns.values() for of in sources})
    run = f"01941f29-7c00-7ea7-b5a3-{hour:06}{number:06}"
    return a_step(f"j{number}", hour, inputs, [a_dataset_made(f"d{number}", facet_columns, list(columns))], run=run)


def right_readers(estate, proposal):
    """The jobs and columns behind lost columns, where proposed jobs read as proposed."""
    edges = [
        (of, f"d{number}.{name}", f"job:emissions:j{number}")
        for number, columns in (estate | proposal).items()
        for name, sources in columns.items()
        for of in sources
    ]
    lost = {f"d{number}.{name}" for number, columns in proposal.items() for name in estate[number].keys() - columns}
    gone, jobs = set(lost), set()
    while True:
        reached = {(end, job) for of, end, job in edges if of in gone}
        jobs |= {job for _, job in reached}
        if {end for end, _ in reached} <= gone:
            return jobs | {field(*column.split(".")) for column in gone - lost}
        gone |= {end for end, _ in reached}


@given(ESTATES, PROPOSALS)
@examples(100)
def test_a_check_finds_exactly_the_readers_whose_columns_go(estate, proposal):
    api = GraphApi(*(an_event(number, columns, 8) for number, columns in estate.items()))
    events = [("e", an_event(number, columns, 9)) for number, columns in proposal.items()]
    report = check(getter(api), read_proposal(events))
    assert {reader.node_id for reader in report.readers if reader.type != "DATASET"} == right_readers(estate, proposal)
    datasets = {reader.node_id for reader in report.readers if reader.type == "DATASET"}
    assert datasets <= {f"dataset:{STORE}:d{number}" for number in NUMBERS}
