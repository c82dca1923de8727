"""Tables of a Spark session by the names of the service, and the events of a checked job under these names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.cli.service import Get, NoResponse
from headwater_model.ids import DatasetId
from spark_client.capturing.databases.jdbc import is_database

_HITS = 100
# In the statements that make empty tables: their events are no proposal.
MARK = "headwater.check"


def find_table(get: Get, table: str) -> DatasetId:
    """Find the dataset of a table, `shop.orders`: the last parts of the name are equal.

    Raises:
        NoResponse: no dataset, or several, have such a name.
    """
    parts = table.lower().split(".")[-2:]
    query = {"q": parts[-1], "filter": "DATASET", "limit": _HITS, "form": "summary"}
    hits = [DatasetId(hit["namespace"], hit["name"]) for hit in get("/api/v1/search", query)["results"]]
    names = [hit for hit in hits if last_parts(hit.name, len(parts)) == parts]
    if len(names) != 1:
        several = f": {', '.join(name.node_id for name in names)}" if names else ""
        raise NoResponse(f"table {table}: must be a single dataset of the service, got {len(names)}{several}")
    return names[0]


def last_parts(name: str, count: int) -> list[str]:
    """Split the end of a dataset's name: a folder of a database is the database.

    >>> last_parts("warehouse/shop.db/orders", 2), last_parts("table/shop/orders", 2), last_parts("x.shop.Orders", 2)
    (['shop', 'orders'], ['shop', 'orders'], ['shop', 'orders'])
    """
    return re.split(r"[./]", name.lower().rstrip("/").replace(".db/", "/"))[-count:]


def proposed_events(lines: Iterable[str], get: Get, warehouse: str) -> Iterator[Any]:
    """Yield the events of a checked job; a table in the sandbox's warehouse has its name in the service.

    A new table keeps the name of the sandbox.
    """
    names: dict[str, DatasetId | None] = {}
    for line in lines:
        document = json.loads(line)
        if "eventType" in document and MARK not in line:
            pending = [document]
            while pending:
                thing = pending.pop()
                pending += thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else ()
                if isinstance(thing, dict) and str(thing.get("name", "")).startswith("/"):
                    _rename(thing, names, get, warehouse)
            yield document


def _rename(thing: dict[str, Any], names: dict[str, DatasetId | None], get: Get, warehouse: str) -> None:
    name = thing["name"]
    # The folder of a database's table.
    if is_database(DatasetId(str(thing.get("namespace")), name)):
        thing["name"] = name.lstrip("/")
    if not name.startswith(warehouse):
        return
    if name not in names:
        try:
            names[name] = find_table(get, ".".join(last_parts(name[len(warehouse) :].strip("/"), 2)))
        except NoResponse:
            names[name] = None
    if dataset := names[name]:
        thing["namespace"], thing["name"] = dataset.namespace, dataset.name
