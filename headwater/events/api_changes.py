"""Changes through the API, messages of our own: deletions and annotations, as they are sent, and parsing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, TypeVar

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
from headwater_model.ids import JobId
from headwater_model.json_checks import at_most, not_blank

# An annotation is part of the facts of its job or dataset, which every event of it reads.
_DESCRIPTION_BYTES_MAX = 4_096
# Messages for a value of a wrong JSON type, as those of events.
_WORDS = {"model_type": "must be a JSON object", "string_type": "must be a string"}
M = TypeVar("M", bound=Model)


class _AnnotationModel(Model):
    """A change of what is annotated; the names are as they were accepted."""

    eventTime: Time  # noqa: N815 - as in events
    namespace: Namespace
    job: Name | None = None
    dataset: Name | None = None
    caller: Text | None = None

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        if (self.job is None) != (self.dataset is None):
            return self
        raise PydanticCustomError("subject", "must name either a job or a dataset")


class _OwnershipModel(_AnnotationModel):
    """A change of an owner."""

    owner: Name
    type: Name | None = None


class _DocumentationModel(_AnnotationModel):
    """A description of a job, a dataset or a field; none withdraws it."""

    field: Name | None = None
    description: Annotated[Text, checked(not_blank, at_most(_DESCRIPTION_BYTES_MAX))] | None = None


class _TaggingModel(Model):
    """A change of a tag; the names are as they were accepted."""

    eventTime: Time  # noqa: N815 - as in events
    tag: Name
    namespace: Namespace | None = None
    job: Name | None = None
    dataset: Name | None = None
    field: Name | None = None
    description: Text | None = None
    caller: Text | None = None

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        named = [subject for subject in (self.job, self.dataset) if subject is not None]
        if len(named) == (0 if self.namespace is None else 1):
            return self
        raise PydanticCustomError("subject", "must name a namespace with a job or a dataset in it, or none of them")


class _DescriptionModel(Model):
    """The description of a namespace or of a source; it sets all of its values."""

    eventTime: Time  # noqa: N815 - as in events
    namespace: Namespace | None = None
    source: Name | None = None
    owner: Name | None = None
    type: Name | None = None
    connectionUrl: Text | None = None  # noqa: N815 - as in Marquez
    description: Text | None = None

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        if (self.namespace is None) != (self.source is None):
            return self
        raise PydanticCustomError("subject", "must name either a namespace or a source")


class _DeletionModel(Model):
    """A deletion; the names are as they were accepted."""

    eventTime: Time  # noqa: N815 - as in events
    namespace: Namespace
    job: Name | None = None
    dataset: Name | None = None


def parse_change(body: object, rules: NamingRules) -> Event | ApiChange:
    """Parse a line of the raw log: an event, or a change of ours, whatever its time.

    Only the log holds both: senders of events may not delete or tag.
    """
    return parse_api_change(body, rules) if is_api_change(body) else parse_event(body, rules, now=None)


def parse_api_change(body: object, rules: NamingRules) -> ApiChange:
    """Parse the message of a change through the API, as one of the `render_` functions makes it.

    Raises:
        Invalid: the body is no such change, or breaks a rule.
    """
    if not isinstance(body, dict) or not is_api_change(body):
        raise Invalid.because("change", body, f"must be one of {', '.join(API_CHANGES)}, without a producer")
    return _PARSERS[body["change"]](body, rules)


def render_deletion(namespace: str, *, time: str, job: str | None = None, dataset: str | None = None) -> dict[str, str]:
    """Return the message of a deletion accepted at `time` (normalized): of a job, a dataset, or a whole namespace."""
    return _given({"change": "DELETE", "eventTime": time, "namespace": namespace, "job": job, "dataset": dataset})


def render_tagging(tag: str, *, time: str, present: bool = True, **about: str | None) -> dict[str, str]:
    """Return the message of a tag that was set, or taken away, at `time` (normalized).

    `about` are the fields of a tagging: the namespace with the job or the dataset, the field, the description, the
    caller.
    """
    return _given({"change": "TAG" if present else "UNTAG", "eventTime": time, "tag": tag, **about})


def render_ownership(owner: str, *, time: str, present: bool = True, **about: str | None) -> dict[str, str]:
    """Return the message of an owner that was set, or taken away, at `time` (normalized).

    `about` are the fields of an ownership: the namespace with the job or the dataset, the type, the caller.
    """
    return _given({"change": "OWN" if present else "DISOWN", "eventTime": time, "owner": owner, **about})


def render_documentation(*, time: str, **about: str | None) -> dict[str, str]:
    """Return the message of a description accepted at `time` (normalized); `about` are fields of a documentation."""
    return _given({"change": "DOCUMENT", "eventTime": time, **about})


def render_description(*, time: str, **about: str | None) -> dict[str, str]:
    """Return the message of a description accepted at `time` (normalized); `about` are fields of a description."""
    return _given({"change": "DESCRIBE", "eventTime": time, **about})


def _given(fields: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value is not None}


def _deletion(body: object, rules: NamingRules) -> Deletion:
    hash_ = content_hash(body)
    model = _read_model(_DeletionModel, body)
    return Deletion(
        time=model.eventTime,
        hash=hash_,
        namespace=model.namespace,
        job=JobId(model.namespace, model.job) if model.job else None,
        dataset=rules.dataset(model.namespace, model.dataset) if model.dataset else None,
    )


def _tagging(body: Mapping[str, object], rules: NamingRules) -> Tagging:
    hash_ = content_hash(body)
    model = _read_model(_TaggingModel, body)
    namespace = model.namespace or ""
    dataset = rules.dataset(namespace, model.dataset) if model.dataset else None
    return Tagging(
        time=model.eventTime,
        hash=hash_,
        tag=model.tag,
        job=JobId(namespace, model.job) if model.job else None,
        dataset=dataset,
        field=rules.field(dataset, model.field) if dataset and model.field else model.field,
        present=body["change"] == "TAG",
        description=model.description,
        caller=model.caller,
    )


def _ownership(body: Mapping[str, object], rules: NamingRules) -> Ownership:
    hash_ = content_hash(body)
    model = _read_model(_OwnershipModel, body)
    return Ownership(
        time=model.eventTime,
        hash=hash_,
        owner=model.owner,
        type=model.type,
        job=JobId(model.namespace, model.job) if model.job else None,
        dataset=rules.dataset(model.namespace, model.dataset) if model.dataset else None,
        present=body["change"] == "OWN",
        caller=model.caller,
    )


def _documentation(body: object, rules: NamingRules) -> Documentation:
    hash_ = content_hash(body)
    model = _read_model(_DocumentationModel, body)
    dataset = rules.dataset(model.namespace, model.dataset) if model.dataset else None
    return Documentation(
        time=model.eventTime,
        hash=hash_,
        description=model.description,
        job=JobId(model.namespace, model.job) if model.job else None,
        dataset=dataset,
        field=rules.field(dataset, model.field) if dataset and model.field else model.field,
        caller=model.caller,
    )


def _description(body: object, _rules: NamingRules) -> Description:
    hash_ = content_hash(body)
    model = _read_model(_DescriptionModel, body)
    values = model.model_dump(include={"description", *_VALUES["source" if model.source else "namespace"]})
    return Description(time=model.eventTime, hash=hash_, namespace=model.namespace, source=model.source, values=values)


def _read_model(model: type[M], body: object) -> M:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise invalid(error, "event", _WORDS) from error


# The values of a description by its subject, beside the text.
_VALUES = {"namespace": {"owner"}, "source": {"type", "connectionUrl"}}
_PARSERS: Mapping[str, Callable[[Mapping[str, object], NamingRules], ApiChange]] = {
    "DELETE": _deletion,
    "TAG": _tagging,
    "UNTAG": _tagging,
    "OWN": _ownership,
    "DISOWN": _ownership,
    "DOCUMENT": _documentation,
    "DESCRIBE": _description,
}
