"""Names shared by the stack and the functions: environment variables, table keys, indexes.

The module imports nothing: the stack (`infra/`) imports it. A function receives only the variables it needs.
"""

# Environment variables of the functions.
RECORDS_QUEUE_URL = "RECORDS_QUEUE_URL"
RECORDS_DLQ_URL = "RECORDS_DLQ_URL"
PACKED_QUEUE_URL = "PACKED_QUEUE_URL"
TRACE_QUEUE_URL = "TRACE_QUEUE_URL"
EVENTS_QUEUE_URL = "EVENTS_QUEUE_URL"
CHANGES_QUEUE_URL = "CHANGES_QUEUE_URL"
RECORDS_TABLE = "RECORDS_TABLE"
GRAPH_TABLE = "GRAPH_TABLE"
ARCHIVE_BUCKET = "ARCHIVE_BUCKET"
INTAKE_BUCKET = "INTAKE_BUCKET"
RECORDS_TTL_S = "RECORDS_TTL_S"
TRACE_RECORDS_MAX = "TRACE_RECORDS_MAX"
# "boto3": the function calls DynamoDB by boto3's client instead of `headwater.aws.dynamodb`.
DYNAMODB_CLIENT = "DYNAMODB_CLIENT"
# The KMS key of digests' signatures; not set where digests are not signed.
SIGNING_KEY = "SIGNING_KEY"
# The Glue database of the archive's tables, and the Athena workgroup of their queries.
SEARCH_DATABASE = "SEARCH_DATABASE"
SEARCH_WORKGROUP = "SEARCH_WORKGROUP"
# "true": a token for some namespaces is shown foreign neighbours by id and type alone.
STRICT_NAMESPACES = "STRICT_NAMESPACES"
# Naming rules of datasets: "true" or "false"; a JSON list of regular expressions, with built-in defaults.
PARTITION_TRIMMING = "PARTITION_TRIMMING"
TEMPORARY_PATTERNS = "TEMPORARY_PATTERNS"
# A JSON list of namespaces, or their beginnings and `*`: RUNNING events of their jobs are not stored.
DROP_RUNNING_EVENTS = "DROP_RUNNING_EVENTS"
# JSON: days by kind of row (`headwater.facts.kept`), after which rows of history expire.
KEPT_DAYS = "KEPT_DAYS"
# The header of a request that forwards an event. The receiver does not forward the event on: a circle would not end.
FORWARDED_HEADER = "Headwater-Forwarded"

# The records table: Carbonlake's keys and indexes, to the letter.
ROOT_ID = "root_id"
NODE_ID = "node_id"
ACTION_TAKEN = "action_taken"
TTL_EXPIRY = "ttl_expiry"
NODE_INDEX = "node-index"
ACTION_INDEX = "action-index"

# The graph table: one table of facts, addressed by partition and sort key, both strings.
PK = "pk"
SK = "sk"
EXPIRES_AT = "expires_at"
# Its partitions: names, or beginnings with `#` at the end. A role is allowed the partitions of its own work alone.
TOKENS = "TOKENS"
MARKS = "DIRTY#"
STAGED = "STAGED#"
ROOTS = "ROOT#"
ROOT_IDS = "ROOT_IDS#"
# The archive's state and its sources: pointers, days, leases, dirty roots, staged records.
ARCHIVE_PARTITIONS = (ROOTS, "OBJECT#", "DAY#", "COMPACTION", MARKS, STAGED)
# The partitions of the compaction's steps. Tracing is no part of them.
COMPACTION_PARTITIONS = ("OBJECT#", "DAY#", "COMPACTION", MARKS, ROOT_IDS)
# The rows made of events: facts, indexes, name lists, the event index.
GRAPH_PARTITIONS = (
    "RUN#",
    "JOB#",
    "DATASET#",
    "FACET#",
    "NAMESPACE#",
    "NAMES#",
    "WORD#",
    "TAGS",
    "TAG#",
    "OWNER#",
    "TESTS",
    "STATE#",
    "LATELY#",
    "SOURCES",
    "SOURCE#",
    "CREATED#",
    "FEED#",
    "EVENTS",
    "EVENTS#",
)

# The row of the rules of names (`headwater.loading.stored_rules`).
NAMING = "NAMING"

# The prefix of the Athena workgroup's results in the ingest bucket.
SEARCH_PREFIX = "search/"

# Prefixes of the archive bucket: bodies too big for an item of the graph table, the raw log of events, traces, digests.
FACTS_PREFIX = "facts/"
EVENTS_PREFIX = "events/"
TRACES_PREFIX = "traces/"
DIGESTS_PREFIX = "digests/"
# Marks of removed objects of the archive, `removed/<key>`: a replay or a night must not miss the object.
REMOVED_PREFIX = "removed/"
# Prefixes of objects that are written once and never replaced.
WRITTEN_ONCE = (TRACES_PREFIX, DIGESTS_PREFIX, EVENTS_PREFIX, REMOVED_PREFIX)

# The tag of roles outside the stack with rights on its queues. Its values: jobs, and people who redrive.
PRINCIPAL_TAG = "headwater"
PRODUCER = "producer"
OPERATOR = "operator"

# Rows of the last use of each bearer token: their partition, and their day in seconds since 1970.
TOKEN_USES = "TOKEN_USES"  # noqa: S105 - the name of a partition, no secret
LAST_USED = "last_used"
# Rows of the number of events by token with a budget and minute; they expire.
TOKEN_BUDGETS = "TOKEN_BUDGETS"  # noqa: S105 - the name of a partition, no secret
EVENTS_SENT = "events_sent"

# The stage variable for the check of callers: API Gateway checks signatures, the function bearer tokens. No caller can
# set it. The function refuses a request of a stage without either value.
AUTH_STAGE_VARIABLE = "auth"
IAM_AUTH = "iam"
TOKEN_AUTH = "token"  # noqa: S105 - the name of a check, no secret

# The most records of a root traced by a function; a larger root is left to the Spark tracer.
DEFAULT_TRACE_RECORDS_MAX = 2_000_000
