"""The models of a dbt project as proposed outputs, from the artifacts in `target/`.

A model's columns are known from `catalog.json` (`dbt docs generate`), else from an enforced contract.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headwater.cli.service import Get, NoResponse
from headwater.features.check.proposal import Proposal, ProposedOutput
from headwater.features.check.tables import find_table
from headwater_model.ids import DatasetId, JobId


def read_target(folder: Path, get: Get) -> tuple[Proposal, list[str]]:
    """Read the models; list the models without known columns, or without a single dataset of their name.

    Raises:
        OSError: `manifest.json` cannot be read.
        ValueError: an artifact is no JSON, or has another form.
    """
    manifest, file = _load(folder / "manifest.json"), folder / "catalog.json"
    catalog: Mapping[str, Any] = _load(file) if file.exists() else {"nodes": {}}
    outputs: dict[JobId, dict[DatasetId, ProposedOutput]] = {}
    skipped = []
    for unique_id, node in sorted(manifest["nodes"].items()):
        if node.get("resource_type") not in ("model", "seed", "snapshot"):
            continue
        types = _types(node, catalog["nodes"].get(unique_id))
        try:
            if types is None:
                raise NoResponse("its columns are unknown: run `dbt docs generate`, or enforce a contract")
            name = find_table(get, f"{node['schema']}.{node.get('alias') or node['name']}")
            outputs[JobId("dbt", unique_id)] = {name: ProposedOutput(types)}
        except NoResponse as error:
            skipped.append(f"{unique_id}: not compared: {error}")
    return Proposal(outputs), skipped


def _load(file: Path) -> Mapping[str, Any]:
    document = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or not isinstance(document.get("nodes"), dict):
        raise ValueError(f"{file}: must be an artifact of dbt with nodes")
    return document


def _types(node: Mapping[str, Any], in_catalog: Mapping[str, Any] | None) -> dict[tuple[str, ...], str | None] | None:
    """Map the columns of a model to their types; None if they are unknown."""
    if in_catalog:
        return {(column["name"],): column.get("type") for column in in_catalog["columns"].values()}
    if ((node.get("config") or {}).get("contract") or {}).get("enforced"):
        return {(column["name"],): column.get("data_type") for column in node["columns"].values()}
    return None
