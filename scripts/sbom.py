"""The software bill of materials of a wheel: CycloneDX JSON, with the same bytes for the same wheel and locks.

    (dist / "headwater-0.1.0.cdx.json").write_text(render_bom(wheel, packages, time_s=1763640000))

A bill names the files of the wheel with their SHA-256, and its packages. Packages of PyPI have the hashes of
requirements/*.txt, packages of npm the hashes of package-lock.json.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from uuid import NAMESPACE_OID, UUID, uuid5

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# A block of a lock file: `name==version [; marker] \`, the hashes, and the requiring packages.
_BLOCK = re.compile(r"^([\w.-]+)(?:\[[\w,.-]+\])?==([^\s;]+)(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_VIA = re.compile(r"^ +#(?: via)? +([\w.-]+)$", re.MULTILINE)
_ALGORITHMS = {"sha256": HashAlgorithm.SHA_256, "sha512": HashAlgorithm.SHA_512}


@dataclass(frozen=True)
class Package:
    """A package of a registry, in one version; `hashes` are pairs of an algorithm and hexadecimal digits."""

    kind: str  # the type of a package URL: pypi, npm
    name: str
    version: str
    hashes: Sequence[tuple[str, str]]
    required_by: frozenset[str] = frozenset()

    @property
    def url(self) -> PackageURL:
        """The package URL, without the address of a registry."""
        scope, _, name = self.name.rpartition("/")
        return PackageURL(self.kind, scope or None, name, self.version)


def read_lock(lock_file: Path) -> Sequence[Package]:
    """Read the packages of a lock file of requirements/; two versions for different machines are both listed."""
    blocks = _BLOCK.findall(lock_file.read_text(encoding="utf-8"))
    return [
        Package(
            "pypi",
            canonicalize_name(name),
            version,
            [("sha256", digits) for digits in _HASH.findall(rest)],
            frozenset(_VIA.findall(rest)),
        )
        for name, version, rest in blocks
    ]


def read_npm_lock(lock_file: Path) -> Iterator[Package]:
    """Yield the packages of package-lock.json in the built page: packages for development are left out."""
    for path, entry in json.loads(lock_file.read_text(encoding="utf-8"))["packages"].items():
        if not path or entry.get("dev") or entry.get("devOptional"):
            continue
        algorithm, _, text = entry["integrity"].partition("-")
        name = path.rpartition("node_modules/")[2]
        yield Package("npm", name, entry["version"], [(algorithm, base64.b64decode(text).hex())])


def select_required(wheel: Path, locked: Sequence[Package]) -> Sequence[Package]:
    """Select the locked packages required by the wheel without an extra, with their requirements."""
    named = {canonicalize_name(requirement.name) for requirement in _requirements(wheel) if requirement.marker is None}
    names: set[str] = named & {package.name for package in locked}
    while behind := {package.name for package in locked if package.required_by & names} - names:
        names |= behind
    return [package for package in locked if package.name in names]


def merge(packages: Iterable[Package]) -> Sequence[Package]:
    """Merge equal packages, with all hashes of their lock files."""
    by_url: dict[str, Package] = {}
    for package in packages:
        url = package.url.to_string()
        hashes = {*package.hashes, *(by_url[url].hashes if url in by_url else ())}
        by_url[url] = replace(package, hashes=sorted(hashes))
    return list(by_url.values())


def render_bom(wheel: Path, packages: Iterable[Package], *, bundled: Sequence[Path] = (), time_s: int) -> str:
    """Render the bill of a wheel with its packages and the `bundled` wheels, as JSON.

    `time_s` is the time of the commit, in seconds since 1970, and the only time in the bill.
    """
    subject = _wheel_component(wheel)
    subject.components = _files(wheel)
    components = [*map(_wheel_component, bundled), *map(_component, packages)]
    metadata = BomMetaData(component=subject, timestamp=datetime.fromtimestamp(time_s, tz=timezone.utc))
    bom = Bom(metadata=metadata, components=components, serial_number=UUID(int=0))
    bom.register_dependency(subject, components)
    # The number of the bill is derived from its content.
    bom.serial_number = uuid5(NAMESPACE_OID, JsonV1Dot6(bom).output_as_string())
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _component(package: Package) -> Component:
    url = package.url
    hashes = [HashType(alg=_ALGORITHMS[algorithm], content=content) for algorithm, content in package.hashes]
    # A package has a file for each platform: the lock file accepts all of these hashes.
    reference = ExternalReference(type=ExternalReferenceType.DISTRIBUTION, url=XsUri(url.to_string()), hashes=hashes)
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        scope=ComponentScope.REQUIRED,
        purl=url,
        bom_ref=url.to_string(),
        external_references=[reference],
    )


def _wheel_component(wheel: Path) -> Component:
    metadata = _metadata(wheel)
    url = PackageURL("pypi", None, metadata["Name"], metadata["Version"])
    return Component(
        name=metadata["Name"],
        version=metadata["Version"],
        description=metadata["Summary"],
        type=ComponentType.APPLICATION,
        licenses=[DisjunctiveLicense(id=metadata["License-Expression"])],
        purl=url,
        bom_ref=url.to_string(),
        hashes=[_sha256(wheel.read_bytes())],
    )


def _files(wheel: Path) -> list[Component]:
    """List the files of the wheel; pip compares them with the wheel's RECORD, which has no hash of itself."""
    with zipfile.ZipFile(wheel) as archive:
        return [
            Component(name=name, type=ComponentType.FILE, bom_ref=name, hashes=[_sha256(archive.read(name))])
            for name in archive.namelist()
        ]


def _requirements(wheel: Path) -> Iterator[Requirement]:
    return map(Requirement, _metadata(wheel).get_all("Requires-Dist") or ())


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return HeaderParser().parsestr(archive.read(name).decode("utf-8"))


def _sha256(content: bytes) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(content).hexdigest())
