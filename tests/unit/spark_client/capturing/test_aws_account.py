"""The account of Glue's tables where the configuration has none: a request to STS, by the reading thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from http.server import HTTPServer

import pytest
from moto import mock_aws

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import read_catalogs
from spark_client.capturing.session.driver import _LaterExtractor
from tests.servers import Handler, serving

GLUE = "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"
ON_EMR = {
    "spark.sql.catalogImplementation": "hive",
    "spark.sql.warehouse.dir": "s3://lake/warehouse",
    "hive.metastore.client.factory.class": GLUE,
}
REGION = {"AWS_REGION": "eu-west-1"}


class Conf:
    """Configuration of a session without a JVM."""

    def __init__(self, entries: dict[str, str]) -> None:
        self._entries = entries

    def entries(self, prefixes: Iterable[str]) -> dict[str, str]:
        return {key: value for key, value in self._entries.items() if key.startswith(tuple(prefixes))}

    def hadoop(self, keys: Iterable[str]) -> dict[str, str | None]:
        return {key: self._entries.get(key) for key in keys}

    def session(self, key: str) -> str | None:
        return self._entries.get(key)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Paths of the requests to an STS that refuses them all."""
    paths: list[str] = []

    class Refusing(Handler):
        def post(self) -> None:
            paths.append(self.path)
            self.send_error(403)

    with serving(HTTPServer(("127.0.0.1", 0), Refusing)) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", url)
        yield paths


@mock_aws
@pytest.mark.parametrize("conf", [ON_EMR, {"spark.sql.catalog.spark_catalog.type": "glue"}])
def test_a_glue_table_on_emr_has_the_account_of_the_jobs_credentials(conf: dict[str, str]) -> None:
    named = {"spark.sql.catalog.lake.catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog"}
    catalogs = read_catalogs(Conf({**conf, **named}), REGION)

    table = DatasetId("arn:aws:glue:eu-west-1:123456789012", "table/web/orders")
    assert catalogs.find_table("lake", ["web"], "orders") == table
    assert catalogs.find_glue_table("web", "orders") == table


def test_sts_gets_a_single_request_at_the_first_execution_and_its_refusal_leaves_the_names_with_a_warning(
    refusals: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")

    extractor = _LaterExtractor(Conf(ON_EMR), trims_partitions=True)
    assert refusals == []
    for _ in range(2):
        extractor.locate({})

    assert refusals == ["/"]
    (warning,) = caplog.messages
    assert warning.startswith("tables of Glue have no account in their names, set spark.glue.accountId: ")


@pytest.mark.parametrize(
    ("conf", "environment"),
    [
        ({**ON_EMR, "hive.metastore.glue.catalogid": "111122223333"}, REGION),
        (ON_EMR, {}),
        ({**ON_EMR, "spark.sql.catalogImplementation": "in-memory"}, REGION),
        ({"spark.sql.catalog.lake.warehouse": "s3://lake/ice"}, REGION),
    ],
)
def test_sts_gets_no_request_where_no_name_needs_the_account(
    conf: dict[str, str], environment: dict[str, str], refusals: list[str]
) -> None:
    read_catalogs(Conf(conf), environment)

    assert refusals == []
