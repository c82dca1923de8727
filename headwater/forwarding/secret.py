"""The bearer token of the endpoint, in Secrets Manager."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from headwater_model.errors import Invalid

# A token that was replaced is used for this long at most; after a refusal it is read at once.
_KEPT_S = 300
# What a header may hold.
_TOKEN = re.compile(r"[!-~]+")


class SecretsClient(Protocol):
    """The client of Secrets Manager, as far as it is used."""

    def get_secret_value(self, *, SecretId: str) -> Any:  # noqa: N803 - boto3's own name
        """Return the secret's value, as `SecretString`."""


class Secret:
    """A token that is read when it is first needed, and again after some minutes by the `clock`, in seconds."""

    def __init__(self, client: SecretsClient, secret_id: str, *, clock: Callable[[], float]) -> None:
        self._client, self._id, self._clock = client, secret_id, clock
        self._token = ""
        self._until_s = 0.0

    def token(self) -> str:
        """Return the token.

        Raises:
            Invalid: the secret holds none; the message does not show the value.
        """
        if not self._token or self._clock() >= self._until_s:
            value = self._client.get_secret_value(SecretId=self._id).get("SecretString", "").strip()
            if not _TOKEN.fullmatch(value):
                raise Invalid.because("forward_secret", self._id, "must hold a token as text, without spaces")
            self._token, self._until_s = value, self._clock() + _KEPT_S
        return self._token

    def forget(self) -> None:
        """Read the secret again when the token is needed next."""
        self._token = ""
