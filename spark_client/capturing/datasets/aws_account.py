"""AWS account of a job, for a catalog of Glue's without an account in the configuration, as on EMR."""

from __future__ import annotations

import logging
from typing import Any

from spark_client.redaction import redact
from spark_client.transport.retry import RetryPolicy

_log = logging.getLogger("headwater.capture")
# A job waits as long at its end, at most, if it is shorter than the request.
_TIMES = RetryPolicy(attempt_s=2.0, connect_s=2.0)


def find_account(region: str) -> str | None:
    """Ask STS for the account of the job's credentials, in the calling thread; None, with a warning, for a failure."""
    try:
        from spark_client.transport.aws_calls import AwsConnection

        with AwsConnection[Any]("sts", "STS", region, _TIMES).use() as sts:
            account: str = sts.get_caller_identity()["Account"]
            return account
    except Exception as error:  # noqa: BLE001 - a name less, never a job
        _log.warning("tables of Glue have no account in their names, set spark.glue.accountId: %s", redact(str(error)))
        return None
