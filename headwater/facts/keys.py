"""Keys of the graph table's rows about runs, jobs, datasets and namespaces.

    RUN#<run id>            FACTS#<job>                          a run's facts, by its job (hashed, its namespace first)
                            CHILD#<job>#<started>#<run>          runs that name this job's run as their parent, by start
    JOB#<job>               FACTS                                the facts of a job
                            CURRENT                              its node of the current graph, swapped by version
                            COUNT                                runs: the number of its runs
                            CHILD#<namespace>#<name>#<job>       jobs that ever named it as their parent
                            TEST#<time>#<hash>                   results of its runs' tests, by event (`assertions`)
                            RUN#<started>#<run>                  its runs by start
                            WITH_IO#<time>#<run>                 its runs with inputs or outputs, by effective time
                            WITHOUT_IO#<time>#<run>              its other runs, by effective time
                            VERSION#<version>                    a version of the job
                            VERSION_RUN#<version>#<time>#<run>   the runs of that version
                            COLUMNS#<dataset>#<time>#<run>       its runs that reported the dataset's columns
                            <prefix>_<size>#<bucket>~#<run>      live streams by WITH_IO, WITHOUT_IO, COLUMNS#<dataset>
    DATASET#<dataset>       NOW#FACTS                            the facts of a dataset
                            NOW#DERIVED#<dataset>                datasets that DatasetEvents derive from it
                            NOW#PRODUCER#<job>                   current producers: those whose CURRENT lists it
                            NOW#READER#<job>                     current readers, likewise
                            NOW#SOURCE_OF#<job>                  jobs that do not read it, but report columns made of it
                            BACKWARD#<start>#<run>               runs that wrote it, by start (CDAP's storage design)
                            FORWARD#<start>#<run>                runs that read it, by start
                            EVER#PRODUCER|READER|SOURCE_OF#<job> jobs that ever were one
                            VERSION#<time>#<run>                 versions of runs that completed or stream
                            FAILED#<time>#<run>                  versions of runs that failed
                            EVENT#<time>#<hash>                  DatasetEvents about it
                            TEST#<time>#<hash>                   results of its tests, by event (`assertions`)
                            ACTIVE#<time>#<run>                  ends of streaming runs that write it
                            ACTIVE_<size>#<bucket>~#<run>        their other events
                            BY_PARENT#<parent>#<time>#<run>      its versions by the parent run of their run
                            BY_STORAGE#<version>#<time>#<run>    its versions by the storage's own version
                            BY_STORAGE#<version>#STREAMED#<run>  likewise, each that a stream made
                            VERSION_ID#<version>                 the run of a version
    FACET#<ref>             BODY                                 a facet that reports columns, stored once, by content
                            COLUMNS#<dataset>                    the columns that it reports of a dataset
                            COMPLETE                             present when all of these rows are
                            COMPLETE#<datasets>                  likewise, without the columns of these in the catalogue
    FACET#<content>         CONTENT                              a content of a history, stored once (`contents`)
    NAMESPACE#<namespace>   FACTS                                the facts of a namespace
    NAMES#<shard>           SNAPSHOT                             names of namespaces, jobs, datasets (`catalogue`)
                            PART#<version>#<content>             older names, named by the snapshot
                            +<content>                           a name added since, or one to check: it may be hidden
    TAGS                    SNAPSHOT  PART#…  +<content>         by namespace, the tags that were ever used in it
    SOURCES                 SNAPSHOT  PART#…  +<content>         by namespace, the sources that its datasets named
    SOURCE#<source>         FACTS#<namespace>                    what a namespace's datasets report of it
    WORD#<kind>#<scope>#…   <word>…                              a name or a column that has the word (`words`)
    CREATED#<kind>#<part>   <hour>#<shard>                       count: new jobs, datasets, sources of the hour
    TAG#<tag>               JOB#<name>  DATASET#<name>           what ever had the tag (`list_rows`)
    OWNER#<owner>           JOB#<name>  DATASET#<name>           what ever had the owner (`list_rows`)
    TESTS                   JOB#<name>  DATASET#<name>           what ever failed a test (`list_rows`)
    FEED#<day>#<shard>      JOB#<name>  DATASET#<name>           what may have news of the day (`feed_rows`)

`<run>` is a `RunKey`: an id and a job. `<time>` is an effective time: of a terminal event, and of the first event of a
streaming run that names a dataset. `<bucket>` is that of any event of a streaming run, `<size>` MINUTE, DAY or MONTH
(`stream_rows`). Readers cut queries by the order of these prefixes: EVER#PRODUCER comes before EVER#READER, so that a
dataset with too many past readers keeps its producers.

The rows NOW#PRODUCER, NOW#READER and NOW#SOURCE_OF move with CURRENT; BACKWARD, FORWARD and the change that lists a
name move with FACTS; each in one transaction. BACKWARD and FORWARD rows of a run that goes on, or that has more than a
transaction holds, are `unverified`. The other index rows are written before the facts that they point to and never
move. A reader checks each of them, and the unverified rows, against the facts.
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
