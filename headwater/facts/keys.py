"""Keys of the graph table's rows about runs, jobs, datasets and namespaces.

docs/stored-rows.md lists all rows, with examples. Four kinds are written in four ways:

    JOB#<job>          FACTS                     facts, and nodes of the current graph (CURRENT): swapped by version
    DATASET#<dataset>  NOW#PRODUCER#<job>        edges: put before CURRENT, deleted with it
                       BACKWARD#<start>#<run>    late rows: after FACTS, changed with FACTS; FORWARD, and listed names
    JOB#<job>          WITH_IO#<time>#<run>      the rest: written before their facts, never moved

A reader checks each row of the last kind against the facts. It also checks the `unverified` rows: BACKWARD and FORWARD
of a run that goes on, or has more such rows than a transaction holds. Readers cut queries by the order of
prefixes: EVER#PRODUCER comes before EVER#READER, so a dataset with too many past readers keeps its producers.
"""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

from headwater.facts.table import Key
from headwater_model.ids import DatasetId, JobId, RunKey, namespace_hash, sha256_hex

FACTS = "FACTS"
RUN_FACTS = "FACTS#"
CURRENT = "CURRENT"
DATASET_FACTS = "NOW#FACTS"
NOW = "NOW#"
# DynamoDB's bound of a sort key is 1,024 bytes; prefixes take the rest.
_NAME_BYTES_MAX = 900
_UNPRINTED = "\x7f"


def run_pk(run_id: str) -> str:
    """Name the partition of a run id, `RUN#5d41402abc4b2a7`, by its hash: it holds a run for each job with the id."""
    return f"RUN#{sha256_hex(run_id)[:15]}"


def job_pk(job: JobId) -> str:
    """Name the partition of a job: `JOB#<job>`."""
    return f"JOB#{job.digest}"


def dataset_pk(dataset: DatasetId) -> str:
    """Name the partition of a dataset: `DATASET#<dataset>`."""
    return f"DATASET#{dataset.digest}"


def thing_pk(thing: JobId | DatasetId) -> str:
    """Name the partition of a job or a dataset."""
    return job_pk(thing) if isinstance(thing, JobId) else dataset_pk(thing)


def namespace_pk(namespace: str) -> str:
    """Name the partition of a namespace: `NAMESPACE#<namespace>`."""
    return f"NAMESPACE#{sha256_hex(namespace)}"


@lru_cache(maxsize=10_000)
def facts_key(entity: RunKey | JobId | DatasetId) -> Key:
    """Make the key of the facts of a run, a job or a dataset: `JOB#<job>`, `FACTS`."""
    if isinstance(entity, JobId):
        return job_pk(entity), FACTS
    if isinstance(entity, DatasetId):
        return dataset_pk(entity), DATASET_FACTS
    return run_pk(entity.id), f"{RUN_FACTS}{entity.job_hash}"


def run_facts_prefix(namespace: str) -> str:
    """Name the prefix, `FACTS#<namespace>`, of the facts of a run id's runs, for the jobs of a namespace."""
    return f"{RUN_FACTS}{namespace_hash(namespace)}"


def current_key(job: JobId) -> Key:
    """Make the key of the job's node of the current graph: `JOB#<job>`, `CURRENT`."""
    return job_pk(job), CURRENT


def facet_key(ref: str, dataset: DatasetId | None = None) -> Key:
    """Make the key of a facet by its ref, `FACET#col:<hash>`, or of the columns of a dataset in the facet."""
    return f"FACET#{ref}", "BODY" if dataset is None else f"COLUMNS#{dataset.digest[:32]}"


def complete_key(ref: str, named: Set[DatasetId] = frozenset()) -> Key:
    """Make the key of a facet ref's last row: with it, all rows of the ref are written.

    The rows list the columns of all datasets but the `named`: datasets that the sender may only name.
    """
    names = sha256_hex("".join(sorted(dataset.digest for dataset in named)))
    return f"FACET#{ref}", f"COMPLETE#{names}" if named else "COMPLETE"


def sortable(name: str) -> str:
    """Shorten a name to the end of a sort key, in the order of names; long names are cut and get a hash.

    >>> sortable("a.b")
    'a.b'
    """
    encoded = name.encode()
    if len(encoded) <= _NAME_BYTES_MAX:
        return name
    cut = encoded[: _NAME_BYTES_MAX - 70].decode(errors="ignore")
    return f"{cut}{_UNPRINTED}{sha256_hex(name)}"
