"""The queries of TPC-DS and TPC-H, as Spark's own tests have them: texts and tables from Spark's published tests jar.

Nothing of them is copied here: the texts are TPC's, as Spark distributes them, under their own terms.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.peers.oracle import Tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_QUERY = re.compile(r"(?P<folder>[^/]+)/(?P<name>q(?P<number>\d+)[a-z]?)\.sql")
# The tests' class that has the columns of TPC-DS's tables; those of TPC-H are in no class that can be made.
_TPCDS_TABLES = "org.apache.spark.sql.TPCDSTables"
# TPC BENCHMARK H, revision 3.0.1, section 1.4.
TPCH_TABLES = {
    "customer": """c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT, c_phone STRING,
        c_acctbal DECIMAL(12, 2), c_mktsegment STRING, c_comment STRING""",
    "lineitem": """l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT, l_quantity DECIMAL(12, 2),
        l_extendedprice DECIMAL(12, 2), l_discount DECIMAL(12, 2), l_tax DECIMAL(12, 2), l_returnflag STRING,
        l_linestatus STRING, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING,
        l_shipmode STRING, l_comment STRING""",
    "nation": "n_nationkey BIGINT, n_name STRING, n_regionkey BIGINT, n_comment STRING",
    "orders": """o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DECIMAL(12, 2),
        o_orderdate DATE, o_orderpriority STRING, o_clerk STRING, o_shippriority INT, o_comment STRING""",
    "part": """p_partkey BIGINT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size INT,
        p_container STRING, p_retailprice DECIMAL(12, 2), p_comment STRING""",
    "partsupp": """ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, ps_supplycost DECIMAL(12, 2),
        ps_comment STRING""",
    "region": "r_regionkey BIGINT, r_name STRING, r_comment STRING",
    "supplier": """s_suppkey BIGINT, s_name STRING, s_address STRING, s_nationkey BIGINT, s_phone STRING,
        s_acctbal DECIMAL(12, 2), s_comment STRING""",
}


class Benchmark(NamedTuple):
    """Benchmark with its queries by name; `tables` has their columns as Spark's SQL declares them."""

    name: str
    queries: Mapping[str, str]
    tables: Mapping[str, str]


def read_benchmarks(spark: SparkSession, jar: Path) -> tuple[Benchmark, ...]:
    """Return the benchmarks from the tests jar of this Spark.

    TPC-DS has 99 queries, of which four have two parts. Version 2.7 has those texts alone that differ from 1.4's.
    """
    tpcds = _tpcds_tables(spark, jar)
    return (
        Benchmark("TPC-DS 1.4", _read_queries(jar, "tpcds"), tpcds),
        Benchmark("TPC-DS 2.7", _read_queries(jar, "tpcds-v2.7.0"), tpcds),
        Benchmark("TPC-H", _read_queries(jar, "tpch"), TPCH_TABLES),
    )


def _read_queries(jar: Path, folder: str) -> Mapping[str, str]:
    with zipfile.ZipFile(jar) as archive:
        matches = [match for match in map(_QUERY.fullmatch, archive.namelist()) if match and match["folder"] == folder]
        matches.sort(key=lambda match: (int(match["number"]), match["name"]))
        return {match["name"]: archive.read(match[0]).decode() for match in matches}


def _tpcds_tables(spark: SparkSession, jar: Path) -> Mapping[str, str]:
    """Return the columns by table, from a class loader that Spark itself does not see: the jar has services, too."""
    java = spark._jvm
    gateway = spark.sparkContext._gateway
    assert java is not None
    assert gateway is not None
    urls = gateway.new_array(java.java.net.URL, 1)
    urls[0] = java.java.io.File(str(jar)).toURI().toURL()
    loader = java.java.net.URLClassLoader(urls, java.java.lang.Thread.currentThread().getContextClassLoader())
    (constructor,) = loader.loadClass(_TPCDS_TABLES).getDeclaredConstructors()
    arguments = gateway.new_array(java.java.lang.Object, 3)
    # A session, the folder of a generator, a scale: none is used.
    arguments[0], arguments[1], arguments[2] = spark._jsparkSession, "", 1
    rows = constructor.newInstance(arguments).tableColumns().iterator()
    tables: dict[str, str] = {}
    while rows.hasNext():
        row = rows.next()
        tables[row._1()] = row._2()
    return tables


def create_tables(spark: SparkSession, benchmark: Benchmark) -> Tables:
    """Create the benchmark's tables anew, without rows, in the current database; return their columns' types."""
    for name, columns in benchmark.tables.items():
        spark.sql(f"DROP TABLE IF EXISTS {name}")
        spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
    return {
        name: {field.name: field.dataType.simpleString() for field in spark.table(name).schema}
        for name in benchmark.tables
    }
