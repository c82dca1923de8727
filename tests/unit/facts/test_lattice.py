import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts import lattice
from headwater.facts.facts import DatasetFacts, JobFacts, RunFacts, as_of, join, to_json
from headwater.facts.lattice import CONTENTS_MAX, STARTS_MAX, history_of, latest
from headwater.facts.run_facts import are_attempts_cut, ended, state

times = st.sampled_from([f"2025-11-20T12:00:0{second}.000000Z" for second in range(6)])
stamps = st.builds("{}#{}".format, times, st.sampled_from("abc"))
bodies = st.sampled_from([{"v": 1}, {"v": 2}, {"v": 3}, ["s3", "x"]])
histories = st.lists(st.builds(history_of, bodies, stamps), min_size=1, max_size=4)
NAMES = ["a", "b", "c"]


def grown(rule, values):
    whole = values[0]
    for value in values[1:]:
        whole = rule.join(whole, value)
    return whole


# Rules with smaller bounds than the real ones, which few events reach.
THREE_DATASETS = lattice._least_keys(lattice.LEAST_EACH, 3)
terminals = st.lists(st.builds("{}#{}".format, stamps, st.sampled_from(("FAILED", "ABORTED", "COMPLETED"))), max_size=1)
TWO_TERMINALS = lattice._greatest_terminals(2)
TWO_OUTERMOST = lattice._outermost(1)
# Two of the windows below are beyond the bytes.
FOUR_WINDOWS = lattice._latest_windows(4, 15)
window_facts = st.builds(
    lambda content, stamp: {content: [f"body of {content}", stamp]}, st.sampled_from(NAMES), stamps
)
SMALL = {
    "THREE_DATASETS": THREE_DATASETS,
    "TWO_OUTERMOST": TWO_OUTERMOST,
    "TWO_TERMINALS": TWO_TERMINALS,
    "FOUR_WINDOWS": FOUR_WINDOWS,
}
RULES = {
    "TWO_OUTERMOST": times.map(lambda time: [time]),
    "TWO_TERMINALS": terminals,
    "FOUR_WINDOWS": window_facts,
    "LEAST": times,
    "GREATEST": times,
    "LEAST_EACH": st.dictionaries(st.sampled_from(NAMES), times),
    "THREE_DATASETS": st.dictionaries(st.sampled_from("abcdefg"), times, max_size=3),
    "TWO_LEAST": st.dictionaries(st.sampled_from(NAMES), times, max_size=1),
    "USERS": st.dictionaries(st.text("abc", min_size=1, max_size=3), times, max_size=9),
    "LATEST_TIMES": st.lists(times, max_size=2).map(lambda drawn: sorted(set(drawn))),
    "HISTORY": st.builds(history_of, bodies, stamps),
    "LATEST": st.builds(history_of, bodies, stamps),
    "TWO_LATEST": st.builds(history_of, bodies, stamps),
    "STATEMENTS": st.dictionaries(st.sampled_from(NAMES), stamps.map(lambda stamp: [stamp]), max_size=2),
    "LATEST_EACH": st.dictionaries(
        st.sampled_from(NAMES), stamps.map(lambda stamp: [stamp, f"set by {stamp}"]), max_size=2
    ),
    "FACETS_OF_EACH": st.dictionaries(
        st.sampled_from(NAMES),
        st.dictionaries(st.sampled_from(["schema", "version"]), st.builds(history_of, bodies, stamps)),
    ),
}


@pytest.mark.parametrize("name", RULES)
@given(data=st.data())
def test_facts_of_every_kind_grow_the_same_in_any_order_and_however_often(name, data):
    rule, value = SMALL.get(name) or getattr(lattice, name), RULES[name]
    values = data.draw(st.lists(value, min_size=1, max_size=5))
    shuffled = data.draw(st.permutations(values))
    again = data.draw(st.lists(st.sampled_from(values), max_size=3))

    left = grown(rule, values[: len(values) // 2 + 1])
    assert grown(rule, [*shuffled, *again]) == rule.join(left, grown(rule, values))


@given(st.lists(RULES["THREE_DATASETS"], min_size=1, max_size=6))
def test_a_run_keeps_its_first_datasets_by_name_with_their_first_times(values):
    firsts = {name: min(value[name] for value in values if name in value) for value in values for name in value}
    # A single value is below the bound: an event names fewer datasets than a run may have.
    if len(values) > 1:
        assert grown(THREE_DATASETS, values) == {name: firsts[name] for name in sorted(firsts)[:3]}


@given(histories)
def test_the_latest_content_stays_and_ties_go_to_the_greater_json(values):
    whole = grown(lattice.HISTORY, values)
    stated = [(stamp, body) for value in values for _, stamp, body in value.values()]
    greatest = max(stamp for stamp, _ in stated)

    assert latest(whole) == (greatest, max((body for stamp, body in stated if stamp == greatest), key=_json))
    assert latest(grown(lattice.LATEST, values)) == latest(whole)


def _json(body):
    import json

    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode()


@given(st.lists(st.builds(history_of, bodies, stamps), min_size=1, max_size=4), times)
def test_as_of_a_time_only_earlier_contents_are_known(values, time):
    known = latest(lattice.HISTORY.as_of(grown(lattice.HISTORY, values), time))
    before = [body for value in values for first, _, body in value.values() if first < time]

    assert (known is None) == (not before)
    assert known is None or known[1] in before


def test_no_number_of_later_completions_makes_a_failure_forgotten():
    ends = [("0000#a#FAILED",), *((f"{number:04}#a#COMPLETED",) for number in range(1, 150))]
    whole = RunFacts(terminals=grown(lattice.TERMINALS, ends))
    assert (state(whole), ended(whole), len(whole.terminals)) == ("FAILED", "0000", 1 + CONTENTS_MAX)


@pytest.mark.parametrize(
    ("before", "after", "known"), [(1, 200, "COMPLETED"), (200, 40, "COMPLETED"), (60, 60, "FAILED")]
)
def test_a_hundred_starts_before_or_after_a_restart_hide_it_from_nobody_and_more_are_cut(before, after, known):
    marks = [f"{number:04}" for number in range(before + after + 3)]
    failed, good = marks[before], marks[before + 2]
    starts = grown(lattice.OUTERMOST_TIMES, [[mark] for mark in marks if mark not in (failed, good)])
    facts = RunFacts(starts=starts, terminals=[f"{failed}#a#FAILED", f"{good}#a#COMPLETED"])
    assert (state(facts), len(starts), are_attempts_cut(facts)) == (known, 2 * STARTS_MAX, True)


def test_a_history_keeps_the_latest_hundred_contents():
    whole = grown(lattice.HISTORY, [history_of({"v": number}, f"{number:04}#a") for number in range(150)])

    assert len(whole) == CONTENTS_MAX
    assert latest(whole) == ("0149#a", {"v": 149})


SMALL_HISTORY = lattice._history(3, 40)
sized = st.builds(history_of, st.builds(lambda size: {"v": "x" * size}, st.integers(0, 50)), stamps)


@given(data=st.data())
def test_a_history_keeps_the_newest_contents_that_fit_whatever_the_order(data):
    values = data.draw(st.lists(sized, min_size=2, max_size=7))
    whole = grown(SMALL_HISTORY, values)
    shuffled = data.draw(st.permutations(values))
    middle = data.draw(st.integers(1, len(values) - 1))
    again = SMALL_HISTORY.join(grown(SMALL_HISTORY, shuffled[:middle]), grown(SMALL_HISTORY, shuffled[middle:]))
    # A content that returns after it was pushed out has another first stamp.
    assert {content: value[1:] for content, value in again.items()} == {
        content: value[1:] for content, value in whole.items()
    }
    assert latest(whole) == latest(grown(lattice.HISTORY, values))
    sizes = [len(_json(body)) for _, _, body in whole.values()]
    assert len(whole) <= 3
    assert sum(sizes) - max(sizes) <= 40


@pytest.mark.parametrize(("name", "kept"), [("schema", 1), ("ownership", 1), ("lineage", 10), ("outputStatistics", 1)])
def test_the_history_of_a_large_facet_is_bounded_by_its_bytes(name, kept):
    facts = RunFacts()
    for number in range(20):
        body = {"text": f"{number:02}" + "x" * 105_000}
        facts = join(facts, RunFacts(written_facets={"ns\0d": {name: history_of(body, f"{number:04}#a")}}))
    history = facts.written_facets["ns\0d"][name]
    assert (
        sorted(body["text"][:2] for _, _, body in history.values())
        == [f"{19 - number:02}" for number in range(kept)][::-1]
    )


def test_facts_join_field_by_field_and_keep_fields_that_only_one_of_them_has():
    left = RunFacts(first="2", last="2", job="ns\0a", times=("2",), inputs={"ns\0d": "2"})
    right = RunFacts(first="1", last="1", job="ns\0a", times=("1",), first_typed="1")

    whole = join(left, right)

    assert to_json(whole) == {
        "job": "ns\0a",
        "first": "1",
        "last": "2",
        "first_typed": "1",
        "times": ["1", "2"],
        "inputs": {"ns\0d": "2"},
    }
    assert join(RunFacts(), whole) == join(whole, RunFacts()) == whole
    assert RunFacts(**to_json(whole)) == whole


def test_facts_as_of_a_time_know_nothing_of_later_events():
    facts = RunFacts(
        first="1",
        last="5",
        job="ns\0a",
        times=["1", "3", "5"],
        terminals=["5#x#FAILED"],
        inputs={"ns\0d": "3"},
    )

    assert to_json(as_of(facts, "4")) == {
        "job": "ns\0a",
        "first": "1",
        "last": "3",
        "times": ["1", "3"],
        "inputs": {"ns\0d": "3"},
    }
    parent_alone = RunFacts(job="ns\0a", named_first="3", named_last="5")
    assert to_json(as_of(parent_alone, "4")) == {"job": "ns\0a", "named_first": "3", "named_last": "3"}
    assert to_json(as_of(parent_alone, "3")) == {}
    assert as_of(JobFacts(first="1", last="5"), "4").last == "1"
    assert to_json(as_of(DatasetFacts(first="4", last="5"), "4")) == {}
