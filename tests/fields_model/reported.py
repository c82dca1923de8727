"""Columns of facets, as they were sent."""

from headwater_model.columns import ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId

NOTHING = frozenset()


def united(reports):
    """Return all reported columns, merged."""
    fields, whole, types = {}, {}, {}
    for columns in reports:
        for path, sources in columns.fields.items():
            _put(fields.setdefault(path, {}), sources)
        _put(whole, columns.dataset_level)
        for path, kind in columns.types.items():
            types[path] = max(kind, types.get(path, kind))
    return ColumnLineage(fields, whole, types)


def _put(known, sources):
    for source, transformations in sources.items():
        known[source] = known.get(source, NOTHING) | transformations


def by_columns(upper, lower):
    """Return the columns of `upper`, and of `lower` those missing there; dataset-level sources of both."""
    fields = {
        path: (upper if path in upper.fields else lower).fields[path] for path in {**lower.fields, **upper.fields}
    }
    return ColumnLineage(fields, united([upper, lower]).dataset_level, upper.types)


def dotted(text):
    return tuple(text.split("."))


def of_column_lineage(facet):
    """Return the columns of a `columnLineage` facet of any version."""
    fields = {}
    for name, column in facet.get("fields", {}).items():
        old = _old_style(column)
        sources = fields.setdefault(dotted(name), {})
        for form in column.get("inputFields") or []:
            _put(sources, {_source(form): _transformations(form) or old})
    return ColumnLineage(fields, _sources(facet.get("dataset") or []))


def of_lineage(entry):
    """Return the columns of an entry of a job's `lineage` facet, or of a dataset's `lineage` facet."""
    fields = {
        dotted(name): _sources(column.get("inputs") or []) for name, column in (entry.get("fields") or {}).items()
    }
    return ColumnLineage(fields, _sources(entry.get("inputs") or []))


def _sources(inputs):
    sources = {}
    for form in inputs:
        if form.get("type") != "JOB":
            _put(sources, {_source(form): _transformations(form)})
    return sources


def _source(form):
    field = form.get("field")
    return ColumnSource(DatasetId(form["namespace"], form["name"]), None if field is None else dotted(field))


def _transformations(form):
    return frozenset(
        Transformation(
            transformation["type"],
            transformation.get("subtype"),
            transformation.get("description"),
            transformation.get("masking"),
        )
        for transformation in form.get("transformations") or []
    )


def _old_style(column):
    """Return a column's transformations in the fields of facets before 1-1-0."""
    kind, description = column.get("transformationType"), column.get("transformationDescription")
    if not kind:
        return frozenset([Transformation("DIRECT", None, description)]) if description else NOTHING
    words = {"IDENTITY": ("IDENTITY", False), "MASKED": ("TRANSFORMATION", True)}
    subtype, masking = words.get(kind, (kind, None))
    return frozenset([Transformation("DIRECT", subtype, description, masking)])
