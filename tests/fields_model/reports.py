"""What became of a column in a time range, and where it came from: along the steps that everyone told of in it.

Down, a column may have gone wherever nobody reported which columns were taken; a source without a field is a dataset
whose columns nobody reported.

A way is direct if each of its steps is, and masked if any of its steps masks. A step that several told of is direct if
one of them says so, and masks if all do: where nothing is said of how, it is taken as direct, and as not masked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain

from lineage.queries.columns.results import Flow, LineageStep, Provenance, ReportedRun, TrueSource, Usage, Use
from lineage_model.columns import Column, ColumnLineage, ColumnSource
from tests.fields_model.found import hops
from tests.fields_model.operations import dropped, read_of
from tests.fields_model.related import exists, is_inside, overlap, related, related_in, went_into
from tests.fields_model.reporters import Teller, sources_in, unknown
from tests.fields_model.told import united
from tests.runs_model.facets import text_in
from tests.runs_model.schemas import dataset_facets

_FAR = 20
# Runs that a report names of one thing.
_RUNS = 10


@dataclass(frozen=True)
class Leg:
    """A step that one teller told of."""

    source: ColumnSource
    destination: ColumnSource
    how: frozenset
    reporter: Teller
    certain: bool = True

    @property
    def direct(self):
        return not self.how or any(one.type == "DIRECT" for one in self.how)

    @property
    def masks(self):
        return bool(self.how) and all(one.masking for one in self.how)


def report_usage(world, dataset, field, window):
    """Who used a column, and what it flowed into."""
    start = Column(world.statements.primary(dataset), field)
    reporters = _in(world, window)
    reports = _reports(world, reporters, start.dataset)
    uses = [use for one in reporters for use in (*_writes(world, start, one), *_reads(world, start, one, reports))]
    reached, legs = _journey(
        ColumnSource(start.dataset, field),
        lambda node: _legs_from(world, reporters, node, _reports(world, reporters, node.dataset)),
        lambda leg: leg.destination,
        world,
    )
    flows = tuple(
        Flow(node, *how, _status(world, node), _jobs(leg for leg in legs if leg.destination == node))
        for node, *how in reached
    )
    alike = {(one.kind, one.job, one.fields, one.operations, one.known): [] for one in uses}
    for one in uses:
        alike[one.kind, one.job, one.fields, one.operations, one.known].append(one)
    return Usage(start, window, tuple(sorted(map(_united, alike.values()), key=_newest, reverse=True)), flows)


def report_provenance(world, dataset, field, window):
    """What a column came from: every step, and the columns that nothing is told to be made of."""
    start = Column(world.statements.primary(dataset), field)
    reporters = _in(world, window)
    reached, legs = _journey(
        ColumnSource(start.dataset, field), lambda node: _made_of(world, reporters, node), lambda leg: leg.source, world
    )
    sources = tuple(
        TrueSource(Column(node.dataset, node.field), *how, reason, *_because(world, some, reads))
        for node, *how, _, _ in [(ColumnSource(start.dataset, field), 0, True, False, True, False), *reached]
        for reason, some, reads in _ends(world, node, window)
    )
    ends = sorted({(leg.source, leg.destination) for leg in legs}, key=lambda one: [end.order for end in one])
    steps = [_step(world, [leg for leg in legs if (leg.source, leg.destination) == one]) for one in ends]
    return Provenance(start, window, sources, tuple(steps))


# Ends


def _ends(world, column, window):
    """(reason, those who are the reason, the datasets they read) of each reason why the way ends at a column."""
    writers = _writers(world, column.dataset, _in(world, window))
    told = {one: _told_of(world, column.dataset, one) for one in writers}
    own = {one: columns and _own_sources(columns, column.field) for one, columns in told.items()}
    silent = [one for one in writers if one.job and not (told[one] and told[one].fields)]
    unnamed = [one for one in writers if own[one] and any(source.field is None for source in own[one])]
    reported = any(sources is not None for sources in own.values())
    generated = [one for one in writers if own[one] == {}]
    unreported = [one for one in writers if one in silent or one in unnamed]
    if not (unreported or reported):
        unreported = [one for one in writers if one.job]
    found = [("generated", generated, set())] if generated else []
    if unreported:
        reads = set()
        for one in unreported[:_RUNS]:
            sources = own[one] if one in unnamed else unknown(one.inputs).dataset_level
            reads |= {world.statements.primary(source.dataset) for source in sources if source.field is None}
        found.append(("unreported", unreported, reads))
    if found or reported:
        return found
    earlier = [one for one in world.reporters if one.job and one.start < window.start]
    before = sorted(_writers(world, column.dataset, earlier), key=lambda one: (one.start, one.id))
    return [("before", before[-1:], set())] if before else [("raw", [], set())]


def _writers(world, dataset, reporters):
    """Those who wrote the dataset, or told of it, under whichever names."""
    return [
        one for one in reporters if any(world.statements.primary(name) == dataset for name in {*one.outputs, *one.told})
    ]


def _told_of(world, dataset, reporter):
    """Return what one teller told of the dataset's columns; None if nothing."""
    told = [columns for name, columns in reporter.told.items() if world.statements.primary(name) == dataset]
    return world.named(united(told)) if told else None


def _own_sources(columns, path):
    """Return what one teller told the column to be made of; None if it told nothing of it."""
    found = related(path, columns.fields.keys())
    return _united_sources(columns, found) if found else None


def _united_sources(columns, paths):
    return united(ColumnLineage({}, columns.fields[path]) for path in paths).dataset_level


def _because(world, reporters, reads):
    """(jobs, runs, datasets read)"""
    jobs = tuple(sorted({one.job for one in reporters} - {None}))
    return jobs, tuple(one.id.id for one in reporters[:_RUNS]), tuple(sorted(reads))


def _in(world, window):
    """Everyone who began in the window, the newest first."""
    reporters = [one for one in world.reporters if window.start <= one.start < window.end]
    return sorted(reporters, key=lambda one: (one.start, one.id), reverse=True)


# Ways


def _journey(start, legs_of, end, world):
    """(node, hops, whether directly, masked, certainly, by failed runs) of each but the start; and all legs."""

    def reach(accept):
        return hops([start], _FAR, lambda column: {end(leg) for leg in legs_of(column) if accept(leg)})

    every, directly = reach(lambda leg: True), reach(lambda leg: leg.direct)
    openly = reach(lambda leg: not leg.masks)
    certainly = reach(lambda leg: leg.certain)
    surely = reach(lambda leg: _state(world, leg.reporter) not in ("FAILED", "ABORTED"))
    reached = [
        (column, every[column], column in directly, column not in openly, column in certainly, column not in surely)
        for column in sorted(every, key=lambda column: (every[column], column.order))
        if column != start
    ]
    return reached, [leg for column in every for leg in legs_of(column)]


def _legs_from(world, reporters, node, reports):
    """The steps from a node to others, certain and not; `reports` is what was told of its dataset."""
    return [*_made_from(world, reporters, node, reports), *_perhaps_made_from(world, reporters, node, reports)]


def _made_from(world, reporters, node, reports):
    """The steps from a column to others, each of which was told of itself."""
    for one, dataset, columns in _told(world, reporters) if node.field is not None else ():
        for path, sources in columns.fields.items():
            for some in (sources, columns.dataset_level):
                for how in _taken(node, some, reports):
                    yield Leg(node, ColumnSource(dataset, path), how, one)


def _taken(node, sources, reports):
    """Find how a column is taken, itself or what is related to it."""
    used = {one: how for one, how in sources.items() if one.dataset == node.dataset and one.field is not None}
    return [how for one, how in used.items() if went_into(node.field, one.field, reports)]


def _perhaps_made_from(world, reporters, node, reports):
    """The steps that may have been from a column, or from any column of a dataset."""
    for one in reporters:
        for name in {*one.outputs, *one.told}:
            dataset, columns = world.statements.primary(name), world.named(one.columns(name))
            for path, how in _perhaps(columns, node, reports):
                yield Leg(node, ColumnSource(dataset, path), how, one, certain=False)


def _perhaps(columns, node, reports):
    """(path, how) of what may be made of a node; without a path, some column that nobody reported."""
    unnamed = ColumnSource(node.dataset)
    named = {one for one in sources_in(columns) if one.dataset == node.dataset and one.field is not None}
    for path, own in columns.fields.items():
        taken = [how for one, how in own.items() if one == unnamed or (one in named and node == unnamed)]
        taken += [how for one, how in columns.dataset_level.items() if one in named and node == unnamed]
        if taken:
            yield path, frozenset(chain(*taken))
    whole = [how for one, how in columns.dataset_level.items() if one == unnamed and not named]
    if not columns.fields:
        whole += [how for one, how in columns.dataset_level.items() if one in named and node == unnamed]
        whole += _taken(node, columns.dataset_level, reports) if node != unnamed else []
    if whole:
        yield None, frozenset(chain(*whole))


def _made_of(world, reporters, column):
    """The steps to a column: also from what all of its dataset is told to depend on."""
    found = related_in(column.field, _reports(world, reporters, column.dataset))
    for one, dataset, columns in _told(world, reporters):
        own = [columns.fields[path] for path in found if path in columns.fields]
        for sources in (*own, columns.dataset_level) if dataset == column.dataset else ():
            for source, how in sources.items():
                if source.field is not None:
                    yield Leg(source, column, how, one)


def _reports(world, reporters, dataset):
    """The paths that each teller told of a dataset, under each of its names."""
    return [columns.fields.keys() for _, name, columns in _told(world, reporters) if name == dataset]


def _told(world, reporters):
    for one in reporters:
        for name, columns in one.told.items():
            yield one, world.statements.primary(name), world.named(columns)


def _step(world, legs):
    how = {one for leg in legs for one in leg.how}
    roots = dict.fromkeys(_root(world, leg.reporter) for leg in legs)
    return LineageStep(
        Column(legs[0].source.dataset, legs[0].source.field),
        Column(legs[0].destination.dataset, legs[0].destination.field),
        tuple(sorted(how, key=str)),
        _called(how),
        _jobs(legs),
        tuple(dict.fromkeys(root.id for root in roots)),
    )


def _root(world, reporter):
    """The run at the root of those that started it, by the last event that names its parent."""
    events = world.statements.runs[reporter.run].events[::-1] if reporter.run else []
    last = next((event for event in events if event.parent), None)
    return (last.root or last.parent).key if last else reporter.id


def _jobs(legs):
    return tuple(sorted({leg.reporter.job for leg in legs} - {None}))


def _called(how):
    return tuple(sorted({one.description or one.subtype or one.type for one in how}))


def _status(world, column):
    """Whether the column is there now; where no schema tells, those that are told of now are."""
    facets = dataset_facets(world.statements, column.dataset)
    if text_in(facets, "lifecycleStateChange", "lifecycleStateChange") == "DROP" or world.statements.is_hidden(
        column.dataset
    ):
        return "dropped"
    schema = world.schema(column.dataset)
    if column.field is None:
        return "alive"
    if schema:
        return "alive" if _has_room(schema, column.field) else "dropped"
    reports = [word.columns.fields.keys() for word in world.writers(column.dataset)]
    return "alive" if related_in(column.field, reports) else "unknown"


def _has_room(schema, path):
    """True if a schema names the path, or a struct around it whose fields it does not name."""
    return exists(path, schema) or any(
        is_inside(path, one) and not any(is_inside(other, one) for other in schema) for one in related(path, schema)
    )


# Uses


def _newest(use):
    return use.last, use.runs[0].key, use.kind, use.known


def _united(uses):
    """Uses of which only the runs differ, newest first, as one."""
    states = Counter(run.state for one in uses for run in one.runs if run.state)
    return replace(
        uses[0],
        first=uses[-1].first,
        count=len(uses),
        states=tuple(sorted(states.items())),
        runs=tuple(run for one in uses[:_RUNS] for run in one.runs),
    )


def _state(world, reporter):
    """The state of the run that it is; None of what an event declared."""
    return world.statements.runs[reporter.run].state if reporter.run else None


def _writes(world, column, reporter):
    """That it wrote the column, under whichever names; or may have, where a job told nothing of what it wrote."""
    names = [one for one in {*reporter.outputs, *reporter.told} if world.statements.primary(one) == column.dataset]
    columns = world.named(united(reporter.told[one] for one in names if one in reporter.told))
    if names and reporter.job and reporter.told.keys().isdisjoint(names):
        yield _use("WRITE", world, reporter, known=False)
    elif found := related(column.field, columns.fields.keys()):
        sources = _united_sources(columns, found)
        made_of = {one for one in sources if one.field is not None}
        yield _use("WRITE" if sources else "CREATE", world, reporter, made_of, sources.values())


def _reads(world, column, reporter, reports):
    """That it read the column, under whichever names, or may have; and that it dropped it."""
    sources = {one.dataset for columns in reporter.told.values() for one in sources_in(columns)} | reporter.named
    every = {*reporter.inputs, *sources, *chain(*map(read_of, reporter.operations))}
    names = {one for one in every if world.statements.primary(one) == column.dataset}
    sets = [some for some in reporter.operations if names & read_of(some).keys()]
    node = ColumnSource(column.dataset, column.field)
    made = list(_made_from(world, [reporter], node, reports))
    perhaps = {leg.destination for leg in _perhaps_made_from(world, [reporter], node, reports)}
    read = {path for some in sets for one in names & read_of(some).keys() for path in read_of(some)[one]}
    taken = any(overlap(column.field, path) for path in read)
    mum = not reporter.explicit and set(reporter.outputs) - reporter.told.keys() and names & set(reporter.inputs)
    if made or taken:
        unreported = {one for one in perhaps if one.field is None}
        yield _use("READ", world, reporter, {leg.destination for leg in made} | unreported, [leg.how for leg in made])
    elif perhaps or (names and not sets and (mum or names.isdisjoint(sources))):
        yield _use("READ", world, reporter, perhaps, known=False)
    gone = [
        one.field for some in sets for one in dropped(some) if world.statements.primary(one.dataset) == column.dataset
    ]
    if any(overlap(column.field, path) for path in gone):
        yield _use("DELETE", world, reporter)


def _use(kind, world, reporter, fields=(), how=(), *, known=True):
    run = ReportedRun(reporter.id, reporter.start, _state(world, reporter))
    fields = tuple(sorted(fields, key=lambda one: one.order))
    return Use(
        kind, reporter.job, reporter.start, reporter.start, 1, (), (run,), fields, _called(set(chain(*how))), known
    )
