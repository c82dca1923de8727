"""AWS Signature Version 4 of requests to DynamoDB: POST of a body to a single path, without a query.

The steps are those of AWS's "Create a signed AWS API request"; botocore's `SigV4Auth` signs any request, with four
times the CPU.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from botocore.exceptions import NoCredentialsError

if TYPE_CHECKING:
    from botocore.credentials import Credentials, ReadOnlyCredentials

SERVICE = "dynamodb"
CONTENT_TYPE = "application/x-amz-json-1.0"
_ALGORITHM = "AWS4-HMAC-SHA256"
_TIME = "%Y%m%dT%H%M%SZ"
# AWS takes five minutes of difference; a clock further off is corrected.
_SKEW_MAX = timedelta(minutes=4)


def utc_now() -> datetime:
    """Read the machine's clock."""
    return datetime.now(timezone.utc)


class Signer:
    """A signer with the process's credentials, which botocore renews before they expire."""

    def __init__(
        self, credentials: Credentials | None, *, url: str, region: str, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._credentials = credentials
        self._host, self._region, self._now = urlsplit(url).netloc, region, now
        self._skew = timedelta()
        # The secret, the date, and the key derived from both.
        self._derived = ("", "", b"")

    def headers(self, target: str, body: bytes) -> dict[str, str]:
        """Build every header of the request besides HTTP's own. Raises `NoCredentialsError`."""
        if self._credentials is None:
            raise NoCredentialsError
        known = self._credentials.get_frozen_credentials()
        time = (self._now() + self._skew).strftime(_TIME)
        headers = {"content-type": CONTENT_TYPE, "host": self._host, "x-amz-date": time}
        if known.token:
            headers["x-amz-security-token"] = known.token
        headers["x-amz-target"] = target
        headers["authorization"] = self._authorization(known, headers, time, body)
        return headers

    def adjust(self, headers: Mapping[str, str], date: str | None) -> bool:
        """Follow the clock of AWS, a response's `Date`; True if the request's clock was far off."""
        try:
            current = parsedate_to_datetime(date or "").astimezone(timezone.utc)
        except ValueError:
            return False
        signed = datetime.strptime(headers["x-amz-date"], _TIME).replace(tzinfo=timezone.utc)
        self._skew = current - self._now()
        return abs(current - signed) > _SKEW_MAX

    def _authorization(self, known: ReadOnlyCredentials, headers: dict[str, str], time: str, body: bytes) -> str:
        names = ";".join(headers)
        lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
        canonical = f"POST\n/\n\n{lines}\n{names}\n{hashlib.sha256(body).hexdigest()}"
        scope = f"{time[:8]}/{self._region}/{SERVICE}/aws4_request"
        text = f"{_ALGORITHM}\n{time}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signature = hmac.digest(self._key(known.secret_key or "", time[:8]), text.encode(), "sha256").hex()
        return f"{_ALGORITHM} Credential={known.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"

    def _key(self, secret: str, date: str) -> bytes:
        """Derive the day's key, once a day and secret."""
        known_secret, known_date, key = self._derived
        if (known_secret, known_date) != (secret, date):
            key = f"AWS4{secret}".encode()
            for part in (date, self._region, SERVICE, "aws4_request"):
                key = hmac.digest(key, part.encode(), "sha256")
            self._derived = (secret, date, key)
        return key
