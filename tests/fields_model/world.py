"""What is true of columns at one time: of each dataset its tellers, its columns, its schema, its versions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lineage_model.columns import NO_COLUMNS, ColumnLineage, ColumnSource
from tests.fields_model.related import related
from tests.fields_model.reporters import Teller, every_teller, sources_in, unknown
from tests.fields_model.schema import fields_of
from tests.fields_model.told import united
from tests.runs_model import dataset_versions
from tests.runs_model.run import Run
from tests.runs_model.schemas import dataset_facets


@dataclass(frozen=True)
class Word:
    """What a teller told of a dataset; if it never `told`, what is to be thought of it."""

    reporter: Teller
    columns: ColumnLineage
    told: bool = True

    def tells_of(self, path):
        return self.told and bool(related(path, self.columns.fields.keys()) or self.columns.dataset_level)


class World:
    """All that was said, and what follows of columns; `runs` is the model of runs of the same statements."""

    def __init__(self, runs):
        self.runs, self.statements = runs, runs.statements
        self.reporters = every_teller(self.statements)
        self.by_run = {one.run: one for one in self.reporters if one.run}
        for name in (
            "present",
            "writers",
            "schema",
            "used_now",
            "versions",
            "version_read",
            "words_of_version",
            "hidden",
        ):
            setattr(self, name, cache(getattr(self, name)))

    def before(self, time):
        return World(self.runs.before(time))

    # Names, and what is hidden

    def hidden(self, dataset):
        return dataset not in self.statements.datasets or self.statements.is_hidden(dataset)

    def visible_datasets(self):
        return [one for one in self.statements.datasets if not self.hidden(one)]

    def named(self, columns):
        """The columns, with sources under their primary names."""
        return _with_sources(columns, lambda one: ColumnSource(self.statements.primary(one.dataset), one.field))

    def without_hidden(self, columns):
        """The columns without sources that are hidden."""
        return _with_sources(columns, lambda one: None if self.hidden(self.statements.primary(one.dataset)) else one)

    # The present

    def writers(self, dataset):
        """The words on this dataset that count now."""
        found = [word for job in self.runs.visible_jobs() for word in self._words_of(job, dataset)]
        declared = [
            one for one in self.reporters if one.job is None and self.statements.primary(one.outputs[0]) == dataset
        ]
        last = max(declared, key=lambda one: one.position, default=None)
        return found + ([Word(last, last.told[last.outputs[0]])] if last and last.told else [])

    def _written_by(self, job):
        """The names under which the job writes datasets now."""
        known = [entry for entry in self.runs.job_entries(job) if entry.known]
        return known[-1].outputs if known else ()

    def _words_of(self, job, dataset):
        """Return what the job's last run that told of the dataset told, under any name, if it writes the dataset now.

        If none ever told, that the dataset depends on all that the job reads.
        """
        if not any(self.statements.primary(name) == dataset for name in self._written_by(job)):
            return []
        mine = sorted((one for one in self.reporters if one.job == job and one.position), key=lambda one: one.position)
        for reporter in mine[::-1]:
            told = [columns for name, columns in reporter.told.items() if self.statements.primary(name) == dataset]
            if told:
                return [Word(reporter, columns) for columns in told]
        last = [one for one in mine if one.inputs or one.outputs][-1]
        return [Word(last, NO_COLUMNS if last.explicit else unknown(last.inputs), told=False)]

    def present(self, dataset):
        """Its columns as they are now; of what is hidden, nothing is left."""
        return self.named(self.without_hidden(united(word.columns for word in self.writers(dataset))))

    def inputs(self, column):
        """Return what a column is made of now: what it finds in what each writer told."""
        told = [self.named(self.without_hidden(word.columns)) for word in self.writers(column.dataset)]
        return inputs(column.field, told)

    def used_now(self, dataset):
        """The columns of it that present columns are made of, or depend on."""
        sources = {one for other in self.visible_datasets() for one in sources_in(self.present(other))}
        return {one.field for one in sources if one.dataset == dataset and one.field is not None}

    def schema(self, dataset):
        """(path, type or None) of its fields by the latest schema facet; empty if there is none."""
        if dataset not in self.statements.datasets:
            return {}
        return fields_of(dataset_facets(self.statements, dataset))

    # Versions

    def versions(self, dataset):
        return dataset_versions.versions_of(self.statements, dataset) if dataset in self.statements.datasets else []

    def maker(self, dataset, version):
        """The run that made the version; None if no run did."""
        return next((one.run for one in self.versions(dataset) if one.id == version), None)

    def words_of_version(self, dataset, version):
        """What its run told of it, under whichever names, or that it depends on all that the run read."""
        run = self.maker(dataset, version)
        if run is None:
            return []
        reporter = self.by_run[run]
        told = [Word(reporter, one) for name, one in reporter.told.items() if self.statements.primary(name) == dataset]
        return told or [Word(reporter, NO_COLUMNS if reporter.explicit else unknown(reporter.inputs), told=False)]

    def version_read(self, reporter, dataset):
        """The version that a run read, or what was there when a Job- or DatasetEvent was sent."""
        reader = self.statements.runs[reporter.run] if reporter.run else Run(reporter.id, [reporter.event], [])
        return dataset_versions.version_read(self.statements, reader, dataset)[0]

    def sources_of(self, reporter):
        """The datasets that it read, or tells that something comes from."""
        told = [one.dataset for columns in reporter.told.values() for one in sources_in(columns)]
        return {self.statements.primary(name) for name in (*reporter.inputs, *told)}

    def schema_of_version(self, dataset, version):
        """The schema that the version was described with."""
        return fields_of(next((one.facets for one in self.versions(dataset) if one.id == version), {}))


def inputs(path, told):
    """The sources of what a path finds in the columns that each told, by themselves."""
    found = [columns.fields[one] for columns in told for one in related(path, columns.fields.keys())]
    return united(ColumnLineage({}, sources) for sources in found).dataset_level


def _with_sources(columns, change):
    """The columns with each source changed, or left out where that comes to None."""

    def changed(sources):
        return united(
            ColumnLineage({}, {change(one): how}) for one, how in sources.items() if change(one)
        ).dataset_level

    fields = {path: changed(sources) for path, sources in columns.fields.items()}
    return ColumnLineage(fields, changed(columns.dataset_level), columns.types)
