"""The rows of the lists of tags, owners, failed tests and sources, in a partition for each list.

    TAG#<tag>        FACTS                                   the tag's name and description, from the API
                     JOB#<namespace>:<name>#<job>            a job with the tag, now or before
                     DATASET#<namespace>:<name>#<dataset>    a dataset with the tag, now or before, also on a field
    OWNER#<owner>    JOB#...    DATASET#...                  a job or a dataset with the owner, now or before
    TESTS            JOB#...    DATASET#...                  a job or a dataset with a failed test, now or before
    STATE#<state>#<shard>    JOB#...                         a job in the state: moves with the job's node
    LATELY#<shard>   <minute>#<job>    <day>~#<job>          a job with an event in the minute; expires
    SOURCE#<source>  FACTS#<namespace>                       reports of the source by datasets of the namespace, in
                                                             their `dataSource` facets; of no namespace: of the API

`<tag>`, `<owner>` and `<source>` are hashes of names, for tags and owners in the form for comparison. The
`catalogue` lists the tags and the sources of each namespace. A reader checks each row against the facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from headwater.events.event import DatasetUse, State, is_deleted
from headwater.facts.annotations import owner_key, owners_ever, tag_key, tags_ever
from headwater.facts.catalogue import SOURCES, TAGS, added_names_row
from headwater.facts.facts import DatasetFacts, JobFacts, SourceFacts, text_of
from headwater.facts.keys import FACTS, sortable
from headwater.facts.table import Key, Row, RowQuery
from headwater_model.ids import DatasetId, JobId, sha256_hex

# The namespace of the set of described tags, whether or not a thing has them.
NO_NAMESPACE = ""
# States with few jobs at a time. RUNNING would cost 3 write units an event: each run enters and leaves the state.
LISTED_STATES: Sequence[State] = ("FAILED", "ABORTED")
_SHARDS = 4
_TO_DAY, _TO_MINUTE = len("2026-11-20"), len("2026-11-20T12:00")
_LATELY_S = 33 * 86_400
_PREFIX_BYTES_MAX = 800
# A longer name or URL is left in its facet alone.
_BYTES_MAX = 2_048


def tag_pk(name: str) -> str:
    """Name the partition of a tag: `TAG#<tag>`."""
    return f"TAG#{sha256_hex(tag_key(name))}"


def owner_pk(name: str) -> str:
    """Name the partition of an owner: `OWNER#<owner>`."""
    return f"OWNER#{sha256_hex(owner_key(name))}"


def tag_facts_key(name: str) -> Key:
    """Make the key of the facts of a tag: `TAG#<tag>`, `FACTS`."""
    return tag_pk(name), FACTS


def tag_rows(thing: JobId | DatasetId, facts: JobFacts | DatasetFacts) -> Iterator[Row]:
    """Yield the rows of each present or past tag in the facets of these facts."""
    for name in sorted(tags_ever(facts)):
        yield from rows_of_tag(thing, name)


def owner_rows(thing: JobId | DatasetId, facts: JobFacts | DatasetFacts) -> Iterator[Row]:
    """Yield the rows of each present or past owner in the facets of these facts."""
    yield from (row_in_list(owner_pk(name), thing) for name in sorted(owners_ever(facts)))


def rows_of_tag(thing: JobId | DatasetId, name: str) -> Iterator[Row]:
    """Yield the rows of a tag of a thing."""
    yield added_names_row(TAGS, thing.namespace, [name])
    yield row_in_list(tag_pk(name), thing)


def row_in_list(pk: str, thing: JobId | DatasetId) -> Row:
    """Make the row of a job or a dataset in a list."""
    kind = "JOB" if isinstance(thing, JobId) else "DATASET"
    return Row(
        pk, f"{kind}#{sortable(f'{thing.namespace}:{thing.name}')}#{thing.digest[:16]}", {"name": text_of(thing)}
    )


def state_rows(job: JobId, node: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the row of a job whose node names a listed state."""
    if node.get("listed"):
        yield row_in_list(f"STATE#{node['listed']}#{_shard(job)}", job)


def state_queries(state: State, namespace: str | None, limit: int) -> list[RowQuery]:
    """Make the queries of the jobs in a listed state: `STATE#FAILED#<shard>`; of a namespace if given."""
    prefix = namespace_prefix("JOB", "*" if namespace is None else namespace)
    return [RowQuery(f"STATE#{state}#{shard}", prefix=prefix, limit=limit) for shard in range(_SHARDS)]


def lately_rows(job: JobId, old: JobFacts, new: JobFacts) -> Iterator[Row]:
    """Yield the row of a job's last event: of its minute or, for streams, at the end of its day."""
    if new.last and _place(new) != _place(old):
        expires_s = int(datetime.fromisoformat(new.last).timestamp()) + _LATELY_S
        sk = f"{_place(new)}#{job.digest[:16]}"
        yield Row(f"LATELY#{_shard(job)}", sk, {"name": text_of(job)}, expires_s=expires_s)


def _place(facts: JobFacts) -> str:
    last = facts.last or ""
    return f"{last[:_TO_DAY]}~" if facts.first_streamed else minute_of(last)


def lately_queries(limit: int) -> list[RowQuery]:
    """Make the queries of the jobs with the last events, `LATELY#<shard>`, the newest first."""
    return [RowQuery(f"LATELY#{shard}", newest_first=True, limit=limit) for shard in range(_SHARDS)]


def minute_of(time: str) -> str:
    """Read the minute of a time, or of the sort key of a row.

    >>> minute_of("2026-11-20T12:00:59.000000Z")
    '2026-11-20T12:00'
    """
    return time[:_TO_MINUTE]


def _shard(job: JobId) -> int:
    return int(job.digest[0], 16) % _SHARDS


def namespace_prefix(kind: Literal["JOB", "DATASET"], namespace: str) -> str:
    """Name a prefix of the rows of a namespace's jobs or datasets; `*` at its end stands for the rest of its name.

    >>> namespace_prefix("JOB", "emissions"), namespace_prefix("JOB", "team-*"), namespace_prefix("DATASET", "*")
    ('JOB#emissions:', 'JOB#team-', 'DATASET#')
    """
    beginning = namespace[:-1] if namespace.endswith("*") else f"{namespace}:"
    # Long names are cut in the rows, further on.
    return f"{kind}#{beginning.encode()[:_PREFIX_BYTES_MAX].decode(errors='ignore')}"


class SourceId(NamedTuple):
    """A source as the datasets of a namespace name it; the empty namespace is the API's."""

    namespace: str
    name: str


def source_facts_key(source: SourceId) -> Key:
    """Make the key of the facts of a source: `SOURCE#<source>`, `FACTS#<namespace>`."""
    return f"SOURCE#{sha256_hex(source.name)}", f"FACTS#{sha256_hex(source.namespace)}"


def source_listing(source: SourceId) -> Row:
    """Make the row of a source in the catalogue."""
    return added_names_row(SOURCES, source.namespace, [source.name])


def sources_in(use: DatasetUse, time: str) -> Iterator[tuple[SourceId, SourceFacts]]:
    """Yield the source in a dataset's facet `dataSource`, with its facts."""
    facet = use.facets.get("dataSource", {})
    name, url = _short(facet.get("name")), _short(facet.get("uri"))
    if name.strip() and not is_deleted(facet):
        yield SourceId(use.dataset.namespace, name), SourceFacts(first=time, urls={url: time} if url else {})


def _short(text: object) -> str:
    return text if isinstance(text, str) and len(text.encode()) <= _BYTES_MAX else ""
