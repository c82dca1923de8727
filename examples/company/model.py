"""The parts of the company's estate: datasets with columns, jobs, and the sources of a written column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

AIRFLOW, SPARK, DBT, BOARDS = "airflow", "spark", "dbt", "dashboards"
BROKER, LAKE, WAREHOUSE = (
    "kafka://broker.nordwind.example:9092",
    "s3://nordwind-lake",
    "snowflake://nordwind.eu-central-1",
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A dataset: `columns` are names with types, `tags` its own tags, `personal` its columns tagged `pii`.

    `partition` is the dimension of its daily partitions: its job writes a partition a night. Empty without partitions.
    The estate has a single object for each dataset.
    """

    namespace: str
    name: str
    columns: Mapping[str, str]
    owner: str = ""
    tags: tuple[str, ...] = ()
    personal: frozenset[str] = frozenset()
    partition: str = ""


@dataclass(frozen=True, eq=False)
class Source:
    """A source of a written column: by `expression`, or as a copy without it.

    `role` is its part in the choice of rows: JOIN, FILTER, GROUP_BY.
    """

    dataset: Dataset
    column: str
    expression: str = ""
    masked: bool = False
    role: str = ""


@dataclass(frozen=True, eq=False)
class Write:
    """A written dataset, with the sources of its columns and of its rows."""

    dataset: Dataset
    columns: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    rows: Sequence[Source] = ()


@dataclass(frozen=True, eq=False)
class Job:
    """A job that runs once a night, `starts_min` minutes after its begin, for about `lasts_min` minutes.

    `parent` is the job that starts it, `root` the job that starts the parent. With `reads_day_before`, it reads the
    previous day's partition of each dataset with daily partitions.
    """

    namespace: str
    name: str
    reads: Sequence[Dataset]
    writes: Sequence[Write]
    owner: str
    starts_min: int
    lasts_min: int = 3
    parent: Job | None = None
    root: Job | None = None
    sql: str = ""
    streams: bool = False
    reads_day_before: bool = False


@dataclass(frozen=True, eq=False)
class Estate:
    """All jobs of the company, with their datasets."""

    jobs: tuple[Job, ...]

    @property
    def datasets(self) -> dict[tuple[str, str], Dataset]:
        """Datasets by namespace and name."""
        used = [dataset for job in self.jobs for dataset in (*job.reads, *(write.dataset for write in job.writes))]
        return {(dataset.namespace, dataset.name): dataset for dataset in used}

    def job(self, name: str) -> Job:
        """Find a job by name. Raises KeyError."""
        return {job.name: job for job in self.jobs}[name]
