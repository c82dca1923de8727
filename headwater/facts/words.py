"""The index of words: for each word, the jobs, datasets and columns with the word in their own names.

    WORD#<kind>#<letter>#<shard>            <word>~<place><namespace>~<name>~<dataset>~<hash>   (`~`: a zero byte)
    WORD#<kind>#<namespace>#<letter>        <word>~<place><namespace>
    WORD#SHARED#<scope>#<length><letter>    <beginning of words>~<hash>

Kinds are `NAME` (jobs and datasets, by their names) and `COLUMN` (by the path of the field). A row of the second kind
is written once for a namespace and a word. With it a search in a namespace reads no other namespace: each row is the
beginning of the rows of names. Shared rows are written twice, in the scope of all namespaces and of their own.
`<letter>` is the first of the word. Shards keep a word in all names below the limits of a partition.

Columns of a wide dataset share rows, by beginnings of their words: of two letters, of a single letter, or none. The
longest beginning with few rows is taken. So a schema costs a few rows a kilobyte, whatever its names are.

A row is a function of the name, and is written before the facts: a reader checks the facts. Columns are the fields of
schemas and of column lineage.

>>> words_of("emissions.preCheck_v2")
['emissions', 'precheck', 'check', 'v2', '2']
>>> has_words(typed_words("check emis"), ["emissions.preCheck_v2"])
True
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise
from typing import Any, Literal, TypeAlias

import orjson

from headwater.events.event import Facet, Facets
from headwater.facts.facts import DatasetFacts, IdText, dataset_of, text_of
from headwater.facts.table import GraphReader, Key, Row, RowQuery
from headwater_model.columns import ColumnLineage
from headwater_model.field_paths import parse_dotted, print_dotted
from headwater_model.ids import DatasetId, FieldPath, JobId, namespace_hash, sha256_hex

Kind: TypeAlias = Literal["NAME", "COLUMN"]
# The scope of all namespaces; a namespace's scope is the hash of its name.
EVERY_NAMESPACE = "*"
# Letters and digits of any script; each sign between is a border.
_RUN = re.compile(r"[^\W_]+")
# A partition takes 1,000 rows a second.
_SHARDS = 4
# A run in which digits follow letters more often is a hash.
_DIGITS_MAX = 2
# The indexed words of a name, the last ones: a path of storage is most precise at its end. Each row repeats the name,
# so a long name has fewer.
_WORDS_MAX, _WORDS_BYTES_MAX = 32, 16_384
# The indexed columns of a schema, or of a dataset in a facet, from the outside in.
_COLUMNS_MAX = 2_000
# Letters of the path of an indexed column: each path repeats the names of the structs around it. Likewise of all paths
# of a schema, for each byte of the schema.
_PATH_CHARS_MAX = 1_024
_PATHS_CHARS_MIN, _PATHS_CHARS_A_BYTE = 4_096, 8
# Words with rows of their own: of a dataset's columns, and further words a kilobyte of its schema.
_OWN_ROWS_MAX, _OWN_ROWS_A_KB = 40, 0.5
# Letters of the beginnings by which columns share rows: a path may stand under several, in so many letters a byte.
_SHARED_LETTERS, _SHARED_CHARS_A_BYTE = (2, 1, 0), 4
# Letters of a word, and of a name, in a sort key of 1,024 bytes.
_WORD_CHARS_MAX = 64
_NAME_CHARS_MAX = 80
# Words of a search with reads of their own; the rest filters.
_TYPED_MAX = 8
# Rows read by a search for each word, and for each length of beginnings.
ROWS_MAX = 1_000
_SHARED_ROWS_MAX = 400
# Words, each with its place, read by a search in namespaces; and at least for each typed word and namespace.
_PLACES_MAX, _PLACES_MIN = 64, 8


def words_of(name: str) -> list[str]:
    """Split a name: the rest of its run of letters and digits from each beginning of a word, in lower case.

    A word begins after a sign, with a capital after a small letter, and with a digit after a letter. A run with more
    than two such digits is a hash: none of them begins a word.
    """
    return [text[place:].lower() for text, place in _beginnings(name)]


def _beginnings(name: str) -> list[tuple[str, int]]:
    """List the runs of a name, each with a place where a word begins."""
    return [(run[0], place) for run in _RUN.finditer(name) for place in _places(run[0])]


def _places(run: str) -> Sequence[int]:
    """List the places of a run where a word begins."""
    if run.isalpha() and (run.islower() or run.isupper()):  # most
        return (0,)
    pairs = list(enumerate(pairwise(run), 1))
    capitals = [place for place, (before, letter) in pairs if before.islower() and letter.isupper()]
    digits = [place for place, (before, letter) in pairs if before.isalpha() and letter.isdigit()]
    return sorted((0, *capitals, *(digits if len(digits) <= _DIGITS_MAX else ())))


def _last_words(name: str, most: int) -> list[str]:
    """List the last words of a name, each once; a long word is cut, as in the rows."""
    return list(
        dict.fromkeys(text[place : place + _WORD_CHARS_MAX].lower() for text, place in _beginnings(name)[-most:])
    )


def typed_words(text: str) -> list[str]:
    """List the words of a search, each once: the texts between signs, in lower case.

    >>> typed_words("Orders.customer_id orders")
    ['orders', 'customer', 'id']
    """
    return list(dict.fromkeys(run.lower() for run in _RUN.findall(text)))


def has_words(typed: Iterable[str], texts: Iterable[str]) -> bool:
    """True if each typed word begins a word of a text: `["check", "emis"]` of `emissions.preCheck_v2`."""
    words = [word for text in texts for word in words_of(text)]
    return all(any(word.startswith(beginning) for word in words) for beginning in typed)


def name_rows(thing: JobId | DatasetId) -> Iterator[Row]:
    """Yield the rows of the name of a job or a dataset."""
    data = {"job" if isinstance(thing, JobId) else "dataset": text_of(thing)}
    return _rows("NAME", thing.namespace, thing.name, "", data)


def column_rows(dataset: IdText, paths: Iterable[str], size: int) -> Iterator[Row]:
    """Yield the rows of columns of a dataset, by their paths with dots; `size` is the facet's size in bytes."""
    named = dataset_of(dataset)
    words = dict(_words_of_paths(paths, _PATHS_CHARS_MIN + _PATHS_CHARS_A_BYTE * size))
    rows_max = _OWN_ROWS_MAX + _OWN_ROWS_A_KB * size / 1_024
    if sum(map(len, words.values())) <= rows_max:
        for path in words:
            yield from _rows("COLUMN", named.namespace, path, named.name, {"dataset": dataset, "field": path})
        return
    for letters in _SHARED_LETTERS:
        shared = _shared(words, letters)
        chars = sum(len(path) for paths in shared.values() for path in paths)
        if len(shared) <= rows_max and chars <= _SHARED_CHARS_A_BYTE * size:
            break
    for beginning in sorted(shared):
        data = {"dataset": dataset, "fields": shared[beginning]}
        sk = f"{beginning}\0{sha256_hex(orjson.dumps(data).decode())[:32]}"
        for scope in (EVERY_NAMESPACE, namespace_hash(named.namespace)):
            yield Row(_shared_pk(scope, beginning, letters), sk, data)


def _words_of_paths(paths: Iterable[str], chars_max: int) -> Iterator[tuple[str, list[str]]]:
    """Yield paths with their words, up to `chars_max` letters of paths together."""
    for path in sorted(islice(paths, _COLUMNS_MAX)):
        chars_max -= len(path)
        if chars_max < 0:
            return
        if len(path) <= _PATH_CHARS_MAX:
            yield path, _last_words(path, _WORDS_MAX)


def _shared(words: Mapping[str, Sequence[str]], letters: int) -> Mapping[str, Sequence[str]]:
    """Group the paths by the beginnings of their words."""
    shared: dict[str, list[str]] = {}
    for path, of_path in words.items():
        for beginning in {word[:letters] for word in of_path}:
            shared.setdefault(beginning, []).append(path)
    return shared


def columns_key(dataset: IdText, paths: Iterable[str]) -> Key:
    """Name the row that marks these columns of a dataset as indexed; it is written after their rows."""
    digest = sha256_hex("\0".join((dataset, *sorted(paths))))
    return f"WORD#COLUMNS#{digest}", "COMPLETE"


def _rows(kind: Kind, namespace: str, name: str, of: str, data: dict[str, str]) -> Iterator[Row]:
    """Yield the rows of the words of a name; `of` is the dataset of a column."""
    identity = sha256_hex("\0".join((*data, *data.values())))
    text = max(map(len, data.values()))
    words = _last_words(name, max(1, min(_WORDS_MAX, _WORDS_BYTES_MAX // text)))
    scope, in_order = namespace_hash(namespace), f"{name[:_NAME_CHARS_MAX]}\0{of[:_NAME_CHARS_MAX]}"
    for word in words:
        # A name equal to the word comes first, then names with the word at the end, then the rest.
        place = 0 if name.lower() == word else 1 if word == words[-1] else 2
        beginning = f"{word}\0{place}{scope}"
        yield Row(f"WORD#{kind}#{scope}#{word[0]}", beginning, once=True)
        shard = int(identity[16:20], 16) % _SHARDS
        yield Row(f"WORD#{kind}#{word[0]}#{shard}", f"{beginning}\0{in_order}\0{identity[:16]}", data)


def read_documents(
    kind: Kind, scopes: Sequence[str], typed: Sequence[str], table: GraphReader
) -> tuple[list[Mapping[str, Any]], bool]:
    """Read the rows under typed words, `{"job": ...}`, equal words first; return true, too, if rows were not read."""
    words = [word[:_WORD_CHARS_MAX] for word in typed[:_TYPED_MAX]] if scopes else []
    pks = [(f"WORD#{kind}#{scope}#{word[0]}", word) for word in words for scope in scopes if scope != EVERY_NAMESPACE]
    limit = max(_PLACES_MAX // max(len(pks), 1), _PLACES_MIN)
    listed = table.query([RowQuery(pk, prefix=word, limit=limit) for pk, word in pks])
    places = sorted({row.sk for page in listed for row in page.rows})
    pages = table.query([query for word in words for query in _queries(kind, scopes, word, places)])
    cut = len(typed) > _TYPED_MAX or any(page.more for page in (*listed, *pages))
    return [row.data for page in pages for row in page.rows], cut


def _queries(kind: Kind, scopes: Sequence[str], word: str, places: Sequence[str]) -> Iterator[RowQuery]:
    beginnings = [place for place in places if place.startswith(word)] + [word] * (EVERY_NAMESPACE in scopes)
    for beginning in beginnings:
        for shard in range(_SHARDS):
            limit = ROWS_MAX // (_SHARDS * len(beginnings))
            yield RowQuery(f"WORD#{kind}#{word[0]}#{shard}", prefix=beginning, limit=limit)
    for scope in scopes if kind == "COLUMN" else ():
        for letters in _SHARED_LETTERS:
            limit = _SHARED_ROWS_MAX // len(scopes)
            yield RowQuery(_shared_pk(scope, word, letters), prefix=word[:letters], limit=limit)


def _shared_pk(scope: str, word: str, letters: int) -> str:
    return f"WORD#SHARED#{scope}#{letters}{word[: min(letters, 1)]}"


def schema_columns(dataset: DatasetId, old: DatasetFacts, new: DatasetFacts) -> Iterator[Row]:
    """Yield the rows of columns in a dataset's new schemas, without the columns of the old facts' schemas."""
    known, added = _schemas(old), _schemas(new)
    if new.temporary or added.keys() <= known.keys():
        return
    contents = [added[content] for content in sorted(added.keys() - known.keys())]
    stored = {path for schema in known.values() for path in _paths(schema)}
    columns = dict.fromkeys(path for schema in contents for path in _paths(schema) if path not in stored)
    size = sum(len(orjson.dumps(schema)) for schema in contents)
    yield from column_rows(text_of(dataset), map(print_dotted, columns), size)


def columns_of_schemas(facts: DatasetFacts) -> Set[str]:
    """List the paths in the schemas of facts, `{"id", "owner.name"}`, if rows of all their words are written."""
    paths = {print_dotted(path) for schema in _schemas(facts).values() for path in _paths(schema)}
    return paths if sum(map(len, paths)) <= _PATHS_CHARS_MIN and not facts.temporary else set()


def _schemas(facts: DatasetFacts) -> Facets:
    """Join the schemas read, written or declared, by content."""
    histories = (facts.facets, facts.written_schemas, facts.read_schemas)
    return {content: body for facets in histories for content, (_, _, body) in facets.get("schema", {}).items()}


def reported_columns(
    reported: Mapping[DatasetId, ColumnLineage], *, but: Set[DatasetId] = frozenset()
) -> dict[IdText, list[str]]:
    """List the columns in column lineage, outputs and sources alike, by dataset; without the datasets of `but`."""
    paths_of: dict[DatasetId, set[FieldPath]] = {}
    for dataset, columns in reported.items():
        paths_of.setdefault(dataset, set()).update(columns.fields)
        for source in (source for sources in columns.source_sets for source in sources if source.field):
            paths_of.setdefault(source.dataset, set()).add(source.field or ())
    return {
        text_of(dataset): sorted(map(print_dotted, paths))
        for dataset, paths in sorted(paths_of.items())
        if paths and dataset not in but
    }


def _paths(schema: Facet) -> Iterator[FieldPath]:
    """Yield the paths of the indexed fields of a schema facet, from the outside in."""
    return islice(_paths_of_fields(schema), _COLUMNS_MAX)


def _paths_of_fields(schema: Facet) -> Iterator[FieldPath]:
    structs: deque[tuple[FieldPath, object]] = deque([((), schema.get("fields"))])
    while structs:
        outer, fields = structs.popleft()
        for field in fields if isinstance(fields, list) else ():
            path = (*outer, *parse_dotted(str(field.get("name")))) if isinstance(field, dict) else ()
            # The names inside are longer still.
            if path and sum(map(len, path)) <= _PATH_CHARS_MAX:
                yield path
                structs.append((path, field.get("fields")))
