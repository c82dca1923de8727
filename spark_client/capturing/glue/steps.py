"""Steps of DynamicFrames, noted from the arguments of their methods.

The steps are JSON for `glue.columns`: names, URLs and queries, without options of users and passwords, code or rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

# Attributes of frames, and of sources and sinks.
STEPS = "_headwater_steps"
SOURCE = "_headwater_sink"
# A frame of more steps is known by its sources alone.
_STEPS_MAX = 2_000
_TEXT_CHARS = 4_000
_PATHS_MAX = 1_000
# Options with names of a connection's data, in lower case. A pipeline has literals: only its presence is noted.
_OPTIONS = frozenset(
    {
        *("paths", "path", "url", "dbtable", "query", "connectionname", "classname"),
        *(
            "topicname",
            "subscribe",
            "assign",
            "bootstrap.servers",
            "streamname",
            "streamarn",
            "endpointurl",
            "awsregion",
        ),
        *("dynamodb.input.tablename", "dynamodb.output.tablename", "dynamodb.tablearn", "dynamodb.region"),
        *("uri", "connection.uri", "database", "collection"),
        *("sfurl", "sfdatabase", "sfschema", "table", "dataset", "project"),
        *("opensearch.nodes", "opensearch.port", "opensearch.resource", "es.nodes", "es.port", "es.resource"),
    }
)
_PRESENT = frozenset({"aggregation.pipeline"})

Arguments: TypeAlias = Mapping[str, Any]


class Step(NamedTuple):
    """Step to a frame: its kind, the steps of its input frames, its arguments, or a frame of Spark's."""

    kind: str
    parents: tuple[Step, ...] = ()
    arguments: Mapping[str, Any] = {}
    frame: Any = None


class Noted(NamedTuple):
    """Steps as JSON, parents first, and the frames of Spark's (in the JVM) at their beginning."""

    text: str
    frames: list[Any]


_NOBODYS = Step("unknown")


def noted(last: Step) -> Noted:
    """Render a step after all steps before it, each once: `[["source", [], {}], ["unnest", [0], {}]]`."""
    order = _in_order(last)
    # Of too many steps, the sources alone stay.
    if len(order) > _STEPS_MAX:
        leaves = tuple(step for step in order if not step.parents)
        last = (
            Step("steps", leaves, {}) if last.kind != "sink" else Step("sink", (Step("steps", leaves),), last.arguments)
        )
        order = _in_order(last)
    places = {id(step): place for place, step in enumerate(order)}
    frames = [step.frame for step in order if step.kind == "frame"]
    numbers = {id(step): number for number, step in enumerate(each for each in order if each.kind == "frame")}
    steps = [
        [
            step.kind,
            [places[id(parent)] for parent in step.parents],
            {"frame": numbers[id(step)]} if step.kind == "frame" else step.arguments,
        ]
        for step in order
    ]
    return Noted(json.dumps(steps), frames)


def _in_order(last: Step) -> list[Step]:
    order: list[Step] = []
    seen: set[int] = set()
    left = [(last, False)]
    while left:
        step, is_ready = left.pop()
        if is_ready:
            order.append(step)
        elif id(step) not in seen:
            seen.add(id(step))
            left.append((step, True))
            left += [(parent, False) for parent in reversed(step.parents)]
    return order


def described(connection_type: object, options: object) -> dict[str, Any]:
    """Describe a connection by its options with names.

    >>> described("postgresql", {"url": "jdbc:postgresql://db/shop", "password": "secret", "dbtable": "orders"})
    {'connection_type': 'postgresql', 'options': {'url': 'jdbc:postgresql://db/shop', 'dbtable': 'orders'}}
    """
    given = {str(key).lower(): value for key, value in options.items()} if isinstance(options, Mapping) else {}
    texts = {key: _plain(value) for key, value in given.items() if key in _OPTIONS and value is not None}
    return {"connection_type": str(connection_type), "options": {**texts, **dict.fromkeys(_PRESENT & set(given), "")}}


def _plain(value: object) -> str | list[str]:
    several = isinstance(value, (list, tuple, set))
    return [str(each) for each in list(value)[:_PATHS_MAX]] if several else str(value)[:_TEXT_CHARS]  # type: ignore[call-overload]


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [str(each) for each in value]  # type: ignore[attr-defined]


def table(arguments: Arguments) -> dict[str, Any]:
    """Describe a table of the catalog; `name_space` is an old name of `database`."""
    named = {**arguments, **arguments.get("kwargs", {})}
    database = named.get("database") or named.get("name_space")
    return {"database": str(database), "table": str(named["table_name"]), "catalog_id": named.get("catalog_id")}


def _name_of(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def steps_of(frame: Any) -> Step:
    """Find the steps of a DynamicFrame; an unknown step after an unknown method."""
    return getattr(frame, STEPS, _NOBODYS)


def frame_of(frame: Any) -> Step:
    """Find the steps of a DynamicFrame, or make the step of a Spark frame."""
    return steps_of(frame) if hasattr(frame, "glue_ctx") else Step("frame", frame=frame._jdf)


class Note(NamedTuple):
    """Note on a method: the names of its arguments with frames, and the arguments of the step."""

    arguments: Callable[[Arguments], dict[str, Any]] = lambda _: {}
    frames: tuple[str, ...] = ("self",)
    kind: str | None = None


def _paths(arguments: Arguments) -> dict[str, Any]:
    return {"paths": _texts(arguments["paths"])}


def _tuples(value: object) -> list[list[str]]:
    several = [value] if isinstance(value, tuple) else value or []
    return [_texts(each) for each in several]  # type: ignore[attr-defined]


def _function(arguments: Arguments) -> dict[str, Any]:
    return {"f": _name_of(arguments["f"])}


# By method of DynamicFrame, the note on its result: a frame made of frames.
STEPS_OF = {
    # Partition functions return unknown columns; `filter` and `map` call both methods.
    "mapPartitionsWithIndex": Note(_function, kind="map"),
    "mapPartitions": Note(_function, kind="map"),
    "map": Note(_function),
    "filter": Note(_function),
    "apply_mapping": Note(lambda arguments: {"mappings": _tuples(arguments["mappings"])}),
    "select_fields": Note(_paths),
    "drop_fields": Note(_paths),
    "rename_field": Note(
        lambda arguments: {"oldName": str(arguments["oldName"]), "newName": str(arguments["newName"])}
    ),
    "resolveChoice": Note(
        lambda arguments: {"specs": _tuples(arguments["specs"]), "choice": str(arguments["choice"] or "")}
    ),
    "join": Note(
        lambda arguments: {"paths1": _texts(arguments["paths1"]), "paths2": _texts(arguments["paths2"])},
        ("self", "frame2"),
    ),
    "union": Note(frames=("self", "other_frame")),
    "mergeDynamicFrame": Note(
        lambda arguments: {"primary_keys": _texts(arguments["primary_keys"])}, ("self", "stage_dynamic_frame")
    ),
    "unbox": Note(lambda arguments: {"path": str(arguments["path"])}),
    **dict.fromkeys(("unnest", "simplify_ddb_json", "unnest_ddb_json", "errorsAsDynamicFrame"), Note()),
    **dict.fromkeys(("with_frame_schema", "repartition", "coalesce", "spigot"), Note(kind="same")),
}


def _note_split_fields(arguments: Arguments, result: Any) -> None:
    parents, paths = (steps_of(arguments["self"]),), _paths(arguments)
    setattr(result[arguments["name1"]], STEPS, Step("select_fields", parents, paths))
    setattr(result[arguments["name2"]], STEPS, Step("drop_fields", parents, paths))


def _note_split_rows(arguments: Arguments, result: Any) -> None:
    paths = {"paths": _texts(arguments["comparison_dict"])}
    for name in (arguments["name1"], arguments["name2"]):
        setattr(result[name], STEPS, Step("split_rows", (steps_of(arguments["self"]),), paths))


def _note_relationalized(arguments: Arguments, result: Any) -> None:
    root, parents = arguments["root_table_name"], (steps_of(arguments["self"]),)
    for name in result.keys():  # noqa: SIM118 - it is no mapping
        array = name.removeprefix(f"{root}_")
        step = Step("unnest", parents) if name == root else Step("pivoted", parents, {"array": array})
        setattr(result[name], STEPS, step)


# By method of DynamicFrame, the note on its result: several frames.
COLLECTIONS_OF: dict[str, Callable[[Arguments, Any], None]] = {
    "split_fields": _note_split_fields,
    "split_rows": _note_split_rows,
    "relationalize": _note_relationalized,
}


def note_frame_of_spark(arguments: Arguments, result: Any) -> None:
    """Note a DynamicFrame made of a Spark frame."""
    setattr(result, STEPS, Step("frame", frame=arguments["dataframe"]._jdf))


def note_source(arguments: Arguments, result: Any) -> None:
    """Note the connection of a source or a sink."""
    setattr(result, SOURCE, described(arguments["connection_type"], arguments["options"]))


def note_catalog_info(arguments: Arguments, result: Any) -> None:  # noqa: ARG001 - a note takes both
    """Note the table of the catalog kept by a sink."""
    sink = getattr(arguments["self"], SOURCE, None)
    if sink is not None:
        sink["catalog_info"] = {
            "database": str(arguments["catalogDatabase"]),
            "table": str(arguments["catalogTableName"]),
            "catalog_id": arguments["catalogId"] or None,
        }


def purges(arguments: Arguments) -> dict[str, Any]:
    """Classify a purge, of `all` files or `some`: by default, files of the last 168 hours stay.

    >>> purges({"options": {"retentionPeriod": 0}}), purges({"options": None})
    ({'purges': 'all'}, {'purges': 'some'})
    """
    options = arguments["options"] or {}
    kept = str(options.get("retentionPeriod", "168")) != "0"
    chosen = any(options.get(key) for key in ("partitionPredicate", "excludeStorageClasses"))
    return {"purges": "some" if kept or chosen else "all"}
