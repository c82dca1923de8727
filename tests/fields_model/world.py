"""What is true of columns at one time: of each dataset its tellers, its columns, its schema, its versions."""

from __future__ import annotations

from functools import cache

from lineage.fields.columns import NO_COLUMNS, Columns, Source
from tests.fields_model.schema import fields_of
from tests.fields_model.tellers import every_teller, unknown
from tests.fields_model.told import united
from tests.runs_model import dataset_versions


class World:
    """All that was said, and what follows of columns; `runs` is the model of runs of the same statements."""

    def __init__(self, runs):
        self.runs, self.said = runs, runs.said
        self.tellers = every_teller(self.said)
        self.by_run = {one.run: one for one in self.tellers if one.run}
        for name in ("present", "writers", "versions", "columns_of_version", "hidden"):
            setattr(self, name, cache(getattr(self, name)))

    def before(self, time):
        return World(self.runs.before(time))

    # Names, and what is hidden

    def hidden(self, dataset):
        """As the model of runs has it; a dataset that no event used was hidden by any deletion."""
        if dataset in self.said.datasets:
            return self.said.is_hidden(dataset)
        return any(
            one.dataset == dataset or (one.namespace == dataset.namespace and one.job is None and one.dataset is None)
            for one in self.said.deletions
        )

    def visible_datasets(self):
        return [one for one in self.said.datasets if not self.hidden(one)]

    def named(self, columns):
        """The columns, with sources under their primary names."""
        return _with_sources(columns, lambda one: Source(self.said.primary(one.dataset), one.field))

    def without_hidden(self, columns):
        """The columns without sources that are hidden."""
        return _with_sources(columns, lambda one: None if self.hidden(self.said.primary(one.dataset)) else one)

    # The present

    def writers(self, dataset):
        """(teller, its columns of this dataset) of all whose word on it counts now."""
        found = [
            self._word_of(job, name)
            for job in self.runs.visible_jobs()
            for name in self._written_by(job)
            if self.said.primary(name) == dataset
        ]
        declared = [one for one in self.tellers if one.job is None and self.said.primary(one.outputs[0]) == dataset]
        last = max(declared, key=lambda one: one.position, default=None)
        return found + ([(last, last.columns(last.outputs[0]))] if last else [])

    def _written_by(self, job):
        """The names under which the job writes datasets now."""
        known = [entry for entry in self.runs.job_entries(job) if entry.known]
        return known[-1].outputs if known else ()

    def _word_of(self, job, name):
        """What the job's last run that told of it told; else that it depends on all that the job reads."""
        mine = sorted((one for one in self.tellers if one.job == job and one.position), key=lambda one: one.position)
        telling = [one for one in mine if name in one.told]
        if telling:
            return telling[-1], telling[-1].told[name]
        last = [one for one in mine if one.inputs or one.outputs][-1]
        return last, NO_COLUMNS if last.explicit else unknown(last.inputs)

    def present(self, dataset):
        """Its columns as they are now; of what is hidden, nothing is left."""
        return self.named(self.without_hidden(united(columns for _, columns in self.writers(dataset))))

    def used_now(self, dataset):
        """The columns of it that present columns are made of, or depend on."""
        every = [self.present(one) for one in self.visible_datasets()]
        sources = {one for columns in every for some in [columns.whole, *columns.fields.values()] for one in some}
        return {one.field for one in sources if one.dataset == dataset and one.field is not None}

    def schema(self, dataset):
        """(path, type or None) of its fields by the latest schema facet; empty if there is none."""
        if dataset not in self.said.datasets:
            return {}
        return fields_of(self.said.dataset_facets(dataset))

    # Versions

    def versions(self, dataset):
        return dataset_versions.versions_of(self.said, dataset) if dataset in self.said.datasets else []

    def columns_of_version(self, dataset, version):
        """What its run told of it, under whichever names, or that it depends on all that the run read."""
        run = self.maker(dataset, version)
        return self.told_by(run, dataset) if run else NO_COLUMNS

    def maker(self, dataset, version):
        """The run that made the version; None if no run did."""
        return next((one.run for one in self.versions(dataset) if one.id == version), None)

    def told_by(self, run, dataset):
        teller = self.by_run[run]
        told = [columns for name, columns in teller.told.items() if self.said.primary(name) == dataset]
        if told or teller.explicit:
            return united(told)
        return unknown(teller.inputs)

    def version_read(self, run, dataset):
        return dataset_versions.version_read(self.said, self.said.runs[run], dataset)[0]

    def schema_of_version(self, dataset, version):
        """The schema that the version was described with; else the dataset's."""
        facets = next((one.facets for one in self.versions(dataset) if one.id == version), {})
        return fields_of(facets) or self.schema(dataset)


def _with_sources(columns, change):
    """The columns with each source changed, or left out where that comes to None."""

    def changed(sources):
        return united(Columns({}, {change(one): how}) for one, how in sources.items() if change(one)).whole

    fields = {path: changed(sources) for path, sources in columns.fields.items()}
    return Columns(fields, changed(columns.whole), columns.types)
