"""The outline of a root: every record is in one group, by the actions on its way."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from headwater.records.forest import EXAMPLES_MAX, Forest, outline_of
from headwater.records.record import LineageRecord

NODES = ("root", "a", "b", "c", "d", "e", "f")
edges = st.dictionaries(
    st.sampled_from(NODES),
    st.tuples(st.sampled_from((*NODES, "gone")), st.sampled_from(("READ", "CHECK")), st.integers(0, 9)),
    max_size=7,
)


def records_of(drawn):
    return [
        LineageRecord("root", node, parent, action, f"s3://b/{node}", time)
        for node, (parent, action, time) in drawn.items()
    ]


def way_of(node, drawn):
    """The actions from the start of a node's tree, and true if it leads to the root; None if it begins in a cycle."""
    actions, seen = [], set()
    while node in drawn and node not in seen:
        seen.add(node)
        parent, action, _ = drawn[node]
        actions.append(action)
        if node == "root" or (parent == "root" and "root" not in drawn):
            return tuple(actions[::-1]), True
        node = parent
    return None if node in seen else (tuple(actions[::-1]), False)


def way_of_group(groups, group):
    above = () if group.parent is None else way_of_group(groups, groups[group.parent])
    return (*above, group.action)


@given(edges)
def test_a_group_has_the_records_with_the_same_actions_on_their_way(drawn):
    groups = outline_of(Forest("root", records_of(drawn)))

    right = defaultdict(list)
    for node in drawn:
        right[way_of(node, drawn)].append(node)
    in_cycles = right.pop(None, [])
    # The root begins a tree, whatever it names as its parent.
    parents = {parent for node, (parent, _, _) in drawn.items() if node != "root"}
    groups_by_way = {(way_of_group(groups, group), group.complete): group for group in groups}
    for way, nodes in right.items():
        group = groups_by_way[way]
        if group.complete:
            assert (group.records, group.leaves) == (len(nodes), len(set(nodes) - parents))
            assert [node for node, _ in group.examples] == sorted(nodes)[:EXAMPLES_MAX]
            times = [drawn[node][2] for node in nodes]
            assert (group.first, group.last) == (min(times), max(times))
    assert sum(group.records for group in groups) == len(drawn)
    assert sum(group.records for group in groups if group.complete) == len(drawn) - len(in_cycles) - sum(
        len(nodes) for way, nodes in right.items() if not way[1]
    )
    assert all(group.parent is None or group.parent < number for number, group in enumerate(groups))
