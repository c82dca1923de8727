"""The screen of loading: content of erased targets is left out before it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.features.erase.targets import Erased, Tombstones

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from headwater.events.naming import NamingRules


@dataclass(frozen=True, slots=True)
class ErasedScreen:
    """The tombstones as a `headwater.loading.screens.Screen`."""

    erased: Erased

    def event(self, document: Any, rules: NamingRules) -> Any | None:
        """See `Screen`."""
        from headwater.features.erase.redaction import redact

        return redact(document, self.erased, rules)

    def keeps(self, root_id: str) -> bool:
        """See `Screen`."""
        return not self.erased.has_root(root_id)


def make_screen(dynamodb: DynamoDBClient, table: str) -> ErasedScreen:
    """Read the tombstones."""
    return ErasedScreen(Tombstones(dynamodb, table).read())
