"""The obviously right model of runs: every answer worked out anew from the whole set of statements.

Small and slow, without state, and without anything of `lineage.runs` but its words (events, found values, times).
What the loaders keep in the graph table, in whatever order they heard of it, must answer the same.

Where the rules leave room, the model decides:

- Facets that one event says twice of one thing (a dataset as input and output): the greater canonical JSON stays.
- A symlink is stated by each event for itself; of two in one event the greater primary name counts. A name that was
  only ever given as a symlink is no mention of it, yet it answers its primary.
- A dataset is hidden by the deletion of any name of it, or of the namespace of its primary name.
- A parent or root mention touches the job named. Of several jobs named for a run without events, the first counts.
- A run's outputs have versions once it is done or streaming, and are not told before.
- A stream's prefixes stay versions of its job when it ends. A version's lineage is unknown if all who had it told
  nothing.
- Runs are listed by when they started, newest first, those known as parents only at the end.
- `stale` looks at visible jobs that write the dataset now; the last writer is one that did not fail, if there is such.
- The initial version is named by the primary name, and counts as a version that did not fail.
- The first DatasetEvent describes the initial version if no run had written one by then; any other makes a version when
  it tells of fields that differ from those told last before it by a DatasetEvent or a version that did not fail.
- The facets of a version are those that its run told of its output; nothing is inherited.
- The version that a run read is never that of a failed run, unless the storage's own version says so.
- A dataset's schema is that of the last version or declaration which has one; of nothing that exists, what a run was
  to write, else what was read. A schema that is deleted leaves only what was read.
- A graph does not start at what is hidden; a start dataset comes first.
"""

from tests.runs_model.model import Model

__all__ = ["Model"]
