"""Columns of operations: the source fields of each written field, computed for each field anew."""

from headwater_model.columns import ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId

_SAME = Transformation("DIRECT", "IDENTITY")


def written(operations):
    """Return the columns of each dataset that the operations write."""
    by_name = {operation["name"]: operation for operation in operations}
    origins = {}
    for write in operations:
        for taken in write["inputs"] if write["type"] == "WRITE" else ():
            fields = origins.setdefault(dataset_of(write["destination"]), {})
            fields.setdefault(slashed(taken["name"]), []).append((by_name[taken["origin"]], taken["name"]))
    return {dataset: _columns(by_name, fields) for dataset, fields in origins.items()}


def read_of(operations):
    """Return the fields that the operations read, by dataset."""
    fields_by_dataset = {}
    for operation in operations:
        if operation["type"] == "READ":
            fields_by_dataset.setdefault(dataset_of(operation["source"]), set()).update(
                slashed(field_name(field)) for field in operation["outputs"]
            )
    return fields_by_dataset


def dropped(operations):
    """Return the source fields that reach an operation without outputs."""
    by_name = {operation["name"]: operation for operation in operations}
    drops = [operation for operation in operations if operation["type"] == "TRANSFORM" and not operation["outputs"]]
    origins = [(by_name[taken["origin"]], taken["name"]) for drop in drops for taken in drop["inputs"]]
    return set(_sources(by_name, origins))


def field_name(field):
    return field["name"] if isinstance(field, dict) else field


def _columns(by_name, origins):
    fields, types = {}, {}
    for path, own_origins in origins.items():
        fields[path] = _sources(by_name, own_origins)
        given = [kind for origin, name in own_origins if (kind := _type(origin, name))]
        types.update({path: max(given)} if given else {})
    return ColumnLineage(fields, {}, types)


def _type(origin, name):
    return next(
        (output.get("type") for output in origin["outputs"] if isinstance(output, dict) and output["name"] == name),
        None,
    )


def _sources(by_name, origins):
    """Return the source fields of a field with these origins, with transformations."""
    sources, between = {}, {}
    for origin, name in origins:
        if origin["type"] == "READ":
            sources[ColumnSource(dataset_of(origin["source"]), slashed(name))] = frozenset([_SAME])
        else:
            _unite(between, _ways(by_name, origin))
    for source, names in between.items():
        steps = sorted(names, key=lambda name: (_level(by_name, name), name))
        how = Transformation("DIRECT", "TRANSFORMATION", ", ".join(steps))
        sources[source] = sources.get(source, frozenset()) | {how}
    return sources


def _ways(by_name, transform):
    """Return the source fields of a transform, each with the names of all transforms on its paths, itself included."""
    names_by_source = {}
    for taken in transform["inputs"]:
        origin = by_name[taken["origin"]]
        if origin["type"] == "READ":
            _unite(names_by_source, {ColumnSource(dataset_of(origin["source"]), slashed(taken["name"])): set()})
        else:
            _unite(names_by_source, _ways(by_name, origin))
    return {source: names | {transform["name"]} for source, names in names_by_source.items()}


def _unite(names_by_source, more):
    for source, names in more.items():
        names_by_source[source] = names_by_source.get(source, set()) | names


def _level(by_name, name):
    """Return the level of an operation: it runs as soon as all its origins have run."""
    return 1 + max((_level(by_name, taken["origin"]) for taken in by_name[name].get("inputs", ())), default=-1)


def slashed(text):
    return tuple(text.split("/"))


def dataset_of(form):
    return DatasetId(form["namespace"], form["name"])
