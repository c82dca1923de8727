"""Tampering with an archive in a folder, and the findings of a verification, as words for a table."""

import gzip
import json
import re

from headwater.records.digest import key_of
from headwater.records.signatures import signature_key_of
from headwater.records.verify.archive import TrustAnchors, read_digests
from headwater.records.verify.chain import DayRange
from headwater.records.verify.public_keys import PublicKeys, parse_public_key
from headwater.records.verify.stores import Folder
from tests.archives import MONDAY, TUESDAY, WEDNESDAY, a_key, pem_of

KEY = a_key()
_ALL = DayRange()
_DAYS = {MONDAY: "Monday", TUESDAY: "Tuesday", WEDNESDAY: "Wednesday", "2025-11-20": "Thursday"}
_OBJECTS = {
    (MONDAY, 0): "flights",
    (MONDAY, 1): "trains",
    (TUESDAY, 0): "trains of Tuesday",
    (TUESDAY, 1): "ships",
    (WEDNESDAY, 0): "trucks",
}
_EVENTS = {(MONDAY, 0): "start", (TUESDAY, 0): "complete", (TUESDAY, 1): "fail"}


def verified(archive, *, days=_ALL, jobs=1, anchored=True, sha256="", keys=(KEY,)):
    """Every finding as a line: objects by their roots, digests by their days, hashes as #."""
    trusted = PublicKeys([parse_public_key(f"key {n}", pem_of(key)) for n, key in enumerate(keys)]) if keys else None
    read = read_digests(Folder(archive.folder), days, TrustAnchors(archive if anchored else None, sha256, trusted))
    objects = [outcome.finding for outcome in read.check(jobs).outcomes() if outcome.finding]
    return [
        named(archive, f"{finding.key} {finding.kind.value}: {finding.message}")
        for finding in (*read.findings, *objects)
    ]


def named(archive, text):
    for listed, names in ((archive.objects, _OBJECTS), (archive.events, _EVENTS)):
        for (day, number), name in names.items():
            for entry in listed.get(day, [])[number : number + 1]:
                text = text.replace(entry.key, name)
    for day, name in _DAYS.items():
        text = text.replace(key_of(day), f"{name}'s digest").replace(signature_key_of(day), f"{name}'s signature")
        text = text.replace(f"traces/year={day[:4]}/month={day[5:7]}/day={day[8:]}", name)
        text = text.replace(f"events/year={day[:4]}/month={day[5:7]}/day={day[8:]}", f"events of {name}")
        text = text.replace(day, name)
    return re.sub(r"\b[0-9a-f]{64}\b", "#", text)


def flip(archive, key, place=-1):
    """Flip the lowest bit of a byte."""
    body = bytearray((archive.folder / key).read_bytes())
    body[place] ^= 1
    archive.put(key, bytes(body))


def remove(archive, key):
    (archive.folder / key).unlink()


def move(archive, key, new):
    archive.put(new, (archive.folder / key).read_bytes())
    remove(archive, key)


def forge(archive, day, change):
    """Another digest in the day's place, well written: its lines, parsed, as `change` leaves them."""
    lines = gzip.decompress((archive.folder / key_of(day)).read_bytes()).splitlines()
    forms = [json.loads(line) for line in lines]
    change(forms)
    forged = b"".join(json.dumps(form, separators=(",", ":")).encode() + b"\n" for form in forms)
    archive.put(key_of(day), gzip.compress(forged, mtime=0))


def sign(archive, *days, key=KEY):
    """The days' digests, signed as they are."""
    for day in days:
        archive.put(signature_key_of(day), archive.signature(day, key))


def forge_all(archive, change):
    """Forge Monday's digest, and write all later digests anew, for a whole chain."""
    forge(archive, MONDAY, change)
    before = MONDAY
    for day in (TUESDAY, WEDNESDAY):
        link = {"day": before, "key": key_of(before), "sha256": archive.sha256_of(key_of(before))}
        forge(archive, day, setting(0, previous=link))
        before = day


def other(key):
    """Another object of the same root on the same day."""
    return re.sub(r"\.[0-9a-f]{64}\.", f".{'0' * 64}.", key)


# Changes of a digest's lines.


def setting(line, **changes):
    return lambda forms: forms[line].update(changes)


def counting(**changes):
    return lambda forms: forms[-1]["counts"].update(changes)


def drop_entry(forms):
    _count(forms, forms.pop(2), -1)


def add_entry(forms):
    """Insert the entry of an absent object; it sorts after all."""
    prefix = forms[1]["key"].rpartition("/")[0]
    added = {**forms[1], "key": f"{prefix}/{'f' * 64}.{'f' * 64}.jsonl.gz", "sha256": "f" * 64, "base": None}
    forms.insert(3, added)
    _count(forms, added, 1)


def alter_size(forms):
    forms[1]["size_bytes"] += 1
    forms[-1]["counts"]["size_bytes"] += 1


def swap(forms):
    forms[1], forms[2] = forms[2], forms[1]


def twice(forms):
    forms.insert(1, dict(forms[1]))
    _count(forms, forms[1], 1)


def _count(forms, entry, sign):
    counts = forms[-1]["counts"]
    for name in ("records", "lines", "size_bytes"):
        counts[name] += sign * entry[name]
    for name in ("objects", "roots"):
        counts[name] += sign
