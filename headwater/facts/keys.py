"""Keys of the graph table's rows about runs, jobs, datasets and namespaces.

All rows, with examples, are in docs/architecture.md ("What is stored"). Three kinds are written in three ways:

    JOB#<job>          FACTS                     facts, and nodes of the current graph (CURRENT): swapped by version
    DATASET#<dataset>  NOW#PRODUCER#<job>        rows that move with these, in one transaction: edges with CURRENT;
                       BACKWARD#<start>#<run>    BACKWARD, FORWARD, and the change that lists a name, with FACTS
    JOB#<job>          WITH_IO#<time>#<run>      all others: written before the facts that they point to, never moved

A reader checks each row of the last kind against the facts, and the `unverified` rows, which are BACKWARD and FORWARD
of a run that goes on, or that has more of them than a transaction holds. Readers cut queries by the order of prefixes:
EVER#PRODUCER comes before EVER#READER, so that a dataset with too many past readers keeps its producers.
"""

from __future__ import annotations

from collections.abc import Set

from headwater.facts.table import Key
from headwater_model.ids import DatasetId, JobId, RunKey, namespace_hash, sha256_hex

FACTS = "FACTS"
RUN_FACTS = "FACTS#"
CURRENT = "CURRENT"
COUNT = "COUNT"
DATASET_FACTS = "NOW#FACTS"
NOW = "NOW#"
# DynamoDB's bound of a sort key is 1,024 bytes; prefixes take the rest.
_NAME_BYTES_MAX = 900
_UNPRINTED = "\x7f"


def run_pk(run_id: str) -> str:
    """Return the partition of the runs of one id: one for each job that uses it."""
    return f"RUN#{run_id}"


def job_pk(job: JobId) -> str:
    """Return the partition of a job."""
    return f"JOB#{job.digest}"


def dataset_pk(dataset: DatasetId) -> str:
    """Return the partition of a dataset."""
    return f"DATASET#{dataset.digest}"


def thing_pk(thing: JobId | DatasetId) -> str:
    """Return the partition of a job or a dataset."""
    return job_pk(thing) if isinstance(thing, JobId) else dataset_pk(thing)


def namespace_pk(namespace: str) -> str:
    """Return the partition of a namespace."""
    return f"NAMESPACE#{sha256_hex(namespace)}"


def facts_key(entity: RunKey | JobId | DatasetId) -> Key:
    """Return the key of the facts of a run, a job or a dataset."""
    if isinstance(entity, JobId):
        return job_pk(entity), FACTS
    if isinstance(entity, DatasetId):
        return dataset_pk(entity), DATASET_FACTS
    return run_pk(entity.id), f"{RUN_FACTS}{entity.job_hash}"


def run_facts_prefix(namespace: str) -> str:
    """Return the prefix of the facts of runs of one id whose jobs are of this namespace."""
    return f"{RUN_FACTS}{namespace_hash(namespace)}"


def current_key(job: JobId) -> Key:
    """Return the key of the job's node of the current graph."""
    return job_pk(job), CURRENT


def facet_key(ref: str, dataset: DatasetId | None = None) -> Key:
    """Return the key of a facet by its ref, or of the columns that it reports of a dataset."""
    return f"FACET#{ref}", "BODY" if dataset is None else f"COLUMNS#{dataset.digest[:32]}"


def complete_key(ref: str, named: Set[DatasetId] = frozenset()) -> Key:
    """Return the key of the row that is present when all rows of a facet ref are.

    They list the columns of all datasets but those that were only `named`.
    """
    names = sha256_hex("".join(sorted(dataset.digest for dataset in named)))
    return f"FACET#{ref}", f"COMPLETE#{names}" if named else "COMPLETE"


def sortable(name: str) -> str:
    """Return a name as the end of a sort key, in the order of names; long names are cut and get a hash.

    >>> sortable("a.b")
    'a.b'
    """
    encoded = name.encode()
    if len(encoded) <= _NAME_BYTES_MAX:
        return name
    cut = encoded[: _NAME_BYTES_MAX - 70].decode(errors="ignore")
    return f"{cut}{_UNPRINTED}{sha256_hex(name)}"
