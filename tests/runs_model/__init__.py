"""The obviously right model of runs: every result computed anew from the whole set of statements.

Small and slow, without state, and without any code of `headwater.facts` but its types (events, results, times).
The graph table, with events loaded in any order, must give the same results.

Where the rules leave room, the model decides:

- Of a facet that one event states twice of one thing (a dataset as input and output), the greater canonical JSON stays.
- Each event states its symlinks for itself; of two in one event the greater primary name counts. A symlink alone is no
  mention of the other name, but a look-up by that name finds its primary.
- The deletion of any name of a dataset hides it, as does that of the namespace of its primary name.
- A parent or root mention touches the named job. A run without events belongs to the first job named for it.
- A run's outputs have versions once it is done or streaming, and are not shown before.
- A stream's prefixes stay versions of its job when it ends. A version's lineage is unknown if none of its runs reported
  datasets.
- Runs are listed by when they started, newest first; runs known only as parents come at the end.
- `stale` considers visible jobs that write the dataset now; the last writer is one that did not fail, if there is one.
- The primary name makes the id of the initial version, which counts as one that did not fail.
- The first DatasetEvent describes the initial version if no run had written one by then. Any other makes a version if
  its fields differ from the latest fields of a DatasetEvent, or of a version that did not fail, before it.
- The facets of a version are those that its run reported of its output; nothing is inherited.
- The version that a run read is never that of a failed run, unless the storage's own version names it.
- A dataset's schema is that of the last version or declaration which has one; if nothing exists, that of planned
  outputs, else of reads. A deleted schema leaves only the schemas of reads.
- A graph does not start at what is hidden; a start dataset comes first.
"""

from tests.runs_model.model import Model

__all__ = ["Model"]
