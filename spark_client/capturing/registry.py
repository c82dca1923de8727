"""Installed connectors, ours and of further packages, loaded when the first plan is read.

A connector with a fault costs its own names, and a single warning.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from headwater_model.ids import DatasetId
from spark_client.capturing.parts import PARTS
from spark_client.connectors import GROUP, Computed, Connector, Described
from spark_client.dataset_names import clean_dataset
from spark_client.redaction import redact

_log = logging.getLogger("headwater.capture")
# Our modules and classes: a list, since an archive of Python files has no entry points.
_OURS = (
    *(
        f"datasets.connectors.{connector}"
        for connector in ("aws:DynamoDb", "aws:Kinesis", "mongodb:MongoDb", "search:ELASTICSEARCH", "search:OPENSEARCH")
    ),
    *(f"{part.name}.{connector}" for part in PARTS for connector in part.connectors),
)
# Getter of the class with its package: a plan's `class` has no package.
_FULL_NAME = "getClass.getName"
_NAMES_IN_PLANS = (_FULL_NAME, "shortName", "className")
_SECRET = re.compile(r"pass|pwd|secret|token|credential|private|access\W?key|api\W?key|auth|signature|\buser", re.I)
_NAME_CHARS_MAX = 2000


class Registry:
    """Connectors, and the names of their reads in the JVM. The first connector of a class is chosen.

    `faulty` has the classes of connectors after an error.
    """

    def __init__(self, connectors: Iterable[Connector]) -> None:
        self._by_name: dict[str, Connector] = {}
        self._options: dict[int, frozenset[str]] = {}
        self._getters: dict[str, dict[str, None]] = {}
        self.faulty: set[str] = set()
        self._lock = threading.Lock()
        for connector in connectors:
            try:
                self._add(connector)
            except Exception as error:  # noqa: BLE001 - another's class: it costs its own names alone
                self._warn(connector, f"{type(connector).__name__} is no connector", error)

    @property
    def getters(self) -> Mapping[str, Sequence[str]]:
        """Methods to call, by class: `{"com.acme.AcmeTable": ("getClass.getName", "url")}`."""
        return {owner: tuple(names) for owner, names in self._getters.items()}

    @property
    def options(self) -> frozenset[str]:
        """Keys of options to read, in lower case."""
        return frozenset().union(*self._options.values())

    @property
    def conf_keys(self) -> frozenset[str]:
        """Keys of Spark's conf to read, in lower case."""
        return frozenset(key.removesuffix("?") for key in self.options if key.startswith("spark."))

    @property
    def names(self) -> Sequence[str]:
        """Names of the connectors' classes and sources, in lower case."""
        return tuple(self._by_name)

    def find(
        self,
        source: Mapping[str, Any],
        options: object = None,
        *,
        form: str | None = None,
        is_write: bool = False,
        conf: object = None,
    ) -> Sequence[DatasetId] | None:
        """Find the datasets of an object in a plan; None without a connector for the object.

        `options` are of the read or write, `conf` is Spark's. `form` names the source of an object without a name.
        """
        names = [str(source.get(key) or "").lower() for key in _NAMES_IN_PLANS] + [str(form or "").lower()]
        name = next((name for name in names if name in self._by_name), None)
        if name is None:
            return None
        connector = self._by_name[name]
        # Options of the table or the read come first; a connector without them gets the maps of its getters.
        own = self._options_of(connector, [source.get("properties"), options])
        given = own or self._options_of(connector, source.values())
        values = {key: value for key, value in source.items() if key not in _NAMES_IN_PLANS and key != "class"}
        of_conf = self._options_of(connector, [conf])
        return self._datasets(connector, Described(name, given, values, is_write, of_conf))

    def _add(self, connector: Connector) -> None:
        # Read all of the connector first: a fault raises before anything is added.
        names = [str(name).lower() for name in connector.classes]
        getters = {str(owner): [str(name) for name in each] for owner, each in dict(connector.getters).items()}
        keys = [str(key).lower() for key in connector.options]
        secret = [key for key in keys if _SECRET.search(key)]
        if secret:
            _log.warning(
                "capture: %s asks for the options %s, which may be secrets: they are not read",
                type(connector).__name__,
                ", ".join(secret),
            )
        for name in names:
            self._by_name.setdefault(name, connector)
        for owner in connector.classes:
            if "." in owner:
                self._getters.setdefault(owner, {})[_FULL_NAME] = None
        for owner, each in getters.items():
            self._getters.setdefault(owner, {}).update(dict.fromkeys(each))
        self._options[id(connector)] = frozenset(keys) - frozenset(secret)

    def _options_of(self, connector: Connector, maps: Iterable[object]) -> Mapping[str, str]:
        """Select the connector's own options; a later map overrides an earlier map."""
        known = self._options[id(connector)]
        return {
            key.lower(): str(value) if key.lower() in known else ""
            for each in maps
            if isinstance(each, Mapping) and "class" not in each
            for key, value in each.items()
            if (key.lower() in known and value is not None) or f"{key.lower()}?" in known
        }

    def _datasets(self, connector: Connector, described: Described) -> Sequence[DatasetId]:
        try:
            named = connector.datasets(described)
            clean = list(dict.fromkeys(_clean(dataset) for dataset in named))
        except Exception as error:  # noqa: BLE001 - another's class: it costs its own names alone
            self._warn(connector, f"{type(connector).__name__} names nothing of {described.name}", error)
            return ()
        return Computed(clean) if isinstance(named, Computed) else clean

    def _warn(self, connector: object, what: str, error: Exception) -> None:
        kind = f"{type(connector).__module__}.{type(connector).__qualname__}"
        with self._lock:
            known = kind in self.faulty
            self.faulty.add(kind)
        if not known:
            _log.warning("capture: %s: %s: %s", what, type(error).__name__, redact(str(error)))


def _clean(dataset: DatasetId) -> DatasetId:
    if not isinstance(dataset, DatasetId):
        raise TypeError(f"a dataset is {type(dataset).__name__}, must be a DatasetId")
    if not dataset.namespace.strip() or not 0 < len(dataset.name) <= _NAME_CHARS_MAX:
        rule = f"must have 1 to {_NAME_CHARS_MAX}, and a namespace"
        raise ValueError(f"a name has {len(dataset.name)} characters, {rule}")
    return clean_dataset(dataset)


@lru_cache(maxsize=1)
def registry() -> Registry:
    """Load the connectors of this Python, once."""
    ours = [EntryPoint(value.partition(":")[2], f"{__package__}.{value}", GROUP) for value in _OURS]
    return Registry(load([*ours, *_others()]))


def _others() -> Sequence[EntryPoint]:
    try:
        return tuple(entry_points(group=GROUP))
    except Exception as error:  # noqa: BLE001 - metadata of some package that cannot be read
        _log.warning("capture: connectors of other packages are not known: %s: %s", type(error).__name__, error)
        return ()


def load(points: Iterable[EntryPoint]) -> list[Connector]:
    """Load the connectors of entry points; a class becomes an instance."""
    connectors = []
    for entry_point in points:
        try:
            loaded = entry_point.load()
            connectors.append(loaded() if isinstance(loaded, type) else loaded)
        except Exception as error:  # noqa: BLE001 - another's module: it costs its own names alone
            _log.warning(
                "capture: connector %s (%s) cannot be loaded: %s: %s",
                entry_point.name,
                entry_point.value,
                type(error).__name__,
                redact(str(error)),
            )
    return connectors
