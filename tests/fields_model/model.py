"""Results of queries of fields, each computed anew from all statements."""

import re

from headwater_model.errors import Invalid
from tests.fields_model import accesses, mappings, present, relations, reports, versions
from tests.fields_model.statements import StatementsOfColumns
from tests.fields_model.world import World
from tests.runs_model import Model

_VERSIONED = re.compile(r"(.+)#([0-9a-fA-F-]{36})")


class FieldModel:
    """`headwater.queries.service.LineageQueries` for a whole set of statements."""

    def __init__(self, statements):
        self.runs = Model([])
        self.runs._load(StatementsOfColumns(statements))
        self.world = World(self.runs)

    def find_columns(self, node_id, *, depth, downstream=False, at=None, version=None):
        node_id, named = _version_named(node_id.replace("dataset_field:", "datasetField:", 1))
        if (version and (node_id.startswith("job:") or named not in (None, version))) or ((version or named) and at):
            raise Invalid.because("nodeId", node_id, "disagrees with the other parameters")
        version = version or named
        if downstream and version:
            raise Invalid.because("nodeId", node_id, "downstream of a version is not known")
        if version:
            return versions.graph_of_version(self.world, node_id, version, depth)
        if at and downstream:
            return present.graph_of_now(self.world.before(at), node_id, depth, downstream)
        if at:
            return versions.graph_of_time(self.world, self.world.before(at), node_id, depth)
        return present.graph_of_now(self.world, node_id, depth, downstream)

    def columns_of(self, datasets):
        return {dataset: present.reported_columns(self.world, dataset) for dataset in datasets}

    def find_mappings(self, dataset, time_range, *, level):
        return mappings.find_mappings(self.world, dataset, time_range, level)

    def list_fields(self, dataset, time_range, *, current):
        return relations.list_fields(self.world, dataset, time_range, current)

    def summarize_field(self, dataset, field, time_range, direction):
        return relations.summarize_field(self.world, dataset, field, time_range, direction)

    def summarize_dataset(self, dataset, time_range, direction):
        return relations.summarize_dataset(self.world, dataset, time_range, direction)

    def find_accesses(self, dataset, time_range, *, levels, rolled_up=False):
        return accesses.find_accesses(self.world, dataset, time_range, levels, rolled_up)

    def report_usage(self, dataset, field, time_range):
        return reports.report_usage(self.world, dataset, field, time_range)

    def report_tag(self, tag, time_range):
        return reports.report_tag(self.world, tag, time_range)

    def report_provenance(self, dataset, field, time_range):
        return reports.report_provenance(self.world, dataset, field, time_range)


def _version_named(node_id):
    named = _VERSIONED.fullmatch(node_id)
    return (named[1], named[2]) if named else (node_id, None)
