"""The layers of the estate, each made of the previous layer: topics, bronze, silver, staging."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from examples.company.model import BROKER, DBT, LAKE, SPARK, WAREHOUSE, Dataset, Job, Source, Write
from examples.company.schemas import PERSONAL, TABLES, columns_of, type_of

TEAMS: Mapping[str, str] = MappingProxyType(
    {
        "shop": "team:shop",
        "crm": "team:customers",
        "catalogue": "team:catalogue",
        "web": "team:marketing",
        "erp": "team:finance",
        "logistics": "team:logistics",
        "people": "team:people",
    }
)
STAGED = 40
"""The tables staged by dbt; the remaining tables end in the lake."""
_QUARANTINED = 18
# A format in a path appears in every name.
_SUFFIXES: Mapping[str, str] = MappingProxyType(
    {"payments": "/v3/format=parquet/compression=zstd", "orders": "", "sessions": "/v1/format=delta"}
)


def all_tables() -> list[tuple[str, str]]:
    """List every table of every system, as area and name."""
    return [(area, table) for area, tables in TABLES.items() for table in tables]


def a_table(
    namespace: str, name: str, columns: Iterable[str], owner: str = "", *tags: str, pii: bool = False
) -> Dataset:
    """Build a dataset with types by its columns' names; with `pii`, its personal columns are tagged."""
    types = {column: type_of(column) for column in columns}
    return Dataset(namespace, name, types, owner, tags, frozenset(types) & PERSONAL if pii else frozenset())


def copy_columns(source: Dataset, columns: Iterable[str] | None = None) -> dict[str, list[Source]]:
    """Build copies of a dataset's columns, by default of all."""
    return {column: [Source(source, column)] for column in (source.columns if columns is None else columns)}


def build_calendar(parent: Job) -> Job:
    """Build the job for the dates of all years, an input of nearly every job."""
    columns = ("date", "year", "quarter", "month", "week", "fiscal_period", "is_holiday")
    calendar = a_table(LAKE, "silver/reference/dim_date", columns, "team:analytics", "tier:silver")
    return Job(SPARK, "spark.dim_date", (), (Write(calendar),), "team:analytics", 2, 1, parent)


def build_rates(parent: Job) -> Job:
    """Build the job for the rates of the central bank."""
    topic = a_table(BROKER, "ecb.exchange_rates", ("currency", "rate", "valid_on"))
    rates = a_table(LAKE, "silver/reference/exchange_rates", topic.columns, "team:finance", "tier:silver")
    return Job(
        SPARK, "spark.exchange_rates", (topic,), (Write(rates, copy_columns(topic)),), "team:finance", 3, 1, parent
    )


def build_bronze(parent: Job) -> dict[str, Job]:
    """Build the landing job of each topic, by table."""
    jobs = {}
    for number, (area, table) in enumerate(all_tables()):
        topic = a_table(BROKER, f"cdc.{area}.{table}", columns_of(area, table))
        name = f"bronze/{area}/{table}{_SUFFIXES.get(table, '')}"
        landed = a_table(LAKE, name, (*topic.columns, "ingested_at"), TEAMS[area], "tier:bronze", pii=True)
        write = Write(landed, copy_columns(topic))
        jobs[table] = Job(SPARK, f"spark.bronze_{table}", (topic,), (write,), TEAMS[area], 5 + number, 4, parent)
    return jobs


def build_silver(bronze: Mapping[str, Job], calendar: Dataset, parent: Job) -> dict[str, Job]:
    """Build the cleaning job of each table of bronze, by table: it writes the table and its history."""
    jobs = {}
    for number, (area, table) in enumerate(all_tables()):
        source = bronze[table].writes[0].dataset
        names = [column for column in source.columns if column != "ingested_at"]
        clean = a_table(LAKE, f"silver/{area}/{table}", names, TEAMS[area], "tier:silver", pii=True)
        past = a_table(LAKE, f"silver/{area}/{table}_history", (*names, "valid_from_on", "valid_to_on"), TEAMS[area])
        rows = (Source(calendar, "date", role="JOIN"), Source(source, names[0], role="FILTER"))
        writes = [Write(clean, _clean(source, names), rows), Write(past, _clean(source, names), rows)]
        if number < _QUARANTINED:
            writes.append(Write(a_table(LAKE, f"quarantine/{area}/{table}", source.columns), copy_columns(source)))
        jobs[table] = Job(
            SPARK, f"spark.silver_{table}", (source, calendar), writes, TEAMS[area], 70 + number, 6, parent
        )
    return jobs


def _clean(source: Dataset, names: Iterable[str]) -> dict[str, list[Source]]:
    return {name: [_clean_column(source, name)] for name in names}


def _clean_column(source: Dataset, column: str) -> Source:
    """Build the source of a column in silver: account numbers are hashed, numbers cast, texts trimmed."""
    kind = type_of(column)
    if column == "iban":
        return Source(source, column, f"sha2({column}, 256)", masked=True)
    if kind.startswith("decimal"):
        return Source(source, column, f"cast({column} as {kind})")
    if column in ("country", "currency", "email", "city"):
        return Source(source, column, f"trim(upper({column}))" if column != "email" else "lower(email)")
    return Source(source, column)


def build_staging(silver: Mapping[str, Job], calendar: Dataset, parent: Job, root: Job) -> dict[str, Job]:
    """Build the dbt models to stage tables of silver in the warehouse, by table."""
    jobs = {}
    for number, (_, table) in enumerate(all_tables()[:STAGED]):
        source = silver[table].writes[0].dataset
        staged = a_table(WAREHOUSE, f"nordwind.staging.stg_{table}", source.columns, "team:analytics")
        rows = (Source(calendar, "date", role="JOIN"),)
        sql = f"select {', '.join(list(source.columns)[:8])}\nfrom {{{{ source('silver', '{table}') }}}}"
        jobs[table] = Job(
            DBT,
            staged.name,
            (source, calendar),
            (Write(staged, copy_columns(source), rows),),
            "team:analytics",
            150 + number // 4,
            2,
            parent,
            root,
            sql,
        )
    return jobs
