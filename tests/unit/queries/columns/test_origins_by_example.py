"""From a column down to the roots of records: of the run that made it or, if that reported none, of its parent run."""

import pytest

from headwater.events.event import ParentRun
from headwater.facts.run_facts import run_version_id
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId, RunKey
from tests.unit.facts.statements import an_event, run_id
from tests.unit.queries.columns.column_statements import CHECK, CHECKED, a_schema
from tests.unit.queries.every_query import loaded

CO2 = f"datasetField:{CHECKED.namespace}:{CHECKED.name}:co2"
APPLICATION, NIGHTLY = JobId("emissions", "emissions"), JobId("emissions", "nightly")


def roots(*ids):
    return {"run_facets": {"headwater_records": {"rootIds": list(ids)}}}


def a_write(second=5, run="01", **more):
    """A run of the check, which the application's run 0a started."""
    parent = ParentRun(run_id("0a"), APPLICATION)
    return an_event(second, run, CHECK, outputs=[(CHECKED, a_schema("co2"))], parent=parent, **more)


def an_application(second=9, run="0a", job=APPLICATION, **more):
    return an_event(second, run, job, **more)


@pytest.fixture(params=["as it happened", "the last first"])
def origins(request):
    """The roots of the column's only version, and the run that they are of, however the statements came."""

    def queries_over(*statements):
        ordered = statements if request.param == "as it happened" else statements[::-1]
        (origin,) = LineageQueries(loaded(*([event] for event in ordered))).find_origins(CO2).versions
        assert origin.run.id == run_id("01")
        return origin.roots, origin.reported_by

    return queries_over


def test_a_run_that_reported_none_has_those_of_the_run_that_started_it(origins):
    assert origins(a_write(), an_application(**roots("b", "a"))) == (("a", "b"), run_id("0a"))


def test_its_own_are_stronger(origins):
    assert origins(a_write(**roots("mine")), an_application(**roots("a"))) == (("mine",), run_id("01"))


def test_the_parent_of_the_parent_is_not_read(origins):
    nightly = ParentRun(run_id("0b"), NIGHTLY)
    reported = (an_application(parent=nightly), an_application(10, "0b", NIGHTLY, **roots("a")))

    assert origins(a_write(), *reported) == ((), None)


def test_a_parent_of_which_nothing_else_is_known_has_none(origins):
    assert origins(a_write()) == ((), None)


def test_every_write_of_an_application_has_its_roots():
    table = loaded([a_write(), a_write(6, "02"), an_application(**roots("a"))])
    queries = LineageQueries(table)
    versions = [run_version_id(CHECKED, RunKey.of(CHECK, run_id(run))) for run in ("01", "02")]

    origins_of_versions = [queries.find_origins(f"{CO2}#{version}").versions for version in versions]

    assert [[(origin.roots, origin.reported_by) for origin in origins] for origins in origins_of_versions] == [
        [(("a",), run_id("0a"))]
    ] * 2
