"""Lineage of Glue's DynamicFrames: of what AWS's own examples do, transform by transform."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.capture.glue_jobs import (
    catalog,
    glue_case,
    on_path,
    spark_case,
    to_json,
    watching,
)
from tests.spark.capture.specification import Case

# AWS's package makes PySpark's contexts and frames by their constructors.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Deprecated in 3.0.0:FutureWarning"),
    pytest.mark.filterwarnings("ignore:DataFrame constructor is internal:UserWarning"),
]

MAPPINGS = [
    ("id", "string", "person_id", "string"),
    ("age", "int", "age", "bigint"),
    ("address.city", "string", "city", "string"),
    ("family_name", "string", "name.last", "string"),
    ("name", "string", "name.first", "string"),
]
MAPPED = """
    person_id <- persons.id IDENTITY
    age <- persons.age TRANSFORMATION
    city <- persons.address.city IDENTITY
    name.last <- persons.family_name IDENTITY
    name.first <- persons.name IDENTITY
"""
_ALL = ("id", "name", "family_name", "age", "address", "links", "titles")


def same(*names: str, of: str = "persons") -> str:
    return "\n".join(f"{name} <- {of}.{name} IDENTITY" for name in names)


def opaque(kind: str, *names: str, of: str = "persons", how: str) -> str:
    return ", ".join(f"{of}.{name} {how} (opaque: {kind})" for name in names)


def persons(glue: Any) -> Any:
    return catalog(glue, "persons")


def mapped(glue: Any) -> Any:
    from awsglue.transforms import ApplyMapping

    return ApplyMapping.apply(frame=persons(glue), mappings=MAPPINGS, transformation_ctx="mapped")


def selected(glue: Any, *paths: str) -> Any:
    return persons(glue).select_fields(list(paths))


def is_adult(record: Any) -> bool:
    return bool(record["age"] > 18)


def shout(record: Any) -> Any:
    return {"name": record["name"].upper()}


def joined(glue: Any) -> Any:
    """Return AWS's example of joining and relationalizing data, up to its history."""
    from awsglue.transforms import Join

    orgs = (
        catalog(glue, "organizations")
        .drop_fields(["type"])
        .rename_field("id", "org_id")
        .rename_field("name", "org_name")
    )
    members = Join.apply(persons(glue).select_fields(["id", "name"]), catalog(glue, "memberships"), "id", "person_id")
    return Join.apply(orgs, members, "org_id", "organization_id").drop_fields(["person_id", "org_id"])


ROWS_OF_HISTORY = """
    * <- organizations.id JOIN, memberships.organization_id JOIN, persons.id JOIN, memberships.person_id JOIN
    inputs: organizations, memberships, persons
"""
CASES = [
    glue_case("a table of the catalog is written as it is", persons, same(*_ALL)),
    glue_case("mappings name, cast and nest columns", mapped, MAPPED),
    glue_case("mappings written as JSON, without a command of Spark's", mapped, MAPPED, to_json),
    glue_case(
        "records are filtered by a function of any column",
        lambda glue: selected(glue, "id", "age").filter(is_adult),
        f"{same('id', 'age')}; * <- {opaque('Filter is_adult', 'id', 'age', how='FILTER')}",
    ),
    glue_case(
        "a function makes records of all that goes in",
        lambda glue: selected(glue, "id", "name").map(shout),
        f"name <- {opaque('Map shout', 'id', 'name', how='TRANSFORMATION')}",
    ),
    glue_case(
        "a choice becomes a column for each type",
        lambda glue: persons(glue).resolveChoice(specs=("age", "make_cols")).select_fields(["id", "age_integer"]),
        "id <- persons.id IDENTITY; age_integer <- persons.age TRANSFORMATION",
    ),
    glue_case(
        "whatever is a choice becomes a struct",
        lambda glue: selected(glue, "id", "age").resolveChoice(choice="make_struct"),
        "id <- persons.id SOMEHOW; age <- persons.age SOMEHOW",
    ),
    glue_case(
        "columns that were mapped have no choice",
        lambda glue: mapped(glue).resolveChoice(choice="make_struct").select_fields(["person_id", "age", "city"]),
        "person_id <- persons.id IDENTITY; age <- persons.age TRANSFORMATION; city <- persons.address.city IDENTITY",
    ),
    glue_case(
        "partitions, a spigot and a schema change nothing",
        lambda glue: selected(glue, "id").repartition(2).coalesce(1).spigot("s3://b/samples").with_frame_schema(None),
        same("id"),
    ),
    glue_case(
        "frames are joined by keys, and a name of both gets a dot",
        lambda glue: selected(glue, "id", "name").join(
            "id", "id", catalog(glue, "organizations").select_fields(["id", "seats"])
        ),
        """
        id <- persons.id
        name <- persons.name
        .id <- organizations.id
        seats <- organizations.seats
        * <- persons.id JOIN, organizations.id JOIN
        """,
    ),
    glue_case(
        "columns of two frames that nobody named are of either",
        lambda glue: persons(glue).join("id", "person_id", catalog(glue, "memberships")).select_fields(["id", "role"]),
        """
        id <- persons.id
        role <- unknown
        * <- persons.id JOIN, memberships.person_id JOIN
        inputs: persons, memberships
        """,
    ),
    glue_case(
        "a history is joined of three tables",
        lambda glue: joined(glue).select_fields(["org_name", "id", "name"]),
        f"""
        org_name <- organizations.name IDENTITY
        id <- persons.id IDENTITY
        name <- persons.name IDENTITY
        {ROWS_OF_HISTORY}
        """,
    ),
    glue_case(
        "records of two frames are one after the other",
        lambda glue: selected(glue, "id", "name").union(catalog(glue, "organizations").select_fields(["id", "name"])),
        "id <- persons.id, organizations.id; name <- persons.name, organizations.name",
    ),
    glue_case(
        "newer records take the place of older ones by their keys",
        lambda glue: selected(glue, "id", "name").mergeDynamicFrame(
            catalog(glue, "organizations").select_fields(["id", "name"]), ["id"]
        ),
        """
        id <- persons.id, organizations.id
        name <- persons.name, organizations.name
        * <- persons.id JOIN, organizations.id JOIN
        """,
    ),
    glue_case(
        "structs become columns",
        lambda glue: selected(glue, "id", "address").unnest(),
        """
        id <- persons.id SOMEHOW
        `address.city` <- persons.address.city SOMEHOW
        `address.zip` <- persons.address.zip SOMEHOW
        """,
    ),
    glue_case(
        "an array of structs is a table",
        lambda glue: persons(glue).relationalize("root", "s3://b/tmp").select("root_links"),
        """
        id, index <- nothing
        `links.val.note` <- persons.links.note SOMEHOW
        `links.val.url` <- persons.links.url SOMEHOW
        """,
    ),
    glue_case(
        "a text is read as JSON",
        lambda glue: selected(glue, "id", "name").unbox("name", "json"),
        "id <- persons.id IDENTITY; name <- persons.name TRANSFORMATION",
    ),
    glue_case(
        "texts of DynamoDB are simplified",
        lambda glue: selected(glue, "id").simplify_ddb_json(),
        "id <- persons.id SOMEHOW",
    ),
    glue_case(
        "errors are records that nobody knows",
        lambda glue: selected(glue, "id").errorsAsDynamicFrame(),
        "id <- unknown; inputs: persons",
    ),
    # To Spark and back.
    spark_case(
        "a frame from the catalog without records",
        lambda glue: glue.create_data_frame.from_catalog(database="legislators", table_name="persons").select("id"),
        same("id"),
    ),
    glue_case(
        "the program's own rows have no source",
        lambda glue: glue.create_dynamic_frame.from_rdd(
            glue.spark_session.sparkContext.parallelize([(1, "x")]), "rows", ["a", "b"]
        ),
        "a <- unknown; b <- unknown; inputs: unknown",
    ),
]


@pytest.fixture(scope="module")
def watch(spark: SparkSession, datasets: Path) -> Iterator[Watch]:
    with on_path(), watching(spark) as watch:
        yield watch


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_dynamic_frame_is_written_with_its_lineage(case: Case, check: Callable[[Case], None]) -> None:
    check(case)
