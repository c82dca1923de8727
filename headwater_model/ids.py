"""The identities of nodes, datasets, jobs and runs, as pure functions of their names."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

# A column, or a field inside a column: the names from the outside in.
FieldPath: TypeAlias = tuple[str, ...]
# The namespace of derived node ids. Any fixed UUID does; changing it would give a retried request a second node.
REQUESTS = uuid.UUID("7c0d3c1e-9a0b-5f60-8c57-2f1f1b7b2f55")


def derive_node_id(root_id: str, parent_id: str, action_taken: str, request_id: str, index: int) -> str:
    """Derive the node id of a request's `index`-th record, equal for every retry.

    The whole identity of the step goes in: a request id used for two steps by mistake still makes two nodes.

    >>> derive_node_id("flights", "flights", "READ", "r-1", 0)
    '357d959f-5302-5c2a-933c-78f3e3edde97'
    """
    name = "\0".join((root_id, parent_id, action_taken, request_id, str(index)))
    return str(uuid.uuid5(REQUESTS, name))


@dataclass(frozen=True, order=True, slots=True)
class _Named:
    """A job or a dataset: a namespace and a name in it, as in OpenLineage."""

    namespace: str
    name: str

    @property
    def digest(self) -> str:
        """The SHA-256 of both parts: an identifier of fixed length."""
        return hashlib.sha256(f"{self.namespace}\0{self.name}".encode()).hexdigest()


class DatasetId(_Named):
    """A dataset, as OpenLineage names it."""

    __slots__ = ()

    @property
    def node_id(self) -> str:
        """The dataset's node id, as Marquez prints it.

        >>> DatasetId("postgres://db:5432", "shop.public.orders").node_id
        'dataset:postgres://db:5432:shop.public.orders'
        """
        return f"dataset:{self.namespace}:{self.name}"


class JobId(_Named):
    """A job, as OpenLineage names it."""

    __slots__ = ()

    @property
    def node_id(self) -> str:
        """The job's node id, as Marquez prints it: `job:flights:read`."""
        return f"job:{self.namespace}:{self.name}"


@dataclass(frozen=True, order=True, slots=True)
class RunKey:
    """The identity of a run: its id (see `normalize_run_id`), and its job, hashed to fit into keys.

    An id alone names no run: a producer may give the runs of many jobs the same id (Dagster's does, to all assets of a
    run). And a producer in one namespace may know the run ids of a second namespace. In order, the ids come first.
    """

    id: str
    job_hash: str

    @classmethod
    def of(cls, job: JobId | DatasetId, run: str) -> RunKey:
        """Identify the job's run with this id; for a DatasetEvent, the dataset takes the job's place.

        >>> str(RunKey.of(JobId("flights", "read"), "0176a8c2-fe01-7439-87e6-56a1a1b4029f"))
        '0176a8c2-fe01-7439-87e6-56a1a1b4029f.c8cf489ed229faf522eed6b4cfccada8'
        """
        return cls(run, f"{namespace_hash(job.namespace)}{job.digest[:20]}")

    @staticmethod
    @lru_cache(maxsize=10_000)
    def parse(text: str) -> RunKey:
        """Parse the text of an identity."""
        run, _, job_hash = text.partition(".")
        return RunKey(run, job_hash)

    def __str__(self) -> str:
        """Print the identity as a part of keys and of stored JSON."""
        return f"{self.id}.{self.job_hash}"


def namespace_hash(namespace: str) -> str:
    """Hash a namespace: the first 12 digits of the `job_hash` of all its jobs."""
    return hashlib.sha256(namespace.encode()).hexdigest()[:12]


# A response repeats few versions thousands of times.
@lru_cache(maxsize=10_000)
def name_uuid(text: str) -> str:
    """Build the UUID (version 3) of the text's UTF-8 bytes alone, as Java's `UUID.nameUUIDFromBytes` does.

    Marquez names its versions so (`Utils.java`).

    >>> name_uuid("ns:job::")
    'bcd5fac5-2d39-346b-be30-04ee578a8c62'
    """
    digest = hashlib.md5(text.encode(), usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest, version=3))


def normalize_run_id(text: str) -> str:
    """Normalize a run id: a UUID in lower case; further text becomes Marquez's UUID of its bytes.

    So a run is found by the sent id, and by Marquez's.

    >>> normalize_run_id("0176A8C2-FE01-7439-87E6-56A1A1B4029F")
    '0176a8c2-fe01-7439-87e6-56a1a1b4029f'
    >>> normalize_run_id("nightly-1")
    '67dce3e5-a76c-304c-a978-e715f404b156'
    """
    try:
        parsed = uuid.UUID(text)
    except ValueError:
        return name_uuid(text)
    return str(parsed) if str(parsed) == text.lower() else name_uuid(text)


# A root's shard is the first hex digit of its SHA-256: lists by day are spread over sixteen partitions.
SHARDS = tuple("0123456789abcdef")


def sha256_hex(text: str) -> str:
    """Hash the text's UTF-8: `sha256_hex("a")` is `ca978112...`, the SHA-256 in 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()
