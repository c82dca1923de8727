"""Searches by the API, over moto's tables and DuckDB for Athena; days are compacted as the state machine does."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.aws.athena import Athena
from headwater.records.archive import Archive
from headwater.records.digest import DigestLines, key_of
from headwater.records.search.archive import ArchiveSearch
from headwater.records.search.live import LiveSearch, Roots
from headwater.records.search.searcher import Searcher
from headwater.times import day_of, shift
from lambdas import wiring
from tests.aws.api.conftest import RECORDS, Caller
from tests.duckdb_athena import WORKGROUP, DuckDbAthena

DAY_S = 24 * 3600


@dataclass
class Search:
    """Asks the API, and moves the archive on."""

    api: Caller
    athena: DuckDbAthena = field(default_factory=DuckDbAthena)
    slept: list[float] = field(default_factory=list)

    @property
    def cloud(self):
        return self.api.cloud

    def searcher(self):
        """As the function's edge makes it, but for the client of Athena."""
        live = LiveSearch(wiring.sources(), Roots(wiring.dirty_roots(), wiring.pointers()))
        archive = ArchiveSearch(Athena(self.athena, "headwater_test", WORKGROUP), self.slept.append)
        return Searcher(live, archive, wiring.archive_state(), wiring.publications(), wiring.now_s)

    def fetch(self, *, remaining_s=29, **query):
        """One page."""
        return self.api.send("GET", f"{RECORDS}/search", query, remaining_s=remaining_s)

    def pages(self, **query):
        """The records of each page, to the end."""
        response = self.fetch(**query)
        while True:
            assert response.status == 200, response.body
            yield response.json["records"]
            if response.json["cursor"] is None:
                return
            response = self.fetch(**query, cursor=response.json["cursor"])

    def all(self, **query):
        """Every record that is found."""
        return [record for page in self.pages(**query) for record in page]

    def nodes(self, **query):
        """The (root, node) of every record that is found, sorted."""
        return sorted((record["root_id"], record["node_id"]) for record in self.all(**query))

    def seal(self, day):
        """Compact the day up to its digest."""
        self.cloud.compact(day)

    def publish(self, day):
        """Make a sealed day's tables and publish them: of each root what its newest object has beyond its base."""
        bucket = self.cloud.outputs["ArchiveBucketName"]
        archive = Archive(self.cloud.s3, bucket)
        newest = {}
        for trace_object in DigestLines(archive.lines(key_of(day))).objects():
            newest[trace_object.root_sha] = max(
                trace_object, newest.get(trace_object.root_sha, trace_object), key=lambda known: known.version
            )
        records = []
        for trace_object in newest.values():
            before = {record.node_id for record in archive.records(trace_object.base)} if trace_object.base else set()
            records += [record for record in archive.records(trace_object.key) if record.node_id not in before]
        self.athena.put(day, records)
        self.cloud.attempt(day, f"night-{day}")
        self.cloud.publish(day, f"night-{day}" if newest else None)

    def night(self):
        """Compact and publish the day before the clock's."""
        day = shift(day_of(self.cloud.now_s), -1)
        self.seal(day)
        self.publish(day)
