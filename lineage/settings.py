"""The names that the stack and the functions share: environment variables, table keys, indexes.

The stack (`infra/`) imports this module, so it imports nothing. A function receives only the variables it needs.
"""

from __future__ import annotations

# Environment variables of the functions.
RECORDS_QUEUE_URL = "RECORDS_QUEUE_URL"
RECORDS_DLQ_URL = "RECORDS_DLQ_URL"
PACKED_QUEUE_URL = "PACKED_QUEUE_URL"
TRACE_QUEUE_URL = "TRACE_QUEUE_URL"
RECORDS_TABLE = "RECORDS_TABLE"
GRAPH_TABLE = "GRAPH_TABLE"
ARCHIVE_BUCKET = "ARCHIVE_BUCKET"
INTAKE_BUCKET = "INTAKE_BUCKET"
RECORDS_TTL_S = "RECORDS_TTL_S"
TRACE_RECORDS_MAX = "TRACE_RECORDS_MAX"

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

# Records of one root that one function traces; a larger root is left to the Spark tracer.
DEFAULT_TRACE_RECORDS_MAX = 2_000_000
