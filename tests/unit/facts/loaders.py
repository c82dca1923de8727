"""Several loaders on a table, a row at a time: dice decide the next loader, its death, and late arrivals of writes.

A read that may miss the last writes misses the last write of a row now and then.

The module knows nothing of loaders' work. Each loader has a thread of its own. The thread waits for its turn before
each row that it reads or writes.
"""

from __future__ import annotations

import threading

from headwater.facts.apply import apply_statements
from tests.fakes.capacity import writes
from tests.fakes.memory_dynamodb import MemoryDynamo
from tests.fakes.memory_table import MemoryTable


class Killed(BaseException):
    """The death of a loader; only the thread of the loader catches it."""


class LaggingDynamo(MemoryDynamo):
    """A table with replicas: dice decide whether an eventually consistent read gives a row before its last write."""

    def __init__(self, dice):
        super().__init__()
        self._dice, self._before = dice, {}

    def respond(self, operation, request):
        keys = [(item["pk"]["S"], item["sk"]["S"]) for item, _ in writes(operation, request)]
        before = {key: self.item(*key) for key in keys}
        response = super().respond(operation, request)
        self._before |= before
        for table, gets in request["RequestItems"].items() if operation == "BatchGetItem" else ():
            if not gets["ConsistentRead"]:
                items = (self._lagging(key["pk"]["S"], key["sk"]["S"]) for key in gets["Keys"])
                response = {**response, "Responses": {table: [item for item in items if item]}}
        return response

    def _lagging(self, *key):
        return self._before[key] if key in self._before and self._dice.random() < 0.3 else self.item(*key)


class SteppedTable(MemoryTable):
    """A loader's view of a shared table: each row of a call is a step, and the rows come in any order.

    `step(late)` comes before each; `late` is the write possibly still under way when the loader dies there.
    """

    def __init__(self, dynamo, step, dice):
        super().__init__(dynamo)
        self._step, self._dice = step, dice

    def get(self, keys, *, eventually=False):
        rows = {}
        for key in self._in_any_order(list(dict.fromkeys(keys))):
            self._step()
            rows |= super().get([key], eventually=eventually)
        return rows

    def query(self, queries):
        pages = {}
        for index in self._in_any_order(range(len(queries))):
            self._step()
            pages[index] = super().query([queries[index]])[0]
        return [pages[index] for index in range(len(queries))]

    def put(self, rows):
        for row in self._in_any_order(list(rows)):
            self._step(lambda row=row: MemoryTable.put(self, [row]))
            super().put([row])

    def put_late(self, rows):
        for row in self._in_any_order(rows):
            self._step(lambda row=row: MemoryTable.put_late(self, [row]))
            super().put_late([row])

    def swap(self, swaps):
        written = {}
        for index in self._in_any_order(range(len(swaps))):
            self._step(lambda index=index: MemoryTable.swap(self, [swaps[index]]))
            written[index] = super().swap([swaps[index]])[0]
        return [written[index] for index in range(len(swaps))]

    def _in_any_order(self, things):
        return self._dice.sample(things, len(things))


class _Loader:
    """A thread that applies messages; it waits at every step to be resumed."""

    def __init__(self, simulation):
        self._simulation = simulation
        self._turn, self._stands = threading.Lock(), threading.Lock()
        self._turn.acquire()
        self._stands.acquire()
        self.message = None
        self.is_doomed = False
        self.fault = None

    def take(self, message):
        """Begin with a message, and stop before its first row."""
        self.message, self.is_doomed = message, False
        threading.Thread(target=self._work, daemon=True).start()
        self._stands.acquire()

    def go_on(self):
        """Go a row further."""
        self._turn.release()
        self._stands.acquire()

    def _work(self):
        simulation = self._simulation
        table = SteppedTable(simulation.dynamo, self._step, simulation.dice)
        try:
            self._step()
            apply_statements(self.message, table, changes_max=simulation.changes_max)
            self._step()
        except Killed:
            simulation.messages.append(self.message)
        except BaseException as fault:  # noqa: BLE001 - the test raises it, whatever it is
            self.fault = fault
        self.message = None
        self._stands.release()

    def _step(self, late=None):
        self._stands.release()
        self._turn.acquire()
        if self.is_doomed:
            if late is not None and self._simulation.dice.random() < 0.5:
                self._simulation.late.append(late)
            raise Killed


class Simulation:
    """Loaders, their waiting messages, and the table."""

    def __init__(self, messages, dice, *, loaders=3, deaths=2):
        self.dynamo = LaggingDynamo(dice)
        self.dice, self._deaths = dice, deaths
        # How many changes a catalogue may have before a loader compacts it.
        self.changes_max = dice.choice((0, 1, 3, 100))
        self.messages = dice.sample(messages, len(messages))
        # Writes of dead loaders, still under way.
        self.late = []
        self._loaders = [_Loader(self) for _ in range(loaders)]
        # The chance of a working loader to go on.
        self._persistence = dice.choice((0, 0, 0.5, 0.9))

    def run(self):
        """Let the loaders work until all messages are applied; return the table."""
        at_work = None
        while self.messages or self.late or any(loader.message is not None for loader in self._loaders):
            if self.late and self.dice.random() < 0.1:
                self.late.pop()()
            if at_work is None or at_work.message is None or self.dice.random() > self._persistence:
                at_work = self._choose()
            if at_work is not None:
                self._further(at_work)
        return MemoryTable(self.dynamo)

    def _choose(self):
        ready = [loader for loader in self._loaders if loader.message is not None or self.messages]
        return self.dice.choice(ready) if ready else None

    def _further(self, loader):
        if loader.message is None:
            loader.take(self.messages.pop())
        elif self._deaths and self.dice.random() < 0.02:
            self._deaths -= 1
            loader.is_doomed = True
        if loader.message is not None:
            loader.go_on()
        if loader.fault is not None:
            raise loader.fault
