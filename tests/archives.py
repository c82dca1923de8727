"""Small archives in a folder, made as the functions make them: objects, digests, signatures if a key is given."""

from __future__ import annotations

import gzip
import hashlib
import io
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from headwater.records.archive import compress_lines, prefix_of
from headwater.records.archive_state import DigestRef, Seal
from headwater.records.digest import Head, key_of, render_digest
from headwater.records.event_objects import ArrivalDays, EventObject, event_prefix_of
from headwater.records.pointers import ArchiveObject
from headwater.records.signatures import Signature, render_signature, signature_key_of
from headwater_model.ids import sha256_hex

SEAL = Seal("nightly", 1_763_700_000)
MONDAY, TUESDAY, WEDNESDAY = "2025-11-17", "2025-11-18", "2025-11-19"


def a_key():
    """A key pair to sign digests with."""
    return ec.generate_private_key(ec.SECP256R1())


def pem_of(key):
    """The public half, as PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@dataclass
class FolderArchive:
    """An archive in a folder, sealed day after day; the calendar of the graph table is played by `last` and `seals`."""

    folder: object
    key: object = None
    links: dict[str, DigestRef] = field(default_factory=dict)
    objects: dict[str, list[ArchiveObject]] = field(default_factory=dict)
    events: dict[str, list[EventObject]] = field(default_factory=dict)
    events_to: str = ""

    def put(self, key, body):
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)

    def trace(self, day, root, text="{}\n", *, version=1, base=None):
        """An object of a root, as a trace leaves it; it is in no digest yet."""
        file = io.BytesIO()
        written = compress_lines([text.encode()], file)
        key = f"{prefix_of(day)}{sha256_hex(root)}.{written.sha256}.jsonl.gz"
        self.put(key, file.getvalue())
        trace_object = ArchiveObject(
            key, written.sha256, written.size_bytes, written.lines, written.lines, version, base
        )
        self.objects.setdefault(day, []).append(trace_object)
        return trace_object

    def arrive(self, day, text="{}\n"):
        """An object of the raw log, as a loader leaves it; it is in no digest yet."""
        body = gzip.compress(text.encode(), mtime=0)
        sha256 = hashlib.sha256(body).hexdigest()
        event_object = EventObject(f"{event_prefix_of(day)}{sha256}.jsonl.gz", sha256, len(body))
        self.put(event_object.key, body)
        self.events.setdefault(day, []).append(event_object)
        return event_object

    def seal(self, day, missing=(), *, events_to=None, removed=()):
        """Seal the day as the newest of the chain, with the events of all days after the last seal."""
        before = max((link for link in self.links if link < day), default=None)
        days = ArrivalDays(self.events_to, events_to or day)
        head = Head(day, SEAL, self.links[before] if before else None, days, len(removed))
        objects = sorted(self.objects.get(day, []), key=lambda entry: entry.key)
        arrived = [
            entry for arrival, objects_of_day in self.events.items() if days.hold(arrival) for entry in objects_of_day
        ]
        arrived.sort(key=lambda entry: entry.key)
        self.put_digest(day, b"".join(render_digest(head, objects, missing, arrived, removed)))
        self.events_to = days.to

    def put_digest(self, day, lines):
        """Store the lines as the day's digest, signed if the archive has a key."""
        body = gzip.compress(lines, mtime=0)
        self.links[day] = DigestRef(day, key_of(day), hashlib.sha256(body).hexdigest())
        self.put(key_of(day), body)
        if self.key:
            self.put(signature_key_of(day), self.signature(day, self.key))

    def lines_of(self, day):
        """The day's digest as it is, not compressed."""
        return gzip.decompress((self.folder / key_of(day)).read_bytes())

    def signature(self, day, key):
        """A signature of the day's digest as it is."""
        sha256 = self.sha256_of(key_of(day))
        signed = key.sign(bytes.fromhex(sha256), ec.ECDSA(utils.Prehashed(hashes.SHA256())))
        return render_signature(Signature(sha256, "arn:key", signed))

    def sha256_of(self, key):
        return hashlib.sha256((self.folder / key).read_bytes()).hexdigest()

    def last(self):
        return self.links[max(self.links)] if self.links else None

    def seals(self, days):
        return {day: SEAL for day in days if day in self.links}


def three_days(folder, key=None, *, events=False):
    """Monday: flights, trains; Tuesday: trains again, ships; Wednesday: trucks. Events on Monday and Tuesday."""
    archive = FolderArchive(folder, key)
    if events:
        archive.arrive(MONDAY, "START\n")
        archive.arrive(TUESDAY, "COMPLETE\n")
        archive.arrive(TUESDAY, "FAIL\n")
    archive.trace(MONDAY, "flights", "a\n")
    base = archive.trace(MONDAY, "trains", "b\n")
    archive.seal(MONDAY)
    archive.trace(TUESDAY, "trains", "b\nc\n", version=2, base=base.key)
    archive.trace(TUESDAY, "ships", "d\n")
    archive.seal(TUESDAY, ["late"])
    archive.trace(WEDNESDAY, "trucks", "e\n")
    archive.seal(WEDNESDAY)
    return archive
