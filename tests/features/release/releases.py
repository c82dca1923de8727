"""Releases for tests: one that is synthesized once a run, and one that moto's CloudFormation can deploy."""

from __future__ import annotations

import json
import zipfile

VERSION = "1.2.3"
# Of the variants one is enough: the others are the same code with other context values.
AUTH, RETENTION = "token", "retain"
FILE, ASSEMBLY = "headwater-1.2.3-template.zip", "assembly"
_IN_MOTO = {"AWS::DynamoDB::Table", "AWS::IAM::Role", "AWS::Lambda::Function", "AWS::S3::Bucket", "AWS::SQS::Queue"}
_GONE = "not-in-moto"


def make_release_of_one_variant(folder):
    """Write the release of one variant without the layer, and its assembly."""
    from headwater.features.release.archive import pack
    from headwater.features.release.construct import Variant, describe_release, make_release_app

    variants = [Variant(AUTH, RETENTION)]
    layer, libraries = None, folder / "libraries"
    libraries.mkdir()
    (libraries / "tiny-1.0-py3-none-any.whl").write_bytes(b"a wheel")
    app = make_release_app(folder / ASSEMBLY, version=VERSION, variants=variants, layer=layer, libraries=libraries)
    app.synth()
    pack(folder / ASSEMBLY, folder / FILE, describe_release(VERSION, variants))


def reduce_to_moto(release, reduced, version=VERSION, **extra):
    """Write a release whose template has what moto can make, and `extra` resources; the assets are the same."""
    with zipfile.ZipFile(release) as archive, zipfile.ZipFile(reduced, "w") as written:
        for name in archive.namelist():
            content = archive.read(name)
            if name.endswith(".template.json"):
                template = json.loads(content)
                kept = {key: each for key, each in template["Resources"].items() if each["Type"] in _IN_MOTO} | extra
                template["Resources"] = kept
                content = json.dumps(_without(template, kept.keys() | template["Parameters"].keys())).encode()
                content = content.replace(f'"{VERSION}"'.encode(), f'"{version}"'.encode())
            written.writestr(name, content)
    return reduced


def _without(value, known):
    """Replace references to resources that are gone."""
    match value:
        case {"Ref": name} if name not in known and not name.startswith("AWS::"):
            return _GONE
        case {"Fn::GetAtt": [name, *_]} if name not in known:
            return _GONE
        case dict():
            return {key: _without(each, known) for key, each in value.items() if key != "DependsOn"}
        case list():
            return [_without(each, known) for each in value]
    return value
