"""Changes through the API, messages of our own: rendering and parsing of deletions, annotations and descriptions.

    {"change": "TAG", "eventTime": "2026-11-20T12:00:00.000000Z", "tag": "pii", "namespace": "lake", "dataset": "legs"}

Fields follow the rules of events; names are kept as they were accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict

from headwater.events.canonical import content_hash
from headwater.events.event import (
    AccessChange,
    ApiChange,
    Deletion,
    Description,
    Documentation,
    Event,
    Ownership,
    Tagging,
)
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.errors import Invalid
from headwater_model.events import API_CHANGES, is_api_change, is_time, name_in_bounds, namespace_in_bounds
from headwater_model.ids import DatasetId, JobId
from headwater_model.json_checks import Broken, Check, at_most, faults_of, fields_of, list_of, not_blank, text
from headwater_model.times import parse_time

# A change whose fields were checked; null is as good as missing.
_Form: TypeAlias = Mapping[str, Any]
# Every event of a job or dataset reads its facts, and annotations are part of the facts.
_DESCRIPTION_BYTES_MAX = 4_096
# The values of a description by its subject.
_VALUES = {"namespace": ("owner", "description"), "source": ("type", "connectionUrl", "description")}


def parse_change(body: object, rules: NamingRules) -> Event | ApiChange:
    """Parse a document of the raw log, of any time: an event, or a change through the API (`{"change": "TAG", ...}`).

    Only the log holds both: senders of events may not delete or tag.
    """
    return parse_api_change(body, rules) if is_api_change(body) else parse_event(body, rules, now=None)


def parse_api_change(body: object, rules: NamingRules) -> ApiChange:
    """Parse a change through the API, as `render_change` makes it.

    Raises:
        Invalid: the body is no change, or breaks a rule.
    """
    if not isinstance(body, dict) or not is_api_change(body):
        raise Invalid.because("change", body, f"must be one of {', '.join(API_CHANGES)}, without a producer")
    hash_ = content_hash(body)
    check, make = _KINDS[body["change"]]
    if faults := faults_of(check, body, "event"):
        raise Invalid(faults)
    return make(body, hash_, rules)


def render_change(change: str, *, time: str, **fields: str | None) -> dict[str, str]:
    """Render a change accepted at `time` (normalized); `fields` are the fields of its model.

    >>> render_change("TAG", time="2026-11-20T12:00:00.000000Z", tag="pii", namespace="emissions", job="check")["tag"]
    'pii'
    """
    sent = {"change": change, "eventTime": time, **fields}
    return {name: value for name, value in sent.items() if value is not None}


class _OfThing(TypedDict):
    time: str
    hash: str
    job: JobId | None
    dataset: DatasetId | None


def _of_thing(form: _Form, hash_: str, rules: NamingRules) -> _OfThing:
    """Parse the common members of changes to a job or a dataset."""
    namespace, job, dataset = map(form.get, ("namespace", "job", "dataset"))
    return {
        "time": parse_time(form["eventTime"]),
        "hash": hash_,
        "job": JobId(namespace, job) if namespace and job else None,
        "dataset": rules.dataset(namespace, dataset) if namespace and dataset else None,
    }


def _field(form: _Form, dataset: DatasetId | None, rules: NamingRules) -> str | None:
    name: str | None = form.get("field")
    return rules.field(dataset, name) if dataset and name else name


def _deletion(form: _Form, hash_: str, rules: NamingRules) -> Deletion:
    return Deletion(namespace=form["namespace"], **_of_thing(form, hash_, rules))


def _tagging(form: _Form, hash_: str, rules: NamingRules) -> Tagging:
    of = _of_thing(form, hash_, rules)
    return Tagging(
        tag=form["tag"],
        field=_field(form, of["dataset"], rules),
        present=form["change"] == "TAG",
        description=form.get("description"),
        caller=form.get("caller"),
        **of,
    )


def _ownership(form: _Form, hash_: str, rules: NamingRules) -> Ownership:
    kind, present, caller = form.get("type"), form["change"] == "OWN", form.get("caller")
    return Ownership(owner=form["owner"], type=kind, present=present, caller=caller, **_of_thing(form, hash_, rules))


def _documentation(form: _Form, hash_: str, rules: NamingRules) -> Documentation:
    of = _of_thing(form, hash_, rules)
    field = _field(form, of["dataset"], rules)
    return Documentation(description=form.get("description"), field=field, caller=form.get("caller"), **of)


def _description(form: _Form, hash_: str, _rules: NamingRules) -> Description:
    time, namespace, source = parse_time(form["eventTime"]), form.get("namespace"), form.get("source")
    values = {name: form.get(name) for name in _VALUES["source" if source else "namespace"]}
    return Description(time=time, hash=hash_, namespace=namespace, source=source, values=values)


def _access(form: _Form, hash_: str, _rules: NamingRules) -> AccessChange:
    return AccessChange(time=parse_time(form["eventTime"]), hash=hash_, grantee=form["grantee"])


def _one_of(*names: str, rule: str) -> Check:
    """Check that a change has exactly one of these fields."""
    return lambda form: () if sum(form.get(name) is not None for name in names) == 1 else [Broken(form, rule)]


def _tag_subject(form: _Form) -> Sequence[Broken]:
    things = sum(form.get(name) is not None for name in ("job", "dataset"))
    rule = "must name a namespace with a job or a dataset in it, or none of them"
    return () if things == (form.get("namespace") is not None) else [Broken(form, rule)]


_TEXT, _NAME = text(), text(name_in_bounds)
_THING: Mapping[str, Check] = {
    "eventTime": text(is_time),
    "namespace": text(namespace_in_bounds),
    "job": _NAME,
    "dataset": _NAME,
}
_ANNOTATED: Mapping[str, Check] = {**_THING, "caller": _TEXT}
_TIME_AND_PLACE = ("eventTime", "namespace")
_OF_ONE_THING = _one_of("job", "dataset", rule="must name either a job or a dataset")
_TAG = fields_of(
    {"eventTime": text(is_time), "tag": _NAME, **_THING, "field": _NAME, "description": _TEXT, "caller": _TEXT},
    required=("eventTime", "tag"),
    last=_tag_subject,
)
_OWNER = fields_of(
    {**_ANNOTATED, "owner": _NAME, "type": _NAME}, required=(*_TIME_AND_PLACE, "owner"), last=_OF_ONE_THING
)
_DOCUMENT = fields_of(
    {**_ANNOTATED, "field": _NAME, "description": text(not_blank, at_most(_DESCRIPTION_BYTES_MAX))},
    required=_TIME_AND_PLACE,
    last=_OF_ONE_THING,
)
_DESCRIBE = fields_of(
    {
        "eventTime": text(is_time),
        "namespace": text(namespace_in_bounds),
        **dict.fromkeys(("source", "owner", "type"), _NAME),
        **dict.fromkeys(("connectionUrl", "description"), _TEXT),
    },
    required=("eventTime",),
    last=_one_of("namespace", "source", rule="must name either a namespace or a source"),
)
_PATTERNS = dict.fromkeys(("scopes", "namespaces", "references", "roots"), list_of(_TEXT))
_ACCESS = fields_of(
    {"eventTime": text(is_time), "grantee": text(not_blank), "caller": _TEXT, **_PATTERNS},
    required=("eventTime", "grantee"),
)
_KINDS: Mapping[str, tuple[Check, Callable[[_Form, str, NamingRules], ApiChange]]] = {
    "DELETE": (fields_of(_THING, required=_TIME_AND_PLACE), _deletion),
    "TAG": (_TAG, _tagging),
    "UNTAG": (_TAG, _tagging),
    "OWN": (_OWNER, _ownership),
    "DISOWN": (_OWNER, _ownership),
    "DOCUMENT": (_DOCUMENT, _documentation),
    "DESCRIBE": (_DESCRIBE, _description),
    "GRANT": (_ACCESS, _access),
    "REVOKE": (_ACCESS, _access),
}
