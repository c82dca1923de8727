"""Over random runs, a recall holds exactly the versions with rows of the load, by their grades."""

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.features.recall.test_recall import a_run, read, recalled, wrote

NAMES = ("a", "b", "c")
# A run: the datasets that it reads, each by a reported version or by time, and writes, each whole or by an append.
RUNS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(NAMES), st.booleans(), max_size=2),
        st.dictionaries(st.sampled_from(NAMES), st.booleans(), min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=8,
)


def right_versions(runs):
    """Follow the rows of the first run: each version with rows of it, by dataset and run, with its grade."""
    current, grades = {}, {}
    for number, (reads, writes) in enumerate(runs, 1):
        known = [
            (grades[name, current[name]], by_version)
            for name, by_version in reads.items()
            if name in current and (name, current[name]) in grades
        ]
        from_inputs = [grade if by_version else "possibly" for grade, by_version in known]
        for name, is_whole in writes.items():
            kept = not is_whole and (name, current.get(name)) in grades
            candidates = ["certainly"] if number == 1 else from_inputs + (["possibly"] if kept else [])
            if candidates:
                grades[name, number] = min(candidates)
        current |= dict.fromkeys(writes, number)
    return grades


@given(RUNS)
@examples(100)
def test_a_recall_holds_exactly_the_versions_with_rows_of_the_load(runs):
    events, current = [], {}
    for number, (reads, writes) in enumerate(runs, 1):
        inputs = [
            read(name, str(current[name]) if by_version and name in current else None)
            for name, by_version in reads.items()
        ]
        outputs = [
            wrote(name, "OVERWRITE" if is_whole else None, version=str(number)) for name, is_whole in writes.items()
        ]
        events.append(a_run(number, inputs, outputs))
        current |= dict.fromkeys(writes, number)
    assert recalled(events) == right_versions(runs)
