"""Screens of features: content that must not be stored is left out of records and events before they are loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from headwater.features import FEATURES

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from headwater.events.naming import NamingRules


class Screen(Protocol):
    """A screen, as it is at the beginning of a batch."""

    def event(self, document: Any, rules: NamingRules) -> Any | None:
        """Leave out the parts of an event or a change that must not be stored; None leaves out all of it."""

    def keeps(self, root_id: str) -> bool:
        """True if the records of the root may be stored."""


@dataclass(frozen=True, slots=True)
class Screens:
    """Screens, one behind the other."""

    screens: tuple[Screen, ...] = ()

    def event(self, document: Any, rules: NamingRules) -> Any | None:
        """See `Screen`."""
        for screen in self.screens:
            if document is not None:
                document = screen.event(document, rules)
        return document

    def keeps(self, root_id: str) -> bool:
        """See `Screen`."""
        return all(screen.keeps(root_id) for screen in self.screens)


NO_SCREENS = Screens()


def read_screens(dynamodb: DynamoDBClient, table: str, variables: Mapping[str, str] | None = None) -> Screens:
    """Read the screens that variables switch on, such as `{"ERASE": "true"}`; without variables all screens."""
    given = [feature.screen for feature in FEATURES if feature.screen]
    modules = [module for variable, module in given if variables is None or variables.get(variable)]
    return Screens(tuple(import_module(module).make_screen(dynamodb, table) for module in modules))
