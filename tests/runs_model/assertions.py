"""Results of tests, from the whole set of statements: what each event says, and the last of each test."""

from headwater.facts.result_page import ResultPage
from headwater.queries.results.entities import AssertionCounts, AssertionResult
from headwater_model.ids import JobId
from tests.runs_model.facets import canonical, when

_WORST_LAST = ("PASSED", "WARNED", "FAILED")


class Tested:
    """Queries of results of tests; part of `Model`, which has the statements."""

    def list_assertions(self, thing, *, at=None):
        world = self if at is None else self.before(at)
        if not world.knows(thing):
            return None
        last = world.last_results(thing).values()
        return page(sorted((result for _, result in last), key=_order))

    def list_assertion_history(self, thing, *, limit, at=None):
        world = self if at is None else self.before(at)
        if not world.knows(thing):
            return None
        reports = sorted(world.reports(thing), key=lambda report: report[1])
        reports.sort(key=lambda report: when(report[0]), reverse=True)
        results = [result for _, _, results in reports for result in sorted(results.values(), key=_order)]
        return ResultPage(tuple(results[:limit]), len(results), len(results) > limit)

    def list_failures(self, namespace=None, *, at=None, limit=100, offset=0):
        world = self if at is None else self.before(at)
        things = world.visible_jobs() + world.listed_datasets()
        failures = [
            (place, result)
            for thing in things
            if namespace in (None, thing.namespace)
            for place, result in world.last_results(thing).values()
            if result.outcome != "PASSED"
        ]
        failures.sort(
            key=lambda failure: (_WORST_LAST.index(failure[1].outcome), failure[0][0], failure[1].time), reverse=True
        )
        return page([result for _, result in failures])

    def knows(self, thing):
        if isinstance(thing, JobId):
            return thing in self.statements.jobs
        return self.statements.primary(thing) in self.statements.datasets

    def listed_datasets(self):
        names = self.statements.namespaces
        return [dataset.id for name in names for dataset in self.list_datasets(name, limit=None).items]

    def counts(self, thing):
        outcomes = [result.outcome for _, result in self.last_results(thing).values()]
        return AssertionCounts(*map(outcomes.count, _WORST_LAST)) if outcomes else None

    def last_results(self, thing):
        """Return ((time, hash), result) by test: of one event's, for several names of a dataset, the worst."""
        last = {}
        for event, _, results in self.reports(thing):
            for test, result in results.items():
                place = (when(event), _gravity(result))
                last[test] = max(last.get(test, (place, result)), (place, result), key=lambda placed: placed[0])
        return {test: (place[0], result) for test, (place, result) in last.items()}

    def reports(self, thing):
        """Return (event, name, results by test) of each event that reports any."""
        if isinstance(thing, JobId):
            reported = [(event, thing, _tests_of_run(event)) for event in self.statements.events_of_job(thing)]
        else:
            dataset = self.statements.primary(thing)
            uses = self.statements.uses_of(dataset)
            named = {(event.hash, use.dataset): (event, use.dataset) for event, _, use in uses}
            reported = [
                (event, name, _tests_of([use for other, _, use in uses if other is event and use.dataset == name]))
                for event, name in named.values()
            ]
            thing = dataset
        return [
            (event, name, {test: _result(thing, event, *result) for test, result in results.items()})
            for event, name, results in reported
            if results
        ]


def page(items):
    return ResultPage(tuple(items), len(items))


def _tests_of(uses):
    types = {"dataQualityAssertions": "assertion", "greatExpectations_assertions": "expectationType"}
    sent = [
        (test[kind], test.get("column"), test.get("name"), "PASSED" if test["success"] else "FAILED", test)
        for use in uses
        for facets in (use.facets, use.use_facets)
        for facet, kind in types.items()
        for test in facets.get(facet, {}).get("assertions", [])
    ]
    return _worst(sent)


def _tests_of_run(event):
    outcomes = {"pass": "PASSED", "fail": "FAILED"}
    return _worst(
        (test.get("type"), None, test["name"], outcomes[test["status"]], test)
        for test in event.run_facets.get("test", {}).get("tests", [])
        if test["status"] in outcomes
    )


def _worst(sent):
    worst = {}
    for kind, column, name, outcome, assertion in sent:
        if outcome == "FAILED" and assertion.get("severity") == "warn":
            outcome = "WARNED"
        details = {
            field: assertion[field] for field in ("severity", "expected", "actual", "description") if field in assertion
        }
        shown = {"type": kind, "column": column, "name": name, **details}
        test = (kind, column, name)
        worst[test] = max(worst.get(test, (outcome, shown)), (outcome, shown), key=_order_of_sent)
    return worst


def _order_of_sent(sent):
    outcome, shown = sent
    return _WORST_LAST.index(outcome), canonical({field: text for field, text in shown.items() if text})


def _gravity(result):
    """Return the place of a result among those of one test in one event."""
    names = ("type", "column", "name", "severity", "expected", "actual", "description")
    return _order_of_sent((result.outcome, {name: getattr(result, name) for name in names}))


def _result(thing, event, outcome, shown):
    return AssertionResult(of=thing, outcome=outcome, time=event.time, job=event.job, run=event.run, **shown)


def _order(result):
    return -_WORST_LAST.index(result.outcome), result.column or "", result.type or "", result.name or ""
