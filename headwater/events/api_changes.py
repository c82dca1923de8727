"""Changes through the API, messages of our own: deletions and annotations, as they are sent, and parsing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypedDict, TypeVar

from pydantic import ValidationError, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import Self

from headwater.events.canonical import content_hash
from headwater.events.event import ApiChange, Deletion, Description, Documentation, Event, Ownership, Tagging
from headwater.events.field_types import Model, Name, Namespace, Text, Time
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.validation import checked, invalid
from headwater_model.errors import Invalid
from headwater_model.events import API_CHANGES, is_api_change
from headwater_model.ids import DatasetId, JobId
from headwater_model.json_checks import at_most, not_blank

# An annotation is part of the facts of its job or dataset, which every event of it reads.
_DESCRIPTION_BYTES_MAX = 4_096
# Messages for a value of a wrong JSON type, as those of events.
_WORDS = {"model_type": "must be a JSON object", "string_type": "must be a string"}
M = TypeVar("M", bound=Model)


class _ChangeModel(Model):
    """A change; the names are as they were accepted."""

    change: Text
    eventTime: Time  # noqa: N815 - as in events


class _DeletionModel(_ChangeModel):
    """A deletion."""

    namespace: Namespace
    job: Name | None = None
    dataset: Name | None = None


class _AnnotationModel(_DeletionModel):
    """A change of what is annotated."""

    caller: Text | None = None

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        return _of_one(self, self.job, self.dataset, rule="must name either a job or a dataset")


class _OwnershipModel(_AnnotationModel):
    """A change of an owner."""

    owner: Name
    type: Name | None = None


class _DocumentationModel(_AnnotationModel):
    """A description of a job, a dataset or a field; none withdraws it."""

    field: Name | None = None
    description: Annotated[Text, checked(not_blank, at_most(_DESCRIPTION_BYTES_MAX))] | None = None


class _TaggingModel(_ChangeModel):
    """A change of a tag."""

    tag: Name
    namespace: Namespace | None = None
    job: Name | None = None
    dataset: Name | None = None
    field: Name | None = None
    description: Text | None = None
    caller: Text | None = None

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        rule = "must name a namespace with a job or a dataset in it, or none of them"
        return _of_one(self, self.job, self.dataset, rule=rule, number=0 if self.namespace is None else 1)


class _DescriptionModel(_ChangeModel):
    """The description of a namespace or of a source; it sets all of its values."""

    namespace: Namespace | None = None
    source: Name | None = None
    owner: Name | None = None
    type: Name | None = None
    connectionUrl: Text | None = None  # noqa: N815 - as in Marquez
    description: Text | None = None

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        return _of_one(self, self.namespace, self.source, rule="must name either a namespace or a source")


def _of_one(model: M, *things: str | None, rule: str, number: int = 1) -> M:
    """Return a model that names so many of the things."""
    if len(things) - things.count(None) != number:
        raise PydanticCustomError("subject", rule)
    return model


def parse_change(body: object, rules: NamingRules) -> Event | ApiChange:
    """Parse a line of the raw log: an event, or a change of ours, whatever its time.

    Only the log holds both: senders of events may not delete or tag.
    """
    return parse_api_change(body, rules) if is_api_change(body) else parse_event(body, rules, now=None)


def parse_api_change(body: object, rules: NamingRules) -> ApiChange:
    """Parse the message of a change through the API, as `render_change` makes it.

    Raises:
        Invalid: the body is no such change, or breaks a rule.
    """
    if not isinstance(body, dict) or not is_api_change(body):
        raise Invalid.because("change", body, f"must be one of {', '.join(API_CHANGES)}, without a producer")
    hash_ = content_hash(body)
    model, make = _KINDS[body["change"]]
    try:
        form = model.model_validate(body)
    except ValidationError as error:
        raise invalid(error, "event", _WORDS) from error
    return make(form, hash_, rules)


def render_change(change: str, *, time: str, **fields: str | None) -> dict[str, str]:
    """Return the message of a change that was accepted at `time` (normalized); the fields are those of its model.

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


def _of_thing(form: _DeletionModel | _TaggingModel, hash_: str, rules: NamingRules) -> _OfThing:
    """Return the members that changes of a job or a dataset have in common."""
    namespace = form.namespace or ""
    return {
        "time": form.eventTime,
        "hash": hash_,
        "job": JobId(namespace, form.job) if form.job else None,
        "dataset": rules.dataset(namespace, form.dataset) if form.dataset else None,
    }


def _field(name: str | None, dataset: DatasetId | None, rules: NamingRules) -> str | None:
    return rules.field(dataset, name) if dataset and name else name


def _deletion(form: _DeletionModel, hash_: str, rules: NamingRules) -> Deletion:
    return Deletion(namespace=form.namespace, **_of_thing(form, hash_, rules))


def _tagging(form: _TaggingModel, hash_: str, rules: NamingRules) -> Tagging:
    of = _of_thing(form, hash_, rules)
    return Tagging(
        tag=form.tag,
        field=_field(form.field, of["dataset"], rules),
        present=form.change == "TAG",
        description=form.description,
        caller=form.caller,
        **of,
    )


def _ownership(form: _OwnershipModel, hash_: str, rules: NamingRules) -> Ownership:
    present, of = form.change == "OWN", _of_thing(form, hash_, rules)
    return Ownership(owner=form.owner, type=form.type, present=present, caller=form.caller, **of)


def _documentation(form: _DocumentationModel, hash_: str, rules: NamingRules) -> Documentation:
    of = _of_thing(form, hash_, rules)
    field = _field(form.field, of["dataset"], rules)
    return Documentation(description=form.description, field=field, caller=form.caller, **of)


def _description(form: _DescriptionModel, hash_: str, _rules: NamingRules) -> Description:
    values = form.model_dump(include={"description", *_VALUES["source" if form.source else "namespace"]})
    return Description(time=form.eventTime, hash=hash_, namespace=form.namespace, source=form.source, values=values)


# The values of a description by its subject, beside the text.
_VALUES = {"namespace": {"owner"}, "source": {"type", "connectionUrl"}}
_KINDS: Mapping[str, tuple[type[Model], Callable[[Any, str, NamingRules], ApiChange]]] = {
    "DELETE": (_DeletionModel, _deletion),
    "TAG": (_TaggingModel, _tagging),
    "UNTAG": (_TaggingModel, _tagging),
    "OWN": (_OwnershipModel, _ownership),
    "DISOWN": (_OwnershipModel, _ownership),
    "DOCUMENT": (_DocumentationModel, _documentation),
    "DESCRIBE": (_DescriptionModel, _description),
}
