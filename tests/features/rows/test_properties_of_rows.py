"""Random histories of a table, some commits by others and some of them upgrades: no row has a wrong run."""

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.features.rows.test_row_route import a_commit, steps_of
from tests.unit.api.teams import World

# Of a commit: is it captured, its new rows, and the share of older rows that it changes.
COMMITS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 4), st.sampled_from([0.0, 0.3, 1.0])), min_size=1, max_size=7
)


def a_history(commits, upgrade, seed):
    """Play the commits as Iceberg does: the events of captured commits, and each row with its two commits.

    From the commit `upgrade` on rows have ids: the commit gives ids to all rows, which keep their sequence numbers.
    """
    chance = random.Random(seed)
    events, rows, next_id = [], [], 0
    for number, (is_captured, added, share) in enumerate(commits, 1):
        first = next_id
        if number == upgrade:
            rows = [{"id": first + place, "made": number, "changed": row["changed"]} for place, row in enumerate(rows)]
            next_id += len(rows)
        rows = [{**row, "changed": number} if number > upgrade and chance.random() < share else row for row in rows]
        for _ in range(added):
            rows.append({"id": next_id, "made": number, "changed": number})
            next_id += number >= upgrade
        # Moved files use up ids without rows.
        next_id += chance.randrange(3) if number >= upgrade else 0
        if is_captured and number >= upgrade:
            more = {"upgrades": True} if number == upgrade else {}
            events.append(a_commit(number, number, first, next_id, **more))
    chance.shuffle(events)
    return events, rows if len(commits) >= upgrade else []


@given(commits=COMMITS, upgrade=st.integers(1, 4), seed=st.integers(0, 9))
def test_a_row_has_its_own_commits_or_is_unknown(commits, upgrade, seed):
    events, rows = a_history(commits, upgrade, seed)
    captured = {number for number, (is_captured, _, _) in enumerate(commits, 1) if is_captured and number >= upgrade}
    world = World(*events)
    token = world.token() if events else None
    for row in rows if events else ():
        creation, change = steps_of(world, row["id"], row["changed"], token)
        kind = "atOrBefore" if row["made"] == upgrade else "exact"
        is_old = row["changed"] < upgrade
        assert creation == (kind, row["made"]) if row["made"] in captured else creation[0] == "unknown"
        if is_old:
            assert change == creation or (change[0], creation[0]) == ("unknown", "unknown")
        else:
            assert change == ("exact", row["changed"]) if row["changed"] in captured else change[0] == "unknown"
