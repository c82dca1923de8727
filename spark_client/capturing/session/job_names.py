"""Names of an application's jobs during one capture: each write of a dataset from the same inputs is one job."""

from __future__ import annotations

from headwater_model.ids import DatasetId
from spark_client.capturing.model import Dataset, Read, Write
from spark_client.job_names import segments_of_every_run, suffix_of

# No dataset has an empty name.
_OF_READS = ("", "")


def _place_of(dataset: DatasetId) -> tuple[str, str]:
    return dataset.namespace, "/".join(segments_of_every_run(dataset.name))


def _suffix_of(dataset: Dataset) -> str:
    """Return the suffix of a job that writes the dataset: by its table, if it has one."""
    tables = [link.name for link in dataset.symlinks if link.type == "TABLE"]
    return suffix_of((tables or [dataset.id.name])[0])


class JobNames:
    """Names of an application's jobs, for one thread.

    All writes of a dataset from the same inputs are one job; datasets that differ by a date or an id of a run alone are
    the same. Another job of the same name gets `.2`, `.3`, ... in the order in which they come.
    """

    def __init__(self, application: str) -> None:
        self._application = application
        self._names: dict[tuple[tuple[str, str], frozenset[tuple[str, str]]], str] = {}
        self._counts: dict[str, int] = {}

    def name(self, read: Read) -> str:
        """Return the name of the job of a write, or of a read, which is named by the first of its inputs."""
        output = read.output if isinstance(read, Write) else None
        # An effect without rows is a job of its own, beside the one that writes the dataset.
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
