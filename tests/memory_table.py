"""The graph table in memory: the interface of `lineage.graph.table.GraphTable`, held to the same behaviours."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

from lineage.graph.table import SIDES_MAX, Row, RowPage


class Items(dict):
    """(pk, sk) -> (version, body), which knows the sort keys of each partition."""

    def __init__(self):
        super().__init__()
        self.partitions = defaultdict(set)

    def __setitem__(self, key, item):
        super().__setitem__(key, item)
        self.partitions[key[0]].add(key[1])

    def forget(self, key):
        if self.pop(key, None):
            self.partitions[key[0]].discard(key[1])


class MemoryTable:
    """`before` is called with the name of each method before it runs: a test may count, interleave or raise there."""

    def __init__(self, before=lambda name: None, after=lambda name: None):
        self.items = Items()
        self.calls = Counter()
        self._before, self._after = before, after

    def get(self, keys):
        return self._call("get", lambda: {key: self._row(key) for key in dict.fromkeys(keys) if key in self.items})

    def query(self, queries):
        return self._call("query", lambda: [self._page(query) for query in queries])

    def put(self, rows):
        return self._call("put", lambda: [self._write(row, row.version) for row in rows] and None)

    def swap(self, swaps):
        return self._call("swap", lambda: [self._swap(swap) for swap in swaps])

    def advance(self, key, name, number):
        return self._call("advance", lambda: self._advance(key, name, number))

    def _call(self, name, act):
        self.calls[name] += 1
        self._before(name)
        answer = act()
        self._after(name)
        return answer

    def _page(self, query):
        found = sorted((sk for sk in self.items.partitions[query.pk] if _asked(query, sk)), key=str.encode)
        ordered = found[::-1] if query.newest_first else found
        return RowPage([self._row((query.pk, sk)) for sk in ordered[: query.limit]], more=len(ordered) > query.limit)

    def _swap(self, swap):
        assert len(swap.puts) + len(swap.deletes) + len(swap.adds) <= SIDES_MAX, "more than one transaction may hold"
        version, _ = self.items.get(swap.row.key, (0, None))
        if version != swap.row.version or (version == 0 and swap.row.key in self.items):
            return False
        self._write(swap.row, version + 1)
        for row in swap.puts:
            self._write(row, row.version)
        for key in swap.deletes:
            self.items.forget(key)
        for add in swap.adds:
            _, body = self.items.get(add.key, (0, "{}"))
            data = json.loads(body)
            self.items[add.key] = (0, json.dumps({**data, add.name: data.get(add.name, 0) + add.by}))
        return True

    def _advance(self, key, name, number):
        version, body = self.items.get(key, (0, "{}"))
        data = json.loads(body)
        if data.get(name, number - 1) < number:
            self.items[key] = (version, json.dumps({**data, name: number}))

    def _write(self, row, version):
        self.items[row.key] = (version, json.dumps(row.data))

    def _row(self, key):
        version, body = self.items[key]
        return Row(*key, json.loads(body), version)


def _asked(query, sk):
    if query.low or query.high:
        return query.low.encode() <= sk.encode() <= query.high.encode()
    return sk.startswith(query.prefix)
