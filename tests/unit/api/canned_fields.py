"""Questions about fields, from a list: what is not on it is not known."""

from types import SimpleNamespace

from headwater.api.app import Api
from headwater.api.http.responses import respond
from headwater.queries.results.columns import Detail, FieldOperationPaths, Mappings
from headwater.queries.results.reports import Provenance, Usage

NOW_S = 1_442_881_938
LINK = "https://intake.s3.amazonaws.com/answers/abc"


class CannedFields:
    """Stands in for `LineageQueries`; `results` are by the whole query."""

    def __init__(self, results, fields):
        self._results = results
        self._fields = fields

    def find_field(self, node_id):
        return self._fields.get(node_id)

    def find_mappings(self, dataset, time_range, *, level):
        return self._results.get((dataset, time_range, level), Mappings(()))

    def find_detail(self, dataset, field, time_range, direction):
        return self._results.get((dataset, field, time_range, direction), Detail())

    def find_paths(self, dataset, field, time_range):
        return self._results.get((dataset, field, time_range), FieldOperationPaths(()))

    def report_usage(self, dataset, field, time_range):
        return self._find(Usage, dataset, field, time_range)

    def report_provenance(self, dataset, field, time_range):
        return self._find(Provenance, dataset, field, time_range)

    def _find(self, kind, dataset, field, time_range):
        result = self._results[kind]
        assert (result.column.dataset, result.column.field, result.time_range) == (dataset, field, time_range)
        return result


class HeldLinks:
    """Stands in for links to S3: holds the body that the link would lead to."""

    def __init__(self):
        self.held = []

    def to_object(self, blocks, content_type):
        self.held.append((b"".join(blocks), content_type))
        return respond({"location": LINK}, status=303, headers={"Location": LINK})


def an_api(results=(), *, fields=(), links=None):
    """The API over canned answers and fields by their node ids, at `NOW_S`."""
    services = SimpleNamespace(queries=CannedFields(dict(results), dict(fields)), now_s=lambda: NOW_S, links=links)
    return Api(lambda: services)
