"""The obviously right model of fields: every answer worked out anew from the whole set of statements.

It knows of `lineage.fields` the words alone (what a column, a source, an answer is), and stands on `tests.runs_model`
for versions, positions, what a run read, names and what is hidden.

Where the rules leave room, the model decides:

- What is told of a dataset counts whether or not the event lists that dataset among its outputs. Whoever tells of what
  it does not write is no current writer of it, makes no version of it, yet did say so in its time.
- A deleted facet is none. The latest DatasetEvent with any facet of columns counts, of whichever name of the dataset:
  if all that it has is deleted, nothing is declared any more.
- A dataset that is known as a source alone is hidden if it, or its namespace, was ever deleted; nobody can ask for it.
- A run that used a dataset under several names used it once.
- A schema facet without fields tells no schema.
- Of a time: the asked columns and what they are made of are as of then; the versions that their makers read, and all
  that follows, are told with all that is known. What was hidden then is neither asked nor a source of the asked.
- A current writer that never told is shown as the version that its last known run made.
- In a time range each JobEvent, and each DatasetEvent that declares, counts at its own time.
"""

from tests.fields_model.model import FieldModel

__all__ = ["FieldModel"]
