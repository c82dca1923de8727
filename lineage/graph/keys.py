"""Where facts about runs lie in the graph table.

    RUN#<run id>   FACTS#<namespace>                  the facts of a run, by its id, then its job's namespace (hashed)
    JOB#<job>      FACTS                              what is said of the job
                   CUR                                the job now: a node of the current graph, swapped by version
                   COUNT                              runs: how many it has
                   N#<started>#<run>                  its runs by start
                   K#<time>#<run>  U#<time>#<run>     where a run that told of datasets stands in time; one that did not
                   JV#<version>                       a version of the job
                   JR#<version>#<time>#<run>          the runs of that version
                   T#<dataset>#<time>#<run>           the runs that told of the dataset's columns
    DS#<dataset>   A#FACTS                            what is said of the dataset
                   A#D#<dataset>                      datasets that DatasetEvents told were made of it
                   A#P#<job>  A#R#<job>               current producers and readers: exactly those that a CUR lists
                   A#S#<job>                          jobs that are no readers, but told of columns made of it
                   B#<start>#<run>  F#<start>#<run>   runs that wrote, or read it, by start (S1's rows b and f)
                   H#R#<job>  H#W#<job>  H#S#<job>    every job that ever did
                   G#<time>#<run>  X#<time>#<run>     versions: of runs that completed or stream, of runs that failed
                   E#<time>#<hash>                    DatasetEvents about it
                   L#<time>#<run>                     where a streaming run that writes it stands in time
                   P#<parent>#<time>#<run>            its versions by the parent run of their run
                   S#<storage version>#<time>#<run>   and by the storage's own version
                   I#<version>                        the run of a version
    C#<telling>    FACET                              a facet that tells of columns (S1's row c)
                   B#<dataset>                        the columns that it tells of a dataset
                   WHOLE                              all of these rows are there
    NS#<namespace> FACTS                              what is said of the namespace
    NAMES          SNAPSHOT                           all names of namespaces, jobs and datasets (see `catalogue`)
                   +<content>                         one that came since, or that may be hidden: its facts say
    COLUMNS        SNAPSHOT  +<content>               by dataset, the columns that it ever had

`<run>` is a `RunKey`: an id and a namespace. The rows A#P, A#R, A#S move with CUR, and B#, F# and the change that lists
a name with FACTS, in one transaction (of a run that has too many B# and F# for that, the rest are marked). The other
index rows are written before the facts that they point to, and are never moved: a reader checks each against the facts,
as it does the marked ones. `<time>` of a run's position is that of a terminal event, or of any event of a streaming
run.
"""

from __future__ import annotations

import hashlib

from lineage.graph.table import Key
from lineage_model.ids import DatasetId, JobId, RunKey

FACTS = "FACTS"
RUN_FACTS = "FACTS#"
CURRENT = "CUR"
COUNT = "COUNT"
DATASET_FACTS = "A#FACTS"
PRESENT = "A#"
# DynamoDB's bound of a sort key is 1,024 bytes; prefixes take the rest.
_NAME_BYTES_MAX = 900
_UNPRINTED = "\x7f"


def run_pk(run_id: str) -> str:
    """Return the partition of the runs of one id: one for each namespace whose jobs use it."""
    return f"RUN#{run_id}"


def job_pk(job: JobId) -> str:
    """The partition of a job."""
    return f"JOB#{job.key}"


def dataset_pk(dataset: DatasetId) -> str:
    """The partition of a dataset."""
    return f"DS#{dataset.key}"


def namespace_pk(namespace: str) -> str:
    """The partition of a namespace."""
    return f"NS#{hashlib.sha256(namespace.encode()).hexdigest()}"


def facts_key(entity: RunKey | JobId | DatasetId) -> Key:
    """Return the key of the facts of a run, a job or a dataset."""
    if isinstance(entity, JobId):
        return job_pk(entity), FACTS
    if isinstance(entity, DatasetId):
        return dataset_pk(entity), DATASET_FACTS
    return run_pk(entity.id), f"{RUN_FACTS}{entity.namespace_hash}"


def current_key(job: JobId) -> Key:
    """Where the job's node of the current graph lies."""
    return job_pk(job), CURRENT


def facet_key(telling: str, dataset: DatasetId | None = None) -> Key:
    """Where a telling's facet lies, or the columns that it tells of a dataset."""
    return f"C#{telling}", "FACET" if dataset is None else f"B#{dataset.key[:32]}"


def complete_key(telling: str) -> Key:
    """Where it says that all rows of a telling are there."""
    return f"C#{telling}", "WHOLE"


def sortable(name: str) -> str:
    """A name as the end of a sort key: in the order of names, long ones cut and told apart by their hash.

    >>> sortable("a.b")
    'a.b'
    """
    encoded = name.encode()
    if len(encoded) <= _NAME_BYTES_MAX:
        return name
    cut = encoded[: _NAME_BYTES_MAX - 70].decode(errors="ignore")
    return f"{cut}{_UNPRINTED}{hashlib.sha256(encoded).hexdigest()}"
