"""Tags, owners and descriptions: each by its last facet, with the producer and the time of the facet, or by the API."""

from headwater.facts.annotations import Annotations, Attribution, Owner, Tag, Text
from tests.runs_model.facets import canonical, when


def annotations_of(pairs, *, of_job=False, of_runs=(), taggings=(), ownerships=(), documentations=()):
    """Return the annotations from (event, facets) of a job or a dataset; a job has no fields.

    A job has the last tags `of_runs` as well. The last of the `taggings` of a tag decides, whatever the facets have;
    likewise of the `ownerships` of an owner. The last of the `documentations` of a field is its text, if it has one.
    """
    pairs = list(pairs)
    tags, tagged = _last(pairs, "tags")
    owners, owned = _last(pairs, "ownership")
    documentation, described = _last(pairs, "documentation")
    owners = {Owner(owner["name"], owner.get("type"), owned): None for owner in owners.get("owners", [])}
    texts = _texts(documentations)
    own = [text.reported_by for text in texts if text.field is None]
    return Annotations(
        tags=_with(_tags([(tags, tagged), _last(list(of_runs), "tags")], of_job), taggings),
        owners=_owners(list(owners), ownerships),
        texts=tuple(texts),
        described=own[0] if own else described if documentation.get("description") else None,
    )


def _owners(sent, ownerships):
    decided = {ownership.owner.lower(): ownership for ownership in sorted(ownerships, key=when)}
    given = [
        Owner(ownership.owner, ownership.type, Attribution(None, ownership.time, ownership.caller))
        for _, ownership in sorted(decided.items())
        if ownership.present
    ]
    return (*(owner for owner in sent if owner.name.lower() not in decided), *given)


def _texts(documentations):
    last = {documentation.field or "": documentation for documentation in sorted(documentations, key=when)}
    return [
        Text(
            documentation.field, documentation.description, Attribution(None, documentation.time, documentation.caller)
        )
        for _, documentation in sorted(last.items())
        if documentation.description is not None
    ]


def _last(pairs, name):
    """Return the last facet of this name, and its producer and time; an empty facet if there is none."""
    sent = [(*when(event), canonical(facets[name]), facets[name]) for event, facets in pairs if name in facets]
    if not sent or (last := max(sent, key=lambda report: report[:3])[-1]).get("_deleted"):
        return {}, None
    return last, Attribution(last.get("_producer"), max(sent, key=lambda report: report[:3])[0])


def _with(tags, taggings):
    named = {(tag.field or "", tag.name.lower()): tag for tag in tags}
    for tagging in sorted(taggings, key=when):
        reporter = Attribution(None, tagging.time, tagging.caller)
        named[tagging.field or "", tagging.tag.lower()] = tagging.present and Tag(
            tagging.tag, tagging.field, None, "API", reporter
        )
    return tuple(named[key] for key in sorted(named) if named[key])


def _tags(facets, of_job):
    named = {}
    for reporter, form in ((reporter, tag) for facet, reporter in facets for tag in facet.get("tags", [])):
        if form.get("source") == "OPENLINEAGE_CLIENT":
            continue
        value = form.get("value") or None
        field = None if of_job else form.get("field")
        tag = Tag(_name(form["key"], value), field, value, form.get("source"), reporter)
        named.setdefault((tag.field or "", tag.name.lower()), []).append(tag)
    return tuple(
        min(named[key], key=lambda tag: (tag.name, tag.value or "", tag.source or "")) for key in sorted(named)
    )


def _name(key, value):
    """Return a tag's key, and its value where that says more."""
    return key if value is None or value.lower() in ("true", key.lower()) else f"{key}:{value}"
