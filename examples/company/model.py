"""Values of which the company's estate is made: datasets with columns, jobs, and where a written column comes from."""

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
    """A dataset: `columns` are names with types, `tags` those of the dataset, `personal` its columns tagged `pii`.

    `partition` is the dimension of its daily partitions: its job writes one a night. It is empty if it has none.
    The estate has one object for each dataset.
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
    """A column that a written column is made of: by `expression`, or copied without one.

    `role` is the part that it plays where it decides only which rows there are: JOIN, FILTER, GROUP_BY.
    """

    dataset: Dataset
    column: str
    expression: str = ""
    masked: bool = False
    role: str = ""


@dataclass(frozen=True, eq=False)
class Write:
    """A dataset that a job writes, with the sources of its columns and of its rows."""

    dataset: Dataset
    columns: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    rows: Sequence[Source] = ()


@dataclass(frozen=True, eq=False)
class Job:
    """A job that runs once a night, `starts_min` minutes after its begin, for about `takes_min` minutes.

    `parent` is the job that starts it, `root` the one that starts that. With `reads_day_before`, it reads the partition
    of the day before, of each dataset that has daily partitions.
    """

    namespace: str
    name: str
    reads: Sequence[Dataset]
    writes: Sequence[Write]
    owner: str
    starts_min: int
    takes_min: int = 3
    parent: Job | None = None
    root: Job | None = None
    sql: str = ""
    streams: bool = False
    reads_day_before: bool = False


@dataclass(frozen=True, eq=False)
class Estate:
    """All jobs of the company, and the datasets that they read and write."""

    jobs: tuple[Job, ...]

    @property
    def datasets(self) -> dict[tuple[str, str], Dataset]:
        """Datasets by namespace and name."""
        used = [dataset for job in self.jobs for dataset in (*job.reads, *(write.dataset for write in job.writes))]
        return {(dataset.namespace, dataset.name): dataset for dataset in used}

    def job(self, name: str) -> Job:
        """Return the job of this name. Raises KeyError."""
        return {job.name: job for job in self.jobs}[name]
