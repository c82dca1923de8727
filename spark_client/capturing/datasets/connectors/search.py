"""Indices of Elasticsearch and OpenSearch, of their Spark packages.

OpenLineage's naming has no row for them. Here the namespace is `elasticsearch://{host}:{port}` or
`opensearch://{host}:{port}`, and the name the index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from spark_client.capturing.datasets.connectors.addresses import find_address
from spark_client.connectors import DatasetId, Described

_PORT = "9200"
_KEYS = ("nodes", "port", "resource", "resource.read", "resource.write", "path")
_SETTINGS = ("getNodes", "getPort", "getResourceRead", "getResourceWrite")
# An index, and a type behind it in old versions; a name with a field of the row in it (`{day}`) is any index.
_RESOURCE = re.compile(r"(?P<names>[^\s/{}?#@\"\\|<>A-Z]+)(?:/\w*)?")


class Search:
    """Names of the indices of a system: `scheme` is its name (`elasticsearch`), `prefix` begins its options (`es`)."""

    def __init__(self, scheme: str, prefix: str, package: str, relation: str, sink: str) -> None:
        self.scheme, self.prefix = scheme, prefix
        relation, sink = f"{package}.{relation}", f"{package}.streaming.{sink}"
        providers = (package, f"{package}.DefaultSource", f"{package}.DefaultSource15")
        self.classes: Sequence[str] = tuple(dict.fromkeys((scheme, prefix, *providers, relation, sink)))
        self.getters: Mapping[str, Sequence[str]] = {
            relation: ("parameters", *(f"cfg.{getter}" for getter in _SETTINGS)),
            sink: tuple(f"settings.{getter}" for getter in _SETTINGS),
        }
        self.options: Sequence[str] = (
            *_KEYS,
            *(f"{before}{prefix}.{key}" for before in ("", "spark.") for key in _KEYS),
        )

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Name the indices; the first node names all nodes."""
        side = "write" if described.is_write else "read"
        values = described.values
        getter = "settings" if "settings.getNodes" in values else "cfg"
        # Settings that the package made have all the options and the conf in them.
        nodes, port = values.get(f"{getter}.getNodes"), values.get(f"{getter}.getPort")
        resource = values.get(f"{getter}.getResource{side.capitalize()}")
        if nodes is None:
            options, conf = self._plain(described.options), self._plain(described.conf)
            resource = _resource(options, side) or _resource(conf, side)
            nodes, port = ({**conf, **options}.get(key) for key in ("nodes", "port"))
        if not isinstance(nodes, str) or not isinstance(resource, str):
            return []
        first = re.sub(r"^https?://|/$", "", nodes.split(",")[0].strip())
        address, match = find_address(first, str(port or _PORT)), _RESOURCE.fullmatch(resource.strip())
        if address is None or match is None or "*" in match["names"]:
            return []
        return [DatasetId(f"{self.scheme}://{address}", name) for name in match["names"].split(",") if name]

    def _plain(self, options: Mapping[str, str]) -> Mapping[str, str]:
        return {key.removeprefix("spark.").removeprefix(f"{self.prefix}."): options[key] for key in options}


def _resource(options: Mapping[str, str], side: str) -> str | None:
    return options.get(f"resource.{side}") or options.get("resource") or options.get("path")


ELASTICSEARCH = Search(
    "elasticsearch", "es", "org.elasticsearch.spark.sql", "ElasticsearchRelation", "EsSparkSqlStreamingSink"
)
OPENSEARCH = Search(
    "opensearch",
    "opensearch",
    "org.opensearch.spark.sql",
    "OpenSearchRelation",
    "OpenSearchSparkSqlStreamingSink",
)
