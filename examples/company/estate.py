"""The whole estate: its layers, its orchestration, its streams, and jobs outside the layers."""

from __future__ import annotations

from collections.abc import Mapping

from examples.company.layers import (
    a_table,
    build_bronze,
    build_calendar,
    build_rates,
    build_silver,
    build_staging,
    copy_columns,
)
from examples.company.model import AIRFLOW, BOARDS, DBT, LAKE, SPARK, Dataset, Estate, Job, Write
from examples.company.warehouse import build_boards, build_gold, build_marts

_A_LONG_NAME = "reconcile_" + "_and_".join(
    f"{word}_with_the_ledger_of_the_previous_month" for word in ("orders", "payments", "refunds", "shipments")
)
_MARKUP = "<b>monthly</b> & \"quarterly\" <script>alert('figures')</script>"


def build_estate() -> Estate:
    """Build the company's estate: 300 jobs, 500 datasets, seven namespaces.

    >>> estate = build_estate()
    >>> len(estate.jobs), len(estate.datasets)
    (300, 500)
    """
    daily = Job(AIRFLOW, "nordwind_daily", (), (), "team:platform", 0, 330)
    models = Job(DBT, "dbt-run-nordwind", (), (), "team:analytics", 149, 120, daily, daily)
    mornings = Job(AIRFLOW, "boards_morning", (), (), "team:analytics", 275, 50)
    weekly = Job(AIRFLOW, "nordwind_weekly", (), (), "team:platform", 320, 40)
    # Each layer reads the layers before it.
    calendar_job, rates_job = build_calendar(daily), build_rates(daily)
    calendar, rates = calendar_job.writes[0].dataset, rates_job.writes[0].dataset
    bronze = build_bronze(daily)
    silver = build_silver(bronze, calendar, daily)
    staging = build_staging(silver, calendar, models, daily)
    known = {f"stg_{table}": job.writes[0].dataset for table, job in staging.items()}
    gold = build_gold({**known, "exchange_rates": rates}, calendar, models, daily)
    marts = build_marts(gold, calendar, models, daily)
    boards = build_boards(marts, mornings)
    layers = (bronze, silver, staging, gold, marts, boards)
    return Estate(
        (
            *(daily, models, mornings, weekly, calendar_job, rates_job),
            *(job for layer in layers for job in layer.values()),
            *_streams(bronze),
            *_oddities(gold, bronze, calendar, weekly),
        )
    )


def _streams(bronze: Mapping[str, Job]) -> list[Job]:
    jobs = []
    for table, owner in (("clicks", "team:marketing"), ("bins", "team:logistics")):
        topic = bronze[table].reads[0]
        live = a_table(LAKE, f"silver/live/{table}", topic.columns, owner)
        jobs.append(
            Job(SPARK, f"spark.stream_{table}", (topic,), (Write(live, copy_columns(topic)),), owner, 0, streams=True)
        )
    return jobs


def _oddities(gold: Mapping[str, Job], bronze: Mapping[str, Job], calendar: Dataset, weekly: Job) -> list[Job]:
    """Build jobs with names and fates unlike a tidy estate."""
    orders, postings = gold["fct_orders"].writes[0].dataset, gold["fct_postings"].writes[0].dataset
    raw_orders = bronze["orders"].writes[0].dataset
    outputs = {
        "売上_日次集計": (orders, f"{LAKE}", "売上/日次/集計"),
        f"={_MARKUP}": (postings, BOARDS, f"900:{_MARKUP}"),
        f"spark.{_A_LONG_NAME}": (
            postings,
            LAKE,
            f"exports/reconciliation/{_A_LONG_NAME}/year=2026/format=parquet/part-00000",
        ),
        "spark.fax_orders": (raw_orders, LAKE, "silver/shop/fax_orders"),
        "nordwind.marts.gift_cards_by_day": (orders, LAKE, "exports/gift_cards_by_day"),
        "spark.backup_orders": (raw_orders, LAKE, "silver/shop/orders_backup"),
        "spark.gpu_forecast": (orders, LAKE, "silver/forecast/demand"),
    }
    # Totals of complete days alone: the night's additions are read the night after.
    late = "売上_日次集計"
    jobs = []
    for number, (name, (source, namespace, target)) in enumerate(outputs.items()):
        reads = (source, calendar) if number < 5 else (source,)
        table = a_table(namespace, target, source.columns, "team:finance" if number in (1, 2) else "")
        owner = "team:finance" if number in (1, 2) else "team:platform"
        write = Write(table, copy_columns(source))
        jobs.append(Job(SPARK, name, reads, (write,), owner, 322 + number, 5, weekly, reads_day_before=name == late))
    return jobs
