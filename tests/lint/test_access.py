"""Access to the API: scope and limits that routes state, and the table of docs/security.md."""

import re
from pathlib import Path

import pytest

from headwater.api.app import all_routes
from headwater.api.route import Within

SECURITY = Path(__file__).parents[2] / "docs" / "security.md"
# As in `.../datasets/<dataset>/fields/<field>/tags/<tag>`.
MIDDLE = "/(?:datasets|jobs)/<[a-z]+>/(?:fields/<field>/)?(?=tags|owners|description)", "/…/"
OF_ROOTS = {Within.ROOT, Within.ROOT_QUERY, Within.PREFIX, Within.RECORDS}


@pytest.mark.parametrize("route", all_routes(), ids=lambda route: f"{route.method} {route.path}")
def test_limits_of_a_route_fit_its_scope_and_path(route):
    assert (route.scope is None) == (route.within is Within.ANYTHING)
    assert (route.scope == "records") == (route.within in OF_ROOTS)
    assert ("<namespace>" in route.path) == (route.within in {Within.NAMESPACE, Within.NEW})
    assert ("<root_id>" in route.path) == (route.within is Within.ROOT)
    assert route.within is Within.RUN or "<run_id>" not in route.path


def listed(route):
    """Return method and path: of reads up to the segment that limits them, of writes without the middle."""
    cut, by = ("(<(?:namespace|root_id|run_id)>)/.+", r"\1/…") if route.scope == "read" else MIDDLE
    return f"{route.method} {re.sub(cut, by, route.path)}".replace("<", "{").replace(">", "}")


def a_row(scope, within):
    """Return a row of the table in docs/security.md."""
    routes = sorted({listed(route) for route in all_routes() if (route.scope, route.within) == (scope, within)})
    return f"| {f'`{scope}`' if scope else '-'} | {within.value} | {'<br>'.join(f'`{route}`' for route in routes)} |"


def test_security_page_has_the_limits_of_all_routes():
    rows = {(route.scope, route.within): None for route in all_routes()}
    order = ["read", "write", "delete", "records", None]
    table = [a_row(*row) for row in sorted(rows, key=lambda row: (order.index(row[0]), list(Within).index(row[1])))]
    text = "\n".join(table)
    assert text in SECURITY.read_text(encoding="utf-8"), f"docs/security.md must have\n{text}"
