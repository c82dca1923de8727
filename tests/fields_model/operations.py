"""What operations come to: which source fields reach which written field, by asking each written field anew."""

from __future__ import annotations

from lineage.fields.columns import Columns, Source, Transformation
from lineage.names import DatasetId

_SAME = Transformation("DIRECT", "IDENTITY")


def written(operations):
    """What is told of each dataset that the operations write."""
    by_name = {one["name"]: one for one in operations}
    told = {}
    for write in operations:
        if write["type"] == "WRITE":
            fields, types = told.setdefault(_dataset(write["destination"]), ({}, {}))
            for taken in write["inputs"]:
                _tell(by_name, taken, fields, types)
    return {dataset: Columns(fields, {}, types) for dataset, (fields, types) in told.items()}


def _tell(by_name, taken, fields, types):
    origin, name = by_name[taken["origin"]], taken["name"]
    sources = fields.setdefault(slashed(name), {})
    for source, how in _reaching(by_name, origin, name).items():
        sources[source] = sources.get(source, frozenset()) | {how}
    for output in origin["outputs"]:
        if isinstance(output, dict) and output["name"] == name and output.get("type"):
            types[slashed(name)] = max(output["type"], types.get(slashed(name), ""))


def _reaching(by_name, origin, name):
    if origin["type"] == "READ":
        return {Source(_dataset(origin["source"]), slashed(name)): _SAME}
    how = Transformation("DIRECT", "TRANSFORMATION", ", ".join(steps_before(by_name, origin)))
    return dict.fromkeys(_sources(by_name, origin, set()), how)


def _sources(by_name, transform, seen):
    """Every source field that some chain of operations leads from to this one."""
    if transform["name"] in seen:
        return set()
    seen.add(transform["name"])
    found = set()
    for taken in transform["inputs"]:
        origin = by_name[taken["origin"]]
        if origin["type"] == "READ":
            found.add(Source(_dataset(origin["source"]), slashed(taken["name"])))
        else:
            found |= _sources(by_name, origin, seen)
    return found


def steps_before(by_name, transform):
    """The names of the transforms that lead to this one, and its own: each after all that it takes from."""
    steps = []
    for taken in transform["inputs"]:
        origin = by_name[taken["origin"]]
        if origin["type"] == "TRANSFORM":
            steps += [step for step in steps_before(by_name, origin) if step not in steps]
    return [*steps, transform["name"]]


def slashed(text):
    return tuple(text.split("/"))


def _dataset(form):
    return DatasetId(form["namespace"], form["name"])
