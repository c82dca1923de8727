r"""Names of an application's jobs: the same in every run of the program.

A job is `{application}.{suffix}`. The suffix is what it writes, as in OpenLineage's own integration for Spark: the
table, or the last two segments of the path.
"""

from __future__ import annotations

import re

from headwater_model.ids import DatasetId
from spark_client.capturing.model import CHANGES_WITHOUT_ROWS, Dataset, Read, Write

_DATE = r"(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?"
_TIME = r"[T_ -]?\d\d[-:_.]?\d\d(?:[-:_.]?\d\d(?:[.,]?\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
# Suffixes of a name that launchers make for each run: Glue's and YARN's ids, UUIDs and other hashes, times.
_OF_A_RUN = re.compile(
    r"(?:^|[\s_.:/-]+)(?:"
    r"jr_[0-9a-f]{16,}"
    r"|(?:application|local|app|spark)[-_]\d{10,}(?:[-_]\d+)?"
    r"|[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}"
    r"|(?=[a-f]*\d)[0-9a-f]{20,}"
    r"|run[-_]\d+(?:[-_][a-z0-9]+)?"
    r"|\d{10,19}"
    rf"|{_DATE}(?:{_TIME})?"
    r")$",
    re.IGNORECASE,
)
# Folders of a date inside a path, as `trim_partitions` removes them from its end.
_FOLDERS_OF_A_DATE = re.compile(r"(?:^|/)(?:19|20)\d\d/(?:0[1-9]|1[0-2])(?:/(?:[0-2]\d|3[01])){0,2}(?=/|$)")
_WHEN = re.compile(r"(?:year|month|day|hour|minute|date|dt|ds|time|timestamp|ts|run|run_?id|batch|batch_?id)=.*", re.I)
_UNSAFE = re.compile(r"[^\w.-]+")
_NOT_A_WORD = re.compile(r"\W+")
_NAMELESS = "spark"
# No dataset has an empty name.
_OF_READS = ("", "")


def application_name(spark_app_name: str) -> str:
    """Return the application's name as a job: of safe characters, without the parts that change with each run.

    A name without any other part keeps them.

    >>> application_name("Nightly emissions"), application_name("nativespark-emissions-jr_0a1b2c3d4e5f60718293a4b5")
    ('Nightly_emissions', 'nativespark-emissions')
    >>> application_name("emissions-2025-11-20T12:00:00+00:00"), application_name("emissions_v2")
    ('emissions', 'emissions_v2')
    """
    return _UNSAFE.sub("_", _without_run(spark_app_name.strip())).strip("_.-") or _NAMELESS


def suffix_of(dataset: Dataset) -> str:
    """Return the suffix of a job that writes the dataset: its table, or the end of its path.

    >>> from spark_client.capturing.model import Symlink
    >>> suffix_of(Dataset(DatasetId("s3://flights", "raw/2013/flights.parquet")))
    '2013_flights_parquet'
    >>> warehouse = Symlink("arn:aws:glue:eu-west-1:1", "table/emissions/estimated")
    >>> suffix_of(Dataset(DatasetId("s3://lake", "warehouse/x"), symlinks=(warehouse,)))
    'emissions_estimated'

    It is the same in two runs with different paths:

    >>> suffix_of(Dataset(DatasetId("s3://flights", "raw/2013-01-01/flights/day=2013-01-01/checked")))
    'flights_checked'
    """
    tables = [link.name for link in dataset.symlinks if link.type == "TABLE"]
    segments = _of_every_run((tables or [dataset.id.name])[0])
    return _NOT_A_WORD.sub("_", "_".join(segments[-2:])).strip("_") or "root"


def _of_every_run(name: str) -> list[str]:
    """Return the segments of a path that are the same in every run: no dates, no ids."""
    segments = map(_without_run, _FOLDERS_OF_A_DATE.sub("", name).split("/"))
    return [
        segment for segment in segments if segment and not (_WHEN.fullmatch(segment) or _OF_A_RUN.fullmatch(segment))
    ]


def _without_run(name: str) -> str:
    """Return the name without the suffix of one run, unless that is all of it."""
    while (shorter := _OF_A_RUN.sub("", name)) not in (name, ""):
        name = shorter
    return name


def _place_of(dataset: DatasetId) -> tuple[str, str]:
    return dataset.namespace, "/".join(_of_every_run(dataset.name))


class JobNames:
    """Names of an application's jobs, for one thread.

    All writes of a dataset from the same inputs are one job; datasets that differ by a date or an id of a run alone are
    the same. Another job of the same name gets `.2`, `.3`, ... in the order in which they come.
    """

    def __init__(self, application: str) -> None:
        self._application = application
        self._names: dict[tuple[tuple[str, str], frozenset[tuple[str, str]]], str] = {}
        self._counts: dict[str, int] = {}

    def name(self, read: Read) -> str:
        """Return the name of the job of a write, or of a read, which is named by the first of its inputs."""
        output = read.output if isinstance(read, Write) else None
        # An effect without rows is a job of its own, beside the one that writes the dataset.
        change = read.change if isinstance(read, Write) and read.change in CHANGES_WITHOUT_ROWS else None
        place = _place_of(output.id) if output else _OF_READS
        if change is not None:
            place = change, place[1]
        key = place, frozenset(_place_of(dataset.id) for dataset in read.inputs)
        if key not in self._names:
            suffix = suffix_of(output) if output else f"read_{suffix_of(read.inputs[0])}"
            base = f"{self._application}.{f'{change.lower()}_' if change else ''}{suffix}"
            count = self._counts[base] = self._counts.get(base, 0) + 1
            self._names[key] = base if count == 1 else f"{base}.{count}"
        return self._names[key]
