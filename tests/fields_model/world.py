"""Facts on columns at a time: the reporters, columns, schema and versions of each dataset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from headwater_model.columns import NO_COLUMNS, ColumnLineage, ColumnSource
from tests.fields_model.related import related
from tests.fields_model.reported import united
from tests.fields_model.reporters import ColumnReporter, every_reporter, sources_in, unknown
from tests.fields_model.schema import fields_of
from tests.runs_model import dataset_versions
from tests.runs_model.run import Run
from tests.runs_model.schemas import dataset_facets


@dataclass(frozen=True)
class Word:
    """A reporter's columns of a dataset; not `is_reported` if they follow from its inputs alone."""

    reporter: ColumnReporter
    columns: ColumnLineage
    is_reported: bool = True

    def covers(self, path):
        return self.is_reported and bool(related(path, self.columns.fields.keys()) or self.columns.dataset_level)


class World:
    """All statements and their facts on columns; `runs` is the model of runs of the same statements."""

    def __init__(self, runs):
        self.runs, self.statements = runs, runs.statements
        self.reporters = every_reporter(self.statements)
        self.by_run = {reporter.run: reporter for reporter in self.reporters if reporter.run}
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

    # Names, and hidden datasets

    def hidden(self, dataset):
        return dataset not in self.statements.datasets or self.statements.is_hidden(dataset)

    def visible_datasets(self):
        return [dataset for dataset in self.statements.datasets if not self.hidden(dataset)]

    def named(self, columns):
        """Give the sources of columns their primary names."""
        return _with_sources(
            columns, lambda source: ColumnSource(self.statements.primary(source.dataset), source.field)
        )

    def without_hidden(self, columns):
        """Remove the hidden sources of columns."""
        return _with_sources(
            columns, lambda source: None if self.hidden(self.statements.primary(source.dataset)) else source
        )

    # The present

    def writers(self, dataset):
        """List the current words on a dataset."""
        words = [word for job in self.runs.visible_jobs() for word in self._words_of(job, dataset)]
        declared = [
            reporter
            for reporter in self.reporters
            if reporter.job is None and self.statements.primary(reporter.outputs[0]) == dataset
        ]
        last = max(declared, key=lambda reporter: reporter.position, default=None)
        return words + ([Word(last, last.reported[last.outputs[0]])] if last and last.reported else [])

    def written_by(self, job):
        """List the current outputs of the job, by their names in its report."""
        known = [entry for entry in self.runs.job_entries(job) if entry.known]
        return known[-1].outputs if known else ()

    def _words_of(self, job, dataset):
        """List the words of the job's last run with a report on the dataset, if the job writes it now.

        Without any report, the dataset depends on all inputs of the job.
        """
        if not any(self.statements.primary(name) == dataset for name in self.written_by(job)):
            return []
        mine = sorted(
            (reporter for reporter in self.reporters if reporter.job == job and reporter.position),
            key=lambda reporter: reporter.position,
        )
        for reporter in mine[::-1]:
            reported = [
                columns for name, columns in reporter.reported.items() if self.statements.primary(name) == dataset
            ]
            if reported:
                return [Word(reporter, columns) for columns in reported]
        last = [reporter for reporter in mine if reporter.inputs or reporter.outputs][-1]
        return [Word(last, NO_COLUMNS if last.explicit else unknown(last.read), is_reported=False)]

    def present(self, dataset):
        """Unite the current columns of a dataset, without hidden sources."""
        return self.named(self.without_hidden(united(word.columns for word in self.writers(dataset))))

    def inputs(self, column):
        """Unite the current sources of a column, by its related paths in each writer's report."""
        reported = [self.named(self.without_hidden(word.columns)) for word in self.writers(column.dataset)]
        return inputs(column.field, reported)

    def used_now(self, dataset):
        """List the columns of a dataset among the sources of current columns."""
        sources = {source for other in self.visible_datasets() for source in sources_in(self.present(other))}
        return {source.field for source in sources if source.dataset == dataset and source.field is not None}

    def schema(self, dataset):
        """Read the type (or None) of each path by the latest schema facet; empty without a schema."""
        if dataset not in self.statements.datasets:
            return {}
        return fields_of(dataset_facets(self.statements, dataset))

    # Versions

    def versions(self, dataset):
        return dataset_versions.versions_of(self.statements, dataset) if dataset in self.statements.datasets else []

    def maker(self, dataset, version):
        """Find the run behind a version, or None."""
        return next((entry.run for entry in self.versions(dataset) if entry.id == version), None)

    def words_of_version(self, dataset, version):
        """List the words of a version's run under all names; without a report, it depends on all inputs of the run."""
        run = self.maker(dataset, version)
        if run is None:
            return []
        reporter = self.by_run[run]
        reported = [
            Word(reporter, columns)
            for name, columns in reporter.reported.items()
            if self.statements.primary(name) == dataset
        ]
        names = [name for name in reporter.outputs if self.statements.primary(name) == dataset]
        return reported or [
            Word(reporter, NO_COLUMNS if reporter.explicit else unknown(reporter.sources(names)), is_reported=False)
        ]

    def version_read(self, reporter, dataset):
        """Find the version read by a run; for a Job- or DatasetEvent, the current version at its time."""
        reader = self.statements.runs[reporter.run] if reporter.run else Run(reporter.id, [reporter.event], [], [])
        return dataset_versions.version_read(self.statements, reader, dataset)[0]

    def schema_of_version(self, dataset, version):
        """Read the schema of a version."""
        return fields_of(next((entry.facets for entry in self.versions(dataset) if entry.id == version), {}))


def inputs(path, reported):
    """Unite the sources of a path's related paths in each report."""
    field_sources = [
        columns.fields[related_path] for columns in reported for related_path in related(path, columns.fields.keys())
    ]
    return united(ColumnLineage({}, sources) for sources in field_sources).dataset_level


def _with_sources(columns, change):
    """Change each source of the columns; a source changed to None is left out."""

    def changed(sources):
        return united(
            ColumnLineage({}, {change(source): how}) for source, how in sources.items() if change(source)
        ).dataset_level

    fields = {path: changed(sources) for path, sources in columns.fields.items()}
    return ColumnLineage(fields, changed(columns.dataset_level), columns.types)
