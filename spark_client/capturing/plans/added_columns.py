"""Columns of a leaf beside its table's own: `_metadata` of files, `_file` of Iceberg, `_change_type` of changes."""

from __future__ import annotations

import re

from spark_client.capturing.plans.plan import Node, kinds

# Spark's mark of a metadata column, with its name.
_MARK = re.compile(r'"__metadata_col":"([^"\\]+)"')
# Iceberg's columns of format 3; in UPDATE and MERGE of Spark 3.5 they lose the mark.
_ROW_LINEAGE = kinds("_row_id _last_updated_sequence_number")
ICEBERGS_CHANGES = "SparkChangelogTable"
# Columns in tables of changes: of Iceberg, and of Spark's `CHANGES FROM VERSION`.
_CHANGES = {
    ICEBERGS_CHANGES: kinds("_change_type _change_ordinal _commit_snapshot_id"),
    "ChangelogTable": kinds("_change_type _commit_version _commit_timestamp"),
}


def added_columns(leaf: Node) -> frozenset[str]:
    """Name the columns of a leaf that are made of nothing.

    >>> leaf = Node(0, "DataSourceV2Relation")
    >>> leaf.values = {"schema": '{"fields":[{"name":"_file","metadata":{"__metadata_col":"_file"}}]}'}
    >>> added_columns(leaf)
    frozenset({'_file'})
    """
    schema, own = leaf.text("schema") or "", leaf.at("relation", "schema")
    added = frozenset(_MARK.findall(schema)) | _CHANGES.get(str(leaf.at("table", "class")), frozenset())
    if isinstance(own, str):  # files may have a column of their own with such a name
        return frozenset(name for name in added if f'"name":"{name}"' not in own)
    # A change of rows wraps the table.
    providers = leaf.at("table", "properties", "provider"), leaf.at("table", "table", "properties", "provider")
    return added | _ROW_LINEAGE if "iceberg" in providers else added
