"""The obviously right model of runs: every result computed anew from the whole set of statements.

Small and slow, without state, and without any code of `headwater.facts` but its types (events, results, times).
The graph table, with events loaded in any order, must give the same results.

Where the rules leave room, the model decides:

- An event may state a facet of a dataset twice, as input and output: the greater canonical JSON stays.
- Each event states its symlinks for itself; of two in an event the greater primary name counts. A symlink alone is no
  mention of the alias, but a look-up of the alias finds its primary.
- A deletion of any name of a dataset hides it, as does a deletion of its primary name's namespace.
- A parent or root mention touches the named job. A run without events belongs to the first job named for it.
- A run's outputs have versions once it is done or streaming, and are not shown before.
- A stream's prefixes stay versions of its job when it ends. A version's lineage is unknown if none of its runs reported
  datasets.
- Runs are listed by start, newest first; runs known only as parents come at the end.
- `stale` considers the dataset's visible current writers; the last writer is a run that did not fail, if there is any.
- The primary name makes the id of the initial version; the initial version counts as not failed.
- The first DatasetEvent describes the initial version if no run had written a version by then. Any later DatasetEvent
  makes a version if its fields differ from the fields before: of a DatasetEvent, or of a version not failed.
- A version has its run's facets of the output; nothing is inherited.
- A run reads no version of a failed run, unless the storage's own version names it.
- A dataset has the schema of the last version or declaration with any; without these, of planned outputs, else of
  reads. A deleted schema leaves only the schemas of reads.
- No graph starts at a hidden node; a start dataset comes first.
"""

from tests.runs_model.model import Model

__all__ = ["Model"]
