"""The answers to questions about fields, each worked out anew from everything that was said."""

from __future__ import annotations

import re

from lineage.errors import Invalid
from tests.fields_model import mappings, present, versions
from tests.fields_model.world import World
from tests.runs_model import Model

_VERSIONED = re.compile(r"(.+)#([0-9a-fA-F-]{36})")


class FieldModel:
    """`lineage.fields.questions.FieldQuestions` for a whole set of statements."""

    def __init__(self, statements):
        self.runs = Model(statements)
        self.world = World(self.runs)

    def find_columns(self, node_id, *, depth, downstream=False, at=None, version=None):
        node_id, version = _version_named(node_id.replace("dataset_field:", "datasetField:", 1), version)
        if ((version or at) and downstream) or (version and at):
            raise Invalid.because("nodeId", node_id, "asks for too much at once")
        if version:
            return versions.graph_of_version(self.world, node_id, version, depth)
        if at:
            return versions.graph_of_time(self.world, self.world.before(at), node_id, depth)
        return present.graph_of_now(self.world, node_id, depth, downstream)

    def columns_of(self, datasets):
        return present.present_columns(self.world, datasets)

    def find_mappings(self, dataset, window, *, level):
        return mappings.find_mappings(self.world, dataset, window, level)


def _version_named(node_id, version):
    named = _VERSIONED.fullmatch(node_id)
    if named is None:
        return node_id, version
    if version not in (None, named[2]):
        raise Invalid.because("version", version, f"must be that of nodeId, {named[2]}")
    return named[1], named[2]
