"""Common parameters of Marquez's routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from headwater.api.http.parameters import Parameter, choice, moment, number, segment, text
from headwater.api.http.request import HttpRequest
from headwater.queries.results.entities import Sort
from headwater_model.errors import Fault, Invalid
from headwater_model.ids import DatasetId, JobId

LIMIT_MAX = 1000
DEPTH_MAX = 1_000_000

NAMESPACE = segment("namespace", "s3://flights")
DATASET = segment("dataset", "checked")
DATASET_VERSION_ID = segment("version", "be5886c7-519f-897d-a23c-cf1cf3f7d08b")
JOB_NAMESPACE = segment("namespace", "emissions")
JOB = segment("job", "emissions.check")
JOB_VERSION_ID = segment("version", "b9cb41cc-d734-39a3-b85e-6850153b2741")
SOURCE = segment("source", "default")
TAG = segment("tag", "PII")
OWNER = segment("owner", "team:flights")
FIELD = segment("field", "flight")
RUN_ID = segment("run_id", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c")

LIMIT = number("limit", "The most of a page.", least=0, most=LIMIT_MAX).default(100)
OFFSET = number("offset", "How many to leave out before it.", least=0, most=1_000_000).default(0)
FORM = choice(
    "form",
    "Ours: `summary` is short: no lists and facets, of a run its state and times.",
    {"full": "full", "summary": "summary"},
).default("full")
_SORTS: Mapping[str, Sort] = {"name": "name", "updated_at": "updated_at"}
SORT = choice("sort", "Ours: which come first; by `updated_at`, of the first 5,000 by name.", _SORTS).default("name")
UPDATED_BEFORE = moment(
    "updatedBefore", "Ours: only what no event mentions at this time or later, of the first 5,000 by name."
)
DATASET_VERSION = text("datasetVersion", "The sources of this version of the dataset; as `#<version>`.")


class Paging(TypedDict):
    """The place of a page in a list, as queries take it."""

    limit: int
    offset: int


def lineage_at(description: str) -> Parameter[str | None]:
    """Declare the time of a graph; None for now."""
    return moment("lineageAt", description)


def is_short(request: HttpRequest) -> bool:
    """True for a request of the short form."""
    return FORM.read(request) == "summary"


def read_paging(request: HttpRequest) -> Paging:
    """Read the limit and the offset of a page: `{"limit": 100, "offset": 0}` by default."""
    return {"limit": LIMIT.read(request), "offset": OFFSET.read(request)}


def read_texts(body: object, *names: str, required: bool = False) -> tuple[str | None, ...]:
    """Read texts by name in a JSON object; None for a missing text or null.

    Raises:
        Invalid: the body is no object, or a member is no text, or missing though `required`.
    """
    if not isinstance(body, dict):
        raise Invalid.because("body", body, "must be a JSON object")
    if missing := [
        Fault(name, None, "must be given", missing=True) for name in names if required and body.get(name) is None
    ]:
        raise Invalid(missing)
    for name in names:
        if not isinstance(body.get(name), str | None):
            raise Invalid.because(name, body[name], "must be a string")
    return tuple(body.get(name) for name in names)


def read_dataset_id(request: HttpRequest) -> DatasetId:
    """Read the dataset in the path: `/namespaces/s3%3A%2F%2Flake/datasets/raw`."""
    return DatasetId(NAMESPACE.read(request), DATASET.read(request))


def read_job_id(request: HttpRequest) -> JobId:
    """Read the job in the path."""
    return JobId(JOB_NAMESPACE.read(request), JOB.read(request))
