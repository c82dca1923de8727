"""Every query of the columns of `strategies`, over the model and over the loaders' table."""

from headwater.queries.results.columns import TimeRange
from headwater.queries.service import LineageQueries
from headwater.times import just_after
from tests.fields_model import FieldModel
from tests.runs_model.results import rendered
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES
from tests.unit.queries.columns.strategies import COLUMNS
from tests.unit.queries.every_query import loaded

_ALL = 9
WINDOWS = (TimeRange(TIMES[0], TIMES[3]), TimeRange(TIMES[1], "2025-11-21T00:00:00.000000Z"))
# `co2` is in schemas alone.
_FIELDS = (*COLUMNS, "co2")


def field_ids():
    return [f"datasetField:{dataset.namespace}:{dataset.name}:{path}" for dataset in DATASETS for path in _FIELDS]


def every_result(queries, versions, times=TIMES):
    """Collect the results as JSON text by query; `versions` are (node id, version) of datasets, fields, jobs."""
    requested = _Results(queries)
    # Two pasts are enough: in the middle, and near the end.
    pasts = times[2::2]
    windows = WINDOWS if times == TIMES else (TimeRange(times[0], times[3]), TimeRange(times[1], just_after(times[-1])))
    for node in [*(named.node_id for named in (*JOBS, *DATASETS)), *field_ids()]:
        requested.columns(node, depth=_ALL)
        for depth in (1, _ALL):
            requested.columns(node, depth=depth, downstream=True)
        for time in pasts:
            requested.columns(node, depth=_ALL, at=time)
        requested.columns(node, depth=_ALL, downstream=True, at=pasts[0])
    for node, version in versions:
        requested.columns(f"{node}#{version}", depth=_ALL)
    for dataset in DATASETS:
        requested.mappings(dataset, windows)
    requested.columns_of()
    return requested.results


class _Results:
    """Queries, and their results."""

    def __init__(self, queries):
        self.results = {}
        self._queries = queries

    def columns(self, node, **how):
        self.results[f"find_columns {node} {how}"] = rendered(self._queries.find_columns(node, **how))

    def mappings(self, dataset, windows):
        for time_range in windows:
            for level in (1, _ALL):
                page = self._queries.find_mappings(dataset, time_range, level=level)
                self.results[f"find_mappings {dataset.node_id} {time_range} {level}"] = rendered(page)

    def columns_of(self):
        for dataset, columns in self._queries.columns_of(DATASETS).items():
            self.results[f"columns_of {dataset.node_id}"] = rendered(columns)


def versions_in(model):
    """List (node id, version) of all versions of datasets, of their fields, and of jobs."""
    versions = []
    for dataset in DATASETS:
        for version in model.list_dataset_versions(dataset).items if model.find_dataset(dataset) else ():
            ids = [f"datasetField:{dataset.namespace}:{dataset.name}:{path}" for path in _FIELDS]
            versions += [(node, version.version) for node in (dataset.node_id, *ids)]
    for job in JOBS:
        for version in model.list_job_versions(job).items if model.find_job(job) else ():
            versions.append((job.node_id, version.version))
    return versions


def right_results(statements, times=TIMES):
    """Compute the model's results of all queries with exact results for these statements."""
    model = FieldModel(statements)
    right = every_result(model, versions_in(model.runs), times)
    if not is_remembered(statements):
        right = {query: result for query, result in right.items() if "'at'" not in query}
    return right


def is_remembered(statements):
    """True if every time can be queried: no facet went back to an earlier content (a limit, see docs/api.md).

    Such a facet counts as sent all the while: at a time in between it may cover a later facet. Aliases mention a
    dataset, too: all schemas count as a single dataset's.
    """
    stated = {}
    for statement in sorted(statements, key=lambda sent: (sent.time, sent.hash)):
        for use in (
            *getattr(statement, "inputs", ()),
            *getattr(statement, "outputs", ()),
            getattr(statement, "dataset", None),
        ):
            for name, body in getattr(use, "facets", {}).items():
                about = "all" if name == "schema" else (getattr(statement, "run", None), use.dataset)
                contents = stated.setdefault((about, name), [])
                content = repr(body)
                if content in contents[:-1] and content != contents[-1]:
                    return False
                contents.append(content)
    return True


def results_of(table, statements, times=TIMES):
    return every_result(LineageQueries(table), versions_in(FieldModel(statements).runs), times)


def queries_of(statements):
    return LineageQueries(loaded(statements))
