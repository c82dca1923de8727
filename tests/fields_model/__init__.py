"""A plainly correct model of fields: every result is computed anew from the whole set of statements.

It shares only the result types of `headwater.queries.columns` and the columns of `headwater_model`. `tests.runs_model`
gives versions, positions, the inputs of runs, names, and hidden datasets.

Where the rules leave room, the model decides:

- A report on a dataset counts even if the event does not list the dataset among its outputs. Such a reporter is no
  current writer and makes no version, but its report counts in its time range.
- A deleted facet counts as missing. The latest DatasetEvent with any facet of columns counts, under any name of the
  dataset: if all its facets are deleted, nothing is declared any more.
- A dataset known as a source alone is hidden if it, or its namespace, was ever deleted; no query finds it.
- A run's uses of a dataset under several names are a single use.
- A schema facet without fields is no schema.
- As of a time: the requested columns and their sources are as of then; the versions read by their runs, and all
  further sources, use all facts. Datasets hidden then are neither requested columns nor their sources.
  With downstream columns, the graph is the current graph of the statements before then. Nothing uses later facts.
- A current writer without a report is shown as the version of its last known run.
- In a time range each JobEvent, and each DatasetEvent with columns, counts at its own time.
"""

from tests.fields_model.model import FieldModel

__all__ = ["FieldModel"]
