"""The names that the stack and the functions share: environment variables, table keys, indexes.

The stack (`infra/`) imports this module, so it imports nothing. A function receives only the variables it needs.
"""

from __future__ import annotations

# Environment variables of the functions.
RECORDS_QUEUE_URL = "RECORDS_QUEUE_URL"
RECORDS_DLQ_URL = "RECORDS_DLQ_URL"
PACKED_QUEUE_URL = "PACKED_QUEUE_URL"
TRACE_QUEUE_URL = "TRACE_QUEUE_URL"
EVENTS_QUEUE_URL = "EVENTS_QUEUE_URL"
RECORDS_TABLE = "RECORDS_TABLE"
GRAPH_TABLE = "GRAPH_TABLE"
ARCHIVE_BUCKET = "ARCHIVE_BUCKET"
INTAKE_BUCKET = "INTAKE_BUCKET"
RECORDS_TTL_S = "RECORDS_TTL_S"
TRACE_RECORDS_MAX = "TRACE_RECORDS_MAX"
# The KMS key that signs digests; not set where they are not signed.
SIGNING_KEY = "SIGNING_KEY"
# The Glue database of the archive's tables, and the Athena workgroup that asks them.
SEARCH_DATABASE = "SEARCH_DATABASE"
SEARCH_WORKGROUP = "SEARCH_WORKGROUP"
# Rules of dataset names: "true" or "false"; a JSON list of regular expressions, the built-in ones if it is not set.
PARTITION_TRIMMING = "PARTITION_TRIMMING"
TEMPORARY_PATTERNS = "TEMPORARY_PATTERNS"

# The records table: the keys and indexes of the Carbonlake seed, to the letter.
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

# Where the Athena workgroup leaves its results, in the intake bucket.
SEARCH_PREFIX = "search/"

# Prefixes of the archive bucket: bodies too big for an item of the graph table, and the raw log of events.
FACTS_PREFIX = "facts/"
EVENTS_PREFIX = "events/"

# Rows of the last use of bearer tokens: their partition, apart from the tokens' own, and the day in seconds since 1970.
TOKEN_USES = "TOKEN_USES"  # noqa: S105 - the name of a partition, no secret
LAST_USED = "last_used"

# The stage variable by which API Gateway tells the API's function that it did not check who asks.
DOOR = "auth"
TOKEN_DOOR = "token"  # noqa: S105 - the name of a way in, no secret

# Records of one root that one function traces; a larger root is left to the Spark tracer.
DEFAULT_TRACE_RECORDS_MAX = 2_000_000
