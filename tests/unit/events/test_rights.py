"""Rights to name other jobs: an edge to another team's job needs the right to reference its namespace."""

from __future__ import annotations

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.events.rights import check_rights
from headwater.namespaces import Rights
from headwater_model.errors import Forbidden
from tests.builders_events import NAMESPACE, STORE, a_run_event

OTHER = {"namespace": "team-b", "name": "nightly"}
DEPENDS = {"run_facets": {"jobDependencies": {"upstream": [{"job": OTHER}]}}}
IS_NEEDED = {"run_facets": {"jobDependencies": {"downstream": [{"job": OTHER}]}}}
TAKES = {"job_facets": {"lineage": {"entries": [{"type": "JOB", "inputs": [{"type": "JOB", **OTHER}]}]}}}


@pytest.mark.parametrize(
    ("facets", "field"),
    [
        (DEPENDS, "facets.jobDependencies.upstream.job.namespace"),
        (IS_NEEDED, "facets.jobDependencies.downstream.job.namespace"),
        (TAKES, "facets.lineage.entries.inputs.namespace"),
    ],
)
def test_an_edge_to_a_job_elsewhere_needs_the_right_to_reference(facets, field):
    event = parse_event(a_run_event(**facets), NamingRules(), now=None)
    own = (NAMESPACE, STORE, *{use.dataset.namespace for use in event.inputs})
    for allowed in (Rights(own, ("team-*",)), Rights((*own, "team-b"), ())):
        check_rights(event, allowed)
    with pytest.raises(Forbidden, match=f"^{field}: .*team-b"):
        check_rights(event, Rights(own, ("team-c",)))
