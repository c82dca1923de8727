"""Rules of a program's configuration for the names of its datasets.

`NameRules.rename(read)` renames the datasets of a write or a read. Order of the rules: remove a part of the name,
replace parts, resolve the namespace, look up the whole name among the aliases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from headwater_model.columns import ColumnLineage, ColumnSource, Sources, Transformation
from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import is_table_bucket
from spark_client.capturing.model import Dataset, InputStatistics, Read, Symlink, Write

R = TypeVar("R", bound=Read)
# Group of the pattern `spark.openlineage.dataset.removePath.pattern`, in OpenLineage's integration for Spark.
_REMOVE = "remove"
_ARROW = " -> "


@dataclass(frozen=True, slots=True)
class NamespaceResolver:
    """Rule for namespaces, like OpenLineage's resolvers `hostList`, `pattern` and `patternGroup`.

    `schema` restricts the rule to a scheme. `resolved` is the new text, or the kept group of a `patternGroup`.
    """

    patterns: tuple[re.Pattern[str], ...]
    resolved: str
    is_group: bool = False
    schema: str | None = None

    def resolve(self, namespace: str) -> str:
        r"""Replace the match of the first matching pattern in a namespace.

        >>> NamespaceResolver((re.compile(r"kafka-\d"),), "kafka", schema="kafka").resolve("kafka://kafka-1:9092")
        'kafka://kafka:9092'
        """
        if self.schema and not namespace.startswith(f"{self.schema}://"):
            return namespace
        match = next((match for pattern in self.patterns if (match := pattern.search(namespace))), None)
        if match is None:
            return namespace
        text = match[self.resolved] or "" if self.is_group else self.resolved
        return match.re.sub(lambda _: text, namespace)


@dataclass(frozen=True, slots=True)
class NameRules:
    """Rules for names of datasets.

    Attributes:
        remove: pattern with a group `remove`, the part to cut out of a name.
        replacements: pairs of a pattern and its replacement, in order.
        resolvers: rules for namespaces.
        aliases: datasets by their aliases.
    """

    remove: re.Pattern[str] | None = None
    replacements: tuple[tuple[re.Pattern[str], str], ...] = ()
    resolvers: tuple[NamespaceResolver, ...] = ()
    aliases: Mapping[DatasetId, DatasetId] = field(default_factory=dict)

    def name(self, dataset: DatasetId) -> DatasetId:
        r"""Rename a dataset by these rules, except where a rule leaves an empty name.

        >>> rules = NameRules(parse_removal(r"(.*)(?<remove>/v\d+)"), parse_replacements("^raw/ -> lake/"))
        >>> rules.name(DatasetId("s3://flights", "raw/checked/v12"))
        DatasetId(namespace='s3://flights', name='lake/checked')
        """
        name = dataset.name
        match = self.remove.search(name) if self.remove else None
        if match is not None and match[_REMOVE]:
            name = name[: match.start(_REMOVE)] + name[match.end(_REMOVE) :] or name
        for pattern, replacement in self.replacements:
            name = pattern.sub(replacement, name) or name
        namespace = dataset.namespace
        for resolver in self.resolvers:
            namespace = resolver.resolve(namespace) or namespace
        renamed = DatasetId(namespace, name)
        return self.aliases.get(renamed, renamed)

    def rename(self, read: R) -> R:
        """Rename all datasets of a write or a read, and merge inputs with equal new names.

        A table of S3 Tables gets the name in its bucket first, with its location, chosen by AWS, as symlink.
        """
        named = _named_in_buckets(read)
        return named if self == _NO_RULES else self._renamed(named)

    def _renamed(self, read: R) -> R:
        inputs: dict[DatasetId, Dataset] = {}
        for dataset in map(self._dataset, read.inputs):
            inputs[dataset.id] = _united(inputs[dataset.id], dataset) if dataset.id in inputs else dataset
        scanned: dict[DatasetId, InputStatistics] = {}
        for before, statistics in read.scanned.items():
            name = self.name(before)
            scanned[name] = scanned[name].plus(statistics) if name in scanned else statistics
        if not isinstance(read, Write):
            return replace(read, inputs=tuple(inputs.values()), scanned=scanned)
        return replace(
            read,
            inputs=tuple(inputs.values()),
            scanned=scanned,
            output=self._dataset(read.output),
            columns=self._columns(read.columns),
            renamed_from=self.name(read.renamed_from) if read.renamed_from else None,
        )

    def _dataset(self, dataset: Dataset) -> Dataset:
        named = self.name(dataset.id)
        links = {replace(link, namespace=new.namespace, name=new.name): new for link, new in self._links(dataset)}
        return replace(dataset, id=named, symlinks=tuple(link for link, new in links.items() if new != named))

    def _links(self, dataset: Dataset) -> Iterable[tuple[Symlink, DatasetId]]:
        return [(link, self.name(DatasetId(link.namespace, link.name))) for link in dataset.symlinks]

    def _columns(self, columns: ColumnLineage) -> ColumnLineage:
        # Columns keep sharing their sources: for 1,500 columns of 1,500 sources, each source is renamed once.
        known: dict[int, Sources] = {}
        for sources in (columns.dataset_level, *columns.fields.values()):
            if id(sources) not in known:
                known[id(sources)] = self._sources(sources)
        fields = {path: known[id(sources)] for path, sources in columns.fields.items()}
        return ColumnLineage(fields, known[id(columns.dataset_level)], columns.types)

    def _sources(self, sources: Sources) -> Sources:
        renamed: dict[ColumnSource, frozenset[Transformation]] = {}
        for source, transformations in sources.items():
            new = replace(source, dataset=self.name(source.dataset))
            renamed[new] = transformations | renamed.get(new, frozenset())
        return renamed


_NO_RULES = NameRules()


def _named_in_buckets(read: R) -> R:
    datasets = (*read.inputs, read.output) if isinstance(read, Write) else read.inputs
    names = {
        dataset.id: DatasetId(link.namespace, link.name)
        for dataset in datasets
        for link in dataset.symlinks
        if is_table_bucket(link.namespace)
    }
    if not names:
        return read
    places = {name: Symlink(place.namespace, place.name, "LOCATION") for place, name in names.items()}

    def placed(dataset: Dataset) -> Dataset:
        place = places.get(dataset.id)
        return replace(dataset, symlinks=(*dataset.symlinks, place)) if place else dataset

    named = NameRules(aliases=names)._renamed(read)
    named = replace(named, inputs=tuple(map(placed, named.inputs)))
    return replace(named, output=placed(named.output)) if isinstance(named, Write) else named


def _united(first: Dataset, second: Dataset) -> Dataset:
    """Merge two inputs of the same name; the version stays if it is equal."""
    links = tuple(dict.fromkeys((*first.symlinks, *second.symlinks)))
    version = first.version if first.version == second.version else None
    return replace(first, schema=first.schema or second.schema, symlinks=links, version=version)


def parse_pattern(text: str) -> re.Pattern[str]:
    """Compile a regular expression, with names of groups as in Java (`(?<name>`) or Python (`(?P<name>`).

    Raises:
        ValueError: the text is no regular expression.
    """
    try:
        return re.compile(re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", text.strip()))
    except re.error as error:
        raise ValueError(f"must be a regular expression ({error})") from error


def parse_removal(text: str) -> re.Pattern[str]:
    """Compile the pattern of a removed part of names.

    Raises:
        ValueError: the text is no regular expression with a group `remove`.
    """
    pattern = parse_pattern(text)
    if _REMOVE not in pattern.groupindex:
        raise ValueError(f"must be a regular expression with a group (?<{_REMOVE}>...)")
    return pattern


def parse_replacements(text: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    r"""Parse patterns and replacements in lines such as `^raw/(\w+)/v\d+ -> \1`.

    Raises:
        ValueError: a line is no regular expression and its replacement.
    """
    pairs = []
    for line in filter(None, map(str.strip, text.splitlines())):
        pattern, arrow, replacement = f"{line} ".rpartition(_ARROW)
        try:
            compiled = parse_pattern(pattern)
            if not arrow or not pattern:
                raise ValueError("it has no arrow")
            compiled.sub(replacement.strip(), "")  # reads the replacement, whatever matches
        except (re.error, IndexError, ValueError) as error:
            raise ValueError(f"must be lines of REGEX -> REPLACEMENT ({line!r}: {error})") from error
        pairs.append((compiled, replacement.strip()))
    return tuple(pairs)


def parse_aliases(text: str) -> Mapping[DatasetId, DatasetId]:
    """Parse the aliases in lines such as `s3://lake raw/flights -> s3://lake flights`.

    Raises:
        ValueError: a line is not two names, each a namespace, a blank and a name.
    """
    aliases = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        names = [each.strip().split(None, 1) for each in line.split(_ARROW)]
        if [len(each) for each in names] != [2, 2]:
            raise ValueError(f"must be lines of NAMESPACE NAME -> NAMESPACE NAME ({line!r})")
        alias, dataset = (DatasetId(*each) for each in names)
        aliases[alias] = dataset
    return aliases


def parse_resolver(resolved: str, conf: Mapping[str, str]) -> NamespaceResolver:
    """Parse the resolver in the keys behind `spark.openlineage.dataset.namespaceResolvers.{resolved}.`.

    Raises:
        ValueError: the type is unknown, or a key of the type is missing.
    """
    kind, schema = conf.get("type"), conf.get("schema") or None
    hosts = [host.strip() for host in re.split("[;,]", conf.get("hosts", "").strip("[] ")) if host.strip()]
    if kind == "hostList" and hosts:
        patterns = tuple(re.compile(re.escape(host), re.IGNORECASE) for host in hosts)
        return NamespaceResolver(patterns, resolved, schema=schema)
    if kind in ("pattern", "patternGroup") and conf.get("regex"):
        pattern, group = parse_pattern(conf["regex"]), conf.get("matchingGroup", "")
        if kind == "pattern":
            return NamespaceResolver((pattern,), resolved, schema=schema)
        if group in pattern.groupindex:
            return NamespaceResolver((pattern,), group, is_group=True, schema=schema)
    raise ValueError("must be a hostList with hosts, a pattern with a regex, or a patternGroup with its matchingGroup")
