"""Tables and paths met by an application: `DROP TABLE trips` has a name, and no place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater_model.columns import ColumnLineage, ColumnSource, Sources
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.latest import Latest
from spark_client.capturing.model import Dataset, Symlink, Write
from spark_client.capturing.plans.values import IDENTITY

_TABLES_MAX = 1_000
# Statements with the columns of their source.
_COPIES = ("rename", "clone", "snapshot")


class MetTables:
    """Latest tables read or written, by their names in a catalog and by their places."""

    def __init__(self) -> None:
        self._by_name: Latest[DatasetId, Dataset] = Latest(_TABLES_MAX)

    def with_places(self, writes: Iterable[Write]) -> list[Write]:
        """Add the places of tables to complete writes, in order: `DROP TABLE trips` drops `s3://lake/trips`.

        A statement such as `DROP TABLE IF EXISTS` is left out unless its table was met.
        """
        completed = []
        for write in writes:
            if write.if_met and (write.renamed_from or write.output.id) not in self._by_name:
                continue
            if write.without_rows in _COPIES:
                placed = self._copied(write)
            else:
                placed = self._of_place(write) if write.without_rows else write
            self._meet(placed)
            completed.append(placed)
        return completed

    def _meet(self, write: Write) -> None:
        if write.failure is not None:
            return
        for dataset in (*write.inputs, write.output):
            for name in (dataset.id, *(DatasetId(link.namespace, link.name) for link in dataset.symlinks)):
                self._by_name.pop(name, None)
                if write.change != "DROP" and not (write.change == "RENAME" and dataset is not write.output):
                    self._by_name[name] = dataset

    def _of_place(self, write: Write) -> Write:
        output = self._placed(write.output)
        if write.without_rows == "alter":
            fields = {field.name: field for field in (*output.schema, *write.added)}
            output = replace(output, schema=tuple(fields.values()) if write.added and output.schema else ())
        return replace(write, output=output, inputs=tuple(self._placed(dataset) for dataset in write.inputs))

    def _copied(self, write: Write) -> Write:
        """Complete a rename, clone or snapshot: each column comes from its namesake in the source."""
        before = self._placed(write.inputs[0]) if write.inputs else Dataset(write.output.id)
        columns: dict[FieldPath, Sources] = {
            (column.name,): {ColumnSource(before.id, (column.name,)): frozenset({IDENTITY})} for column in before.schema
        }
        return replace(
            write,
            output=replace(write.output, schema=before.schema),
            inputs=(before,) if write.inputs else (),
            columns=ColumnLineage(columns),
            tier="full" if columns else "tables",
            renamed_from=before.id if write.change == "RENAME" else None,
        )

    def _placed(self, dataset: Dataset) -> Dataset:
        met = self._by_name.get(dataset.id)
        if met is None:
            return dataset
        symlinks = [*met.symlinks, *([] if met.id == dataset.id else [Symlink(dataset.id.namespace, dataset.id.name)])]
        schema = dataset.schema or met.schema
        return replace(dataset, id=met.id, schema=schema, symlinks=tuple(dict.fromkeys(symlinks)))
