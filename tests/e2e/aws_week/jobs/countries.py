"""A SQL job over the tables of a catalog: `countries.py FORMAT ORDERS COUNTRIES`."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from spark_client import capture


def main(form: str, orders: str, countries: str) -> None:
    """Fill a table, and a second table by it; without OpenLineage's listener the line of capture reports both."""
    spark = SparkSession.builder.appName("countries").getOrCreate()
    if not spark.sparkContext.getConf().get("spark.extraListeners"):
        capture(spark)
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {orders.rpartition('.')[0]}")
    spark.sql(f"CREATE TABLE {orders} (id INT, country STRING) USING {form.format(orders)}")
    spark.sql(f"CREATE TABLE {countries} (country STRING, orders BIGINT) USING {form.format(countries)}")
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'NZ')")
    spark.sql(f"INSERT INTO {countries} SELECT country, count(*) FROM {orders} GROUP BY country")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
