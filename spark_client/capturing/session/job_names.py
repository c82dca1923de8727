"""Names of an application's jobs during a capture: writes of a dataset from the same inputs are the same job."""

from __future__ import annotations

from headwater_model.ids import DatasetId
from spark_client.capturing.model import Dataset, Read, Write
from spark_client.job_names import segments_of_every_run, suffix_of

# No dataset has an empty name.
_OF_READS = ("", "")


def _place_of(dataset: DatasetId) -> tuple[str, str]:
    return dataset.namespace, "/".join(segments_of_every_run(dataset.name))


def _suffix_of(dataset: Dataset) -> str:
    """Make the suffix of a job into the dataset: by its table, or else by its own name."""
    tables = [link.name for link in dataset.symlinks if link.type == "TABLE"]
    return suffix_of((tables or [dataset.id.name])[0])


class JobNames:
    """Names of an application's jobs, for one thread.

    Datasets are the same if only a date or a run's id differs: `/day=2026-01-01/out` and `/day=2026-01-02/out`. Further
    jobs of the same name get `.2`, `.3`, ... in their order.
    """

    def __init__(self, application: str) -> None:
        self._application = application
        self._names: dict[tuple[tuple[str, str], frozenset[tuple[str, str]]], str] = {}
        self._counts: dict[str, int] = {}

    def name(self, read: Read) -> str:
        """Name the job of a write by its output, `etl.trips`; of a read by its first input, `etl.read_trips`."""
        output = read.output if isinstance(read, Write) else None
        # A statement without rows is a job of its own, beside the job of the dataset's rows: `etl.drop_trips`.
        effect = read.without_rows if isinstance(read, Write) else None
        place = _place_of(output.id) if output else _OF_READS
        if effect is not None:
            place = effect, place[1]
        key = place, frozenset(_place_of(dataset.id) for dataset in read.inputs)
        if key not in self._names:
            suffix = _suffix_of(output) if output else f"read_{_suffix_of(read.inputs[0])}"
            base = f"{self._application}.{f'{effect}_' if effect else ''}{suffix}"
            count = self._counts[base] = self._counts.get(base, 0) + 1
            self._names[key] = base if count == 1 else f"{base}.{count}"
        return self._names[key]
