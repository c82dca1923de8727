"""Events and changes without the names of targets: the same rule for the raw log, for loading and for a replay."""

from __future__ import annotations

from typing import Any, Final

from headwater.events.naming import NamingRules
from headwater.features.erase.targets import Erased
from headwater_model.events import is_api_change
from headwater_model.ids import DatasetId, JobId

_GONE: Final = object()
# Optional members: a parent run stays without its root.
_OPTIONAL = frozenset({"root", "previousIdentifier"})
_FACETS = frozenset({"facets", "inputFacets", "outputFacets"})
# Facets of parts that name each other go as a whole.
_WHOLE = frozenset({"headwater_operations"})
_RECORDS = "headwater_records"


def redact(document: Any, erased: Erased, rules: NamingRules) -> Any | None:
    """Leave the targets out of an event or a change; return None for a document about a target.

    A document without targets is returned as it is. Datasets are compared by the sent name, and by the name of the
    rules. Free text (SQL, messages) stays.
    """
    if not erased.hashes or not isinstance(document, dict):
        return document
    pruned = _change(document, erased, rules) if is_api_change(document) else _Pruning(erased, rules).prune(document)
    if pruned is _GONE:
        return None
    return document if pruned == document else pruned


def _change(change: dict[str, Any], erased: Erased, rules: NamingRules) -> Any:
    """Judge a change through the API by its namespace, job and dataset."""
    namespace = change.get("namespace")
    if not isinstance(namespace, str):
        return change
    things: list[JobId | DatasetId] = []
    if isinstance(change.get("job"), str):
        things.append(JobId(namespace, change["job"]))
    if isinstance(change.get("dataset"), str):
        things += [DatasetId(namespace, change["dataset"]), rules.dataset(namespace, change["dataset"])]
    return _GONE if erased.has_namespace(namespace) or any(map(erased.has, things)) else change


class _Pruning:
    """A walk through a document of bounded depth (`LEVELS_MAX`): objects with the name of a target are left out.

    Without a required member, an object goes too: up to an entry of a list, or a facet.
    """

    def __init__(self, erased: Erased, rules: NamingRules) -> None:
        self._erased = erased
        self._rules = rules

    def prune(self, value: Any, name: str = "") -> Any:
        """Prune a value, the member `name` of its object."""
        if isinstance(value, list):
            return [kept for entry in value if (kept := self.prune(entry, name)) is not _GONE]
        if not isinstance(value, dict):
            return value
        if self._names_target(value, name):
            return _GONE
        if name in _FACETS:
            facets = ((facet, self._facet(facet, body)) for facet, body in value.items())
            return {facet: kept for facet, kept in facets if kept is not _GONE}
        members = {member: self.prune(child, member) for member, child in value.items()}
        gone = {member for member, kept in members.items() if kept is _GONE}
        if gone - _OPTIONAL:
            return _GONE
        return {member: kept for member, kept in members.items() if member not in gone}

    def _facet(self, name: str, facet: Any) -> Any:
        if name == _RECORDS and isinstance(facet, dict) and isinstance(facet.get("rootIds"), list):
            roots = [root for root in facet["rootIds"] if not (isinstance(root, str) and self._erased.has_root(root))]
            return {**facet, "rootIds": roots} if roots else _GONE if facet["rootIds"] else facet
        pruned = self.prune(facet, name)
        return _GONE if name in _WHOLE and pruned != facet else pruned

    def _names_target(self, form: dict[str, Any], member: str) -> bool:
        namespace, name = form.get("namespace"), form.get("name")
        if not isinstance(namespace, str):
            return False
        if not isinstance(name, str):
            return self._erased.has_namespace(namespace)
        if member == "job" or form.get("type") == "JOB":
            return self._erased.has(JobId(namespace, name))
        return self._erased.has(DatasetId(namespace, name)) or self._erased.has(self._rules.dataset(namespace, name))
