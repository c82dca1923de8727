"""A plainly correct model of fields: every result is computed anew from the whole set of statements.

It shares only the result types of `headwater.queries.columns` and the columns of `headwater_model`. `tests.runs_model`
gives versions, positions, the inputs of runs, names, and hidden datasets.

Where the rules leave room, the model decides:

- A report on a dataset counts whether or not the event lists that dataset among its outputs. A reporter that does not
  write the dataset is no current writer and makes no version, but its report counts in its time range.
- A deleted facet counts as missing. The latest DatasetEvent with any facet of columns counts, under any name of the
  dataset: if all its facets are deleted, nothing is declared any more.
- A dataset that is known as a source alone is hidden if it, or its namespace, was ever deleted; no query finds it.
- A run that used a dataset under several names used it once.
- A schema facet without fields is no schema.
- As of a time: the requested columns and their sources are as of then; the versions that their runs read, and all
  further sources, use all facts. Datasets that were hidden then are neither requested columns nor their sources.
  With what is downstream, the graph is the current one of the statements before then, and nothing uses later facts.
- A current writer that never reported is shown as the version that its last known run made.
- In a time range each JobEvent, and each DatasetEvent that declares, counts at its own time.
"""

from tests.fields_model.model import FieldModel

__all__ = ["FieldModel"]
