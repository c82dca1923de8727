"""The kinds of refusals of AWS: those that pass, and those of the request."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from headwater_model.errors import Unavailable

# Besides the throttles: a rival transaction holds an item; S3 is busy.
_PASSING = frozenset({"TransactionConflictException", "TransactionInProgressException", "SlowDown", "RequestTimeout"})
_SERVER_FAULT = 500


def is_throttle(error: ClientError) -> bool:
    """True if DynamoDB refused for now because of load: `ThrottlingException`."""
    return error.response["Error"]["Code"] in {
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
    }


def is_passing(error: Exception) -> bool:
    """True if AWS refused for now, because of load (`SlowDown`) or its own fault (500): the request is not at fault."""
    if isinstance(error, ClientError):
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        return is_throttle(error) or error.response["Error"]["Code"] in _PASSING or status >= _SERVER_FAULT
    return isinstance(error, (Unavailable, BotoCoreError))


def is_of_request(error: ClientError) -> bool:
    """True if AWS refuses this request at any time: its content breaks a rule, such as a size."""
    return error.response["Error"]["Code"] in {
        "ItemCollectionSizeLimitExceededException",
        "SerializationException",
        "TransactionCanceledException",
        "ValidationException",
    }
