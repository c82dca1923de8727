"""JSON of records, as types, in the form of `headwater.api.types`."""

from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypeAliasType, TypedDict

from headwater.api.schema import Schema, as_request
from headwater_model.record_requests import LIMITS, RECORDS_MAX, SHORT_ID_MAX


def _bounded_text(most: int, description: str) -> dict[str, Any]:
    """Build the schema of a string bounded in bytes; `maxLength` counts characters, so it shows a necessary bound."""
    rule = f"{description} 1 to {most} bytes of UTF-8."
    return {"type": "string", "minLength": 1, "maxLength": most, "description": rule}


_OVERRIDES = "Beside `record` or `records` it overrides each one's own."
ROOT_ID = _bounded_text(LIMITS["root_id"], "What the records come from; it need not be a record itself.")
NODE_ID = _bounded_text(LIMITS["node_id"], "Names a record within its root.")
ACTION = _bounded_text(LIMITS["action_taken"], "What was done to the parent to make this node.")
PARENT_ID = _bounded_text(LIMITS["parent_id"], "The node that the action was taken on; for the first step the root id.")
LOCATION = _bounded_text(LIMITS["storage_location"], "Where the outcome of the action lies.")

RootId: TypeAlias = Annotated[str, Schema(**ROOT_ID)]
NodeId: TypeAlias = Annotated[str, Schema(**NODE_ID)]
Action: TypeAlias = Annotated[str, Schema(**ACTION)]
ParentId: TypeAlias = Annotated[str, Schema(**PARENT_ID)]
Location: TypeAlias = Annotated[str, Schema(**LOCATION)]
RunId: TypeAlias = Annotated[
    str, Schema(**_bounded_text(SHORT_ID_MAX, "The run that did it, by OpenLineage's run id."))
]
Seconds: TypeAlias = Annotated[int, Schema(minimum=0, description="Whole seconds since 1970 UTC.")]
RecordedAt: TypeAlias = Annotated[
    int, Schema(minimum=0, description="When the action was taken. Whole seconds since 1970 UTC.")
]
Cursor: TypeAlias = Annotated[str | None, Schema(description="For the next page; null at the end.")]


@as_request
class RequestRecord(TypedDict, total=False):
    """A record of a request."""

    root_id: RootId
    parent_id: ParentId
    action_taken: Action
    node_id: NodeId
    storage_location: Location


@partial(
    as_request,
    json_schema_extra={
        "anyOf": [
            {"required": ["record"]},
            {"required": ["records"]},
            {"required": ["root_id", "parent_id", "action_taken", "storage_location"]},
        ]
    },
)
class LineageRequest(TypedDict, total=False):
    """A step of a pipeline: `record`, `records`, or `storage_location` alone names its result."""

    root_id: Annotated[RootId, Schema(description=f"{ROOT_ID['description']} {_OVERRIDES}")]
    parent_id: Annotated[ParentId, Schema(description=f"{PARENT_ID['description']} {_OVERRIDES}")]
    action_taken: Annotated[Action, Schema(description=f"{ACTION['description']} {_OVERRIDES}")]
    record: RequestRecord
    records: Annotated[list[RequestRecord], Schema(minItems=1, maxItems=RECORDS_MAX)]
    storage_location: Location
    """The single record's location; beside `record` or `records` it overrides each record's own."""
    node_id: NodeId
    """The single record's id, without `record`."""
    request_id: Annotated[
        str,
        Schema(**_bounded_text(SHORT_ID_MAX, "Names the request, so that a retry makes the same nodes and no others.")),
    ]
    requested_at: Annotated[
        Seconds | Annotated[str, Schema(format="date-time")],
        Schema(description="When it was first sent, at most 24 hours ahead."),
    ]
    run_id: RunId


class _Accepted(TypedDict):
    root_id: RootId
    action_taken: Action
    recordedAt: RecordedAt
    ttl_expiry: Annotated[
        int,
        Schema(
            minimum=0,
            description="When the record leaves the table; its trace is archived by then. "
            "Whole seconds since 1970 UTC.",
        ),
    ]


class NewNode(TypedDict):
    """A record of an accepted batch."""

    node_id: NodeId
    storage_location: Location


class AcceptedRecord(_Accepted):
    """The response to a request with a single record."""

    node_id: NodeId
    storage_location: Location


class AcceptedBatch(_Accepted):
    """The response to a request with `records`."""

    records: list[NewNode]


LineageResponse = TypeAliasType(
    "LineageResponse",
    Annotated[
        AcceptedRecord | AcceptedBatch,
        Schema(description="For the next step: its `parent_id` is a `node_id` of this response."),
    ],
)


class Step(TypedDict):
    """A record of a trace line."""

    node_id: NodeId
    parent_id: ParentId
    action_taken: Action
    recordedAt: RecordedAt
    storage_location: Location
    run_id: NotRequired[RunId]
    metadata: NotRequired[Annotated[dict[str, str], Schema(description="Additions by the load function's enrichers.")]]


class Sent(Step):
    """A record without the table's additions."""

    root_id: RootId


class Record(Sent):
    """A live record."""

    ttl_expiry: Annotated[int, Schema(minimum=0)]
    """The time of its removal from the table, in whole seconds since 1970 UTC."""


class RecordPage(TypedDict):
    """A page of a root's live records."""

    records: list[Record]
    cursor: Cursor


class Root(TypedDict):
    """A root with at least one record."""

    root_id: RootId
    archivedOn: str | None
    """The day of its last object in the archive; null before its first trace."""
    archivedRecords: Annotated[int, Schema(minimum=0)]
    """The number of records in the last object; it has all records of earlier objects."""


class RootPage(TypedDict):
    """A page of roots."""

    roots: list[Root]
    cursor: Cursor


class SearchRecord(Sent):
    """A record, and the place of its discovery."""

    ttl_expiry: int | None
    """The time of its removal from the table, in whole seconds since 1970 UTC; null for a record outside the table."""
    archivedOn: str | None
    """The day of the record in the archive's tables; null if they do not have it yet."""


class SearchPage(TypedDict):
    """A page of a search."""

    records: list[SearchRecord]
    cursor: Cursor
    truncated: bool
    """On the last page: true if the search hit its bound."""


class Unsure(TypedDict, total=False):
    """Reasons for a path without its root."""

    complete: Annotated[
        Literal[False],
        Schema(description="There when the path does not lead to the root; the reason is beside it."),
    ]
    missing: Annotated[list[str], Schema(description="Unknown parents.")]
    cycle: Annotated[list[str], Schema(description="Nodes of a cycle.")]


class NodePath(Unsure):
    """A record, the path to it from its root, and its descendants."""

    record: Record
    path: list[Record]
    """From the root's first record to this record."""
    descendants: list[Record]
    """The records derived from it, nearest first."""
    truncated: bool
    """True if the query hit its bound."""


class NodePaths(TypedDict):
    """The paths of a node id in several roots."""

    matches: list[NodePath]
    truncated: bool
    """True if more roots have the node id."""


class OutlineExample(TypedDict):
    """A record of a group."""

    node_id: NodeId
    storage_location: Location


class OutlineGroup(TypedDict):
    """Records of one action below one group."""

    id: Annotated[int, Schema(minimum=0)]
    parent: int | None
    """The group above; null at the start of trees."""
    action_taken: Action
    records: Annotated[int, Schema(minimum=1)]
    leaves: Annotated[int, Schema(minimum=0)]
    """The number of its records without descendants."""
    firstRecordedAt: RecordedAt
    lastRecordedAt: RecordedAt
    complete: bool
    """False without a path from the root: a parent is missing, or the path begins in a cycle."""
    examples: Annotated[list[OutlineExample], Schema(maxItems=3)]


class Outline(TypedDict):
    """A root's records, folded by action: each group after its parent."""

    root_id: RootId
    records: Annotated[int, Schema(minimum=1)]
    groups: list[OutlineGroup]
    truncated: bool
    """True if there are more groups than fit into a response."""


Link: TypeAlias = Annotated[
    str,
    Schema(description="A link to the bytes as they are stored: 15 minutes, compressed, and no client unpacks them."),
]
Day: TypeAlias = Annotated[str, Schema(format="date")]
Sha256: TypeAlias = Annotated[str, Schema(pattern="^[0-9a-f]{64}$", description="SHA-256 in hexadecimal.")]


class ProvenObject(TypedDict):
    """The object of the archive that holds the record."""

    day: Day
    key: str
    sha256: Sha256
    size_bytes: Annotated[int, Schema(minimum=0)]
    records: Annotated[int, Schema(minimum=0)]
    lines: Annotated[int, Schema(minimum=0)]
    listed: bool
    """True if SHA-256 and size come from the day's digest; else from the commit."""
    location: Link


class DigestFile(TypedDict):
    """The digest of a sealed day."""

    day: Day
    key: str
    size_bytes: Annotated[int, Schema(minimum=0)]
    location: Link


class ChainEnd(TypedDict):
    """The newest digest, as the graph table names it: compare the chain of digests with it."""

    day: Day
    key: str
    sha256: Sha256


class RecordProof(TypedDict):
    """The state of a record's archive, and its proof."""

    root_id: RootId
    node_id: NodeId
    state: Literal["live", "expired", "archived", "sealed"]
    """`live`: not in the archive yet. `expired`: it left the table, and the next compaction archives it. `archived`:
    an object of an open day holds it. `sealed`: there are digests."""
    object: ProvenObject | None
    digests: Annotated[list[DigestFile], Schema(maxItems=366)]
    """From the object's day to the last sealed day, oldest first."""
    end: ChainEnd | None
    next: Day | None
    """The `after` of the next request, for the remaining digests."""
    fault: str | None
    """The first noticed fault of the archive, if any: `headwater verify` finds all."""


class TraceLine(Unsure):
    """A line of a trace."""

    record_id: NodeId
    """The leaf at the end of the line."""
    root_id: RootId
    lineage: list[Step]
    """From the root's first record to the leaf; an archived line ends with DATA_COMPACTION."""


class TraceQueued(TypedDict):
    """The queued trace of a root."""

    root_id: RootId
    status: Literal["queued"]
