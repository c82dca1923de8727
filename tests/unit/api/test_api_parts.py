"""Parts of the API that need no AWS: walks around a node, and the size of a response."""

import json

from hypothesis import given
from hypothesis import strategies as st

from headwater.api.http.cursor import parse_cursor, render_cursor
from headwater.api.http.responses import size_of, within
from headwater.records.live_records import LiveRecord, descendants_of, path_to
from headwater.records.record import LineageRecord


def rows(edges):
    """Live records for node -> parent."""
    return {
        node: LiveRecord(LineageRecord("root", node, parent, "DO", f"s3://{node}", 1), 2)
        for node, parent in edges.items()
    }


def names(records):
    return [node.record.node_id for node in records]


NODES = st.sampled_from(["root", *"abcdefgh"])


@given(st.dictionaries(NODES, NODES, min_size=1))
def test_walks_end_and_meet_each_node_once_whatever_the_parents(edges):
    known = rows(edges)
    for node, start in known.items():
        path, missing, cycle = path_to(start, known.get)
        below = names(descendants_of(start, known))

        assert names(path)[-1] == node
        assert len(set(names(path))) == len(path)
        assert len({node, *below}) == len(below) + 1
        # Each step of the path is the parent of the next; its start is reported.
        assert [node.record.parent_id for node in path[1:]] == names(path)[:-1]
        first = path[0].record
        if cycle:
            assert (missing, first.parent_id in names(path), set(cycle) <= set(names(path))) == (None, True, True)
        elif missing is not None:
            assert (missing, missing in known) == (first.parent_id, False)
        else:
            assert "root" in (first.node_id, first.parent_id)


@given(st.dictionaries(NODES, NODES, min_size=1))
def test_a_node_is_below_every_other_on_its_path(edges):
    known = rows(edges)
    for node, start in known.items():
        for above in path_to(start, known.get)[0][:-1]:
            assert node in names(descendants_of(above, known))


def test_descendants_come_nearest_first_then_by_id():
    known = rows({"a": "root", "z": "a", "b": "a", "c": "z", "d": "b"})

    assert names(descendants_of(known["a"], known)) == ["b", "z", "c", "d"]


@given(st.text())
def test_the_size_of_a_response_is_what_it_takes_inside_lambdas(text):
    rendered = json.dumps(text, ensure_ascii=False)

    assert size_of(rendered.encode()) == len(json.dumps(rendered, ensure_ascii=False).encode()) - 2


def test_lines_are_one_body_or_all_go_on():
    lines = [b'{"a":1}\n', b'{"b":2}\n']

    # Each quote and line feed takes a byte more inside Lambda's answer: 22 in all.
    for room, whole in ((22, '{"a":1}\n{"b":2}\n'), (21, None)):
        body, rest = within(iter(lines), room)
        assert (body, list(rest)) == (whole, [] if whole else lines)


@given(st.tuples(st.text(), st.text()), st.text(min_size=1))
def test_a_cursor_reads_as_what_it_was_made_of(search, after):
    assert parse_cursor(search, render_cursor(search, after)) == after
