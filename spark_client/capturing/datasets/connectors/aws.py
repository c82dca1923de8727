"""Tables of DynamoDB and streams of Kinesis.

OpenLineage's naming has no row for them. Their names have the address of the service in a region, like its names of
Athena; no option names the account. `dynamodb://dynamodb.{region}.amazonaws.com` and the table;
`kinesis://kinesis.{region}.amazonaws.com` and the stream, as in OpenLineage's Spark integration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from spark_client.capturing.datasets.connectors.addresses import find_address
from spark_client.connectors import DatasetId, Described

_AUDIENCES = "com.audienceproject.spark.dynamodb"
_AUDIENCE = f"{_AUDIENCES}.datasource"
_QUBOLE = "org.apache.spark.sql.kinesis"
_AWS_LABS = "org.apache.spark.sql.connector.kinesis"
# Default region of the package by Audience Project.
_AUDIENCES_REGION = "us-east-1"
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d")
_NAME = re.compile(r"[\w.-]+")
_ARN = re.compile(
    r"arn:aws[\w-]*:(?P<service>dynamodb|kinesis):(?P<region>[\w-]+):\d*:(?:table|stream)/(?P<name>[\w.-]+)(?:/.*)?"
)


class DynamoDb:
    """Names of tables, of AWS's source (Glue, EMR) and of Audience Project's; an index is its table's."""

    classes = (
        "dynamodb",
        f"{_AUDIENCE}.DynamoTable",
        f"{_AUDIENCE}.DefaultSource",
        "com.audienceproject.spark.dynamodb",
    )
    getters: Mapping[str, Sequence[str]] = {f"{_AUDIENCE}.DynamoTable": ("options",)}
    options = (
        *("tablename", "region", "endpoint", "dynamodb.input.tablename", "dynamodb.output.tablename"),
        *("dynamodb.table.name", "dynamodb.region", "dynamodb.regionid", "dynamodb.endpoint", "dynamodb.tablearn"),
    )

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Name the table."""
        options = described.options
        side = "output" if described.is_write else "input"
        keys = (f"dynamodb.{side}.tablename", "dynamodb.table.name", "tablename", "dynamodb.tablearn")
        table = _first(options, keys)
        region = _first(options, ("region", "dynamodb.region", "dynamodb.regionid"))
        if region is None and described.name.startswith(_AUDIENCES):
            region = _AUDIENCES_REGION
        endpoint = _first(options, ("endpoint", "dynamodb.endpoint"))
        return [] if table is None else _in_service("dynamodb", table, region, endpoint)


class Kinesis:
    """Names of streams, of the packages by AWS Labs, Qubole and Databricks, and of Glue's source."""

    classes = (
        *("kinesis", "aws-kinesis", _QUBOLE, f"{_QUBOLE}.KinesisSourceProvider", f"{_QUBOLE}.KinesisSink"),
        *(f"{_AWS_LABS}.{name}" for name in ("KinesisV2Table", "KinesisV2TableProvider", "KinesisSink")),
    )
    getters: Mapping[str, Sequence[str]] = {
        f"{_QUBOLE}.KinesisSink": ("sinkOptions",),
        f"{_AWS_LABS}.KinesisSink": ("caseInsensitiveParams",),
    }
    options = tuple(
        f"{prefix}{key}"
        for prefix in ("", "kinesis.")
        for key in ("streamname", "streamarn", "endpointurl", "region", "regionname", "awsregion")
    )

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Name the streams; the packages accept several names, separated by commas."""
        options = {key.removeprefix("kinesis."): value for key, value in described.options.items()}
        names = _first(options, ("streamname", "streamarn")) or ""
        region = _first(options, ("region", "regionname", "awsregion"))
        streams = [name for name in names.split(",") if name.strip()]
        named = [_in_service("kinesis", name, region, options.get("endpointurl")) for name in streams]
        return [dataset for each in named for dataset in each]


def _in_service(service: str, name: str, region: str | None, endpoint: str | None) -> Sequence[DatasetId]:
    """Name a table or stream at its endpoint; an ARN names its own region.

    >>> _in_service("kinesis", "orders", None, "https://kinesis.eu-west-1.amazonaws.com")
    [DatasetId(namespace='kinesis://kinesis.eu-west-1.amazonaws.com', name='orders')]
    >>> _in_service("dynamodb", "arn:aws:dynamodb:eu-west-1:111122223333:table/orders", "us-east-1", None)
    [DatasetId(namespace='dynamodb://dynamodb.eu-west-1.amazonaws.com', name='orders')]
    >>> _in_service("dynamodb", "orders", None, None)
    []
    """
    arn = _ARN.fullmatch(name.strip())
    if arn is not None and arn["service"] == service:
        name, region = arn["name"], arn["region"]
    if not _NAME.fullmatch(name.strip()):
        return []
    if endpoint:
        host = find_address(re.sub(r"^https?://|/$", "", endpoint.strip()), None)
    else:
        known = region is not None and _REGION.fullmatch(region.strip())
        domain = "amazonaws.com.cn" if str(region).startswith("cn-") else "amazonaws.com"
        host = f"{service}.{str(region).strip()}.{domain}" if known else None
    return [DatasetId(f"{service}://{host}", name.strip())] if host else []


def _first(options: Mapping[str, str], keys: Iterable[str]) -> str | None:
    return next((options[key] for key in keys if options.get(key)), None)
