"""Tuesday: the warehouse's own producers. Their packages from PyPI made the events, or a server of theirs sent them."""

import json
import re
from pathlib import Path

from tests.e2e.aws_week.conftest import GLUE, TRINO

HERE = Path(__file__).parent
TRINOS = HERE.parents[1] / "unit" / "queries" / "producers" / "trino_476.jsonl"


def recorded(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))["events"]


def test_airflows_dag_on_mwaa_is_a_graph_of_its_tasks(week):
    """The Athena operator names its tables in Athena, the Glue operator none: the job in Glue is test_spark_jobs.py's.

    Ours: the scheduler. `record_airflow.py` calls the provider's operators and its adapter, as its listener does.
    """
    week.send(recorded("airflow.json"))

    picture = "glue table/web/daily -> mwaa sales.by_country -> glue table/web/by_country"
    assert picture in week.drawn(f"dataset:{GLUE}:table/web/daily")
    children = week.get("namespaces/mwaa/jobs/sales/children")["jobs"]
    assert [(each["name"], each["latestRun"]["state"]) for each in children] == [
        ("sales.by_country", "COMPLETED"),
        ("sales.daily", "COMPLETED"),
    ]


def test_a_model_of_dbt_continues_from_the_table_of_airflow(week):
    """Ours: the results of the run, in dbt's form; dbt-athena wrote the manifest (`record_dbt.py`)."""
    week.send([*recorded("airflow.json"), *recorded("dbt.json")])

    assert week.drawn(f"dataset:{GLUE}:table/web/daily") == [
        "glue table/web/by_country -> dbt awsdatacatalog.web.shop.large_countries -> glue table/web/large_countries",
        "glue table/web/daily -> mwaa sales.by_country -> glue table/web/by_country",
    ]


def test_queries_of_trino_are_a_graph_of_tables_and_views(week):
    """Trino 476 sent the events itself. Ours: nothing."""
    week.send(json.loads(line) for line in TRINOS.read_text(encoding="utf-8").splitlines())

    lines = week.drawn(f"dataset:{TRINO}:memory.default.top")
    assert [re.sub(r"trino (memory\.default\.)?|trino-lake \d+_\d+_|_gw65i", "", line) for line in lines] == [
        "europe + sales -> 00004 -> top",
        "nations + tpch.tiny.customer + tpch.tiny.orders -> 00002 -> sales",
        "sales -> 00003 -> europe",
        "tpch.tiny.nation + tpch.tiny.region -> 00000 -> nations",
        "00001 -> sales",
    ]
