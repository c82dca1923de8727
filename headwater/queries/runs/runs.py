"""Queries of runs: a run, the runs of a job, its children, the runs upstream and downstream of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from headwater.facts.facet_refs import flows_of, restored
from headwater.facts.facts import IdText, RunFacts, dataset_of, facets_of, text_of
from headwater.facts.index_rows import child_runs_query
from headwater.facts.index_scan import RunWithFacts, advance, facts_in_rows, last_started, read_run_facts, run_of
from headwater.facts.job_nodes import summarize_run
from headwater.facts.keys import RUN_FACTS, dataset_pk, facts_key, run_facts_prefix, run_pk
from headwater.facts.result_page import ResultPage
from headwater.facts.run_facts import (
    Run,
    are_attempts_cut,
    attempts_of,
    effective_time,
    first_mention,
    has_io,
    parent_run,
    written_datasets,
)
from headwater.facts.run_reports import query_reports
from headwater.facts.table import RowQuery
from headwater.queries.results.graphs import UpstreamInput, UpstreamRun
from headwater.queries.runs.input_versions import CHILDREN_MAX, InputBudget, InputVersion, outputs_of, reads_of
from headwater.queries.runs.job_versions import read_version_page
from headwater.queries.view import GraphView
from headwater.times import shift
from headwater.walk import Walked, walk
from headwater_model.ids import DatasetId, JobId, RunKey, normalize_run_id

# Runs read for each written name of a dataset.
READERS_MAX = 1_000
# Runs of a walk upstream, and rows of a job's runs in a list.
UPSTREAM_MAX = 1_000
LISTED_MAX = 10_000
# A run, and the dataset before it if the run has flows (pairs of input and output); else an empty text.
RunStep: TypeAlias = tuple[RunKey, IdText]
# Runs of an id read by a look-up: of each namespace of the token, and of all other namespaces.
JOBS_MAX = 100


def possible_readers(runs: Mapping[RunKey, RunFacts], view: GraphView) -> tuple[Mapping[RunKey, set[DatasetId]], bool]:
    """Find the possible readers of the runs' outputs, `{run: {name}}`; return true, too, if there are more.

    They started at most a day before the first of the runs: a reader may begin before its writer ends.
    """
    written = {run: list(written_datasets(facts)) for run, facts in runs.items()}
    view.load_names(name for names in written.values() for name in names)
    since: dict[DatasetId, str] = {}
    for run, names in written.items():
        start = runs[run].first or ""
        opened = [view.group(name) for name in names if view.shows(name)]
        for name in {name for group in opened for name in group.names}:
            since[name] = min(start, since.get(name, start))
    queries = [
        RowQuery(dataset_pk(name), low=f"FORWARD#{_a_day_before(start)}", high="FORWARD#~", limit=READERS_MAX)
        for name, start in since.items()
    ]
    pages = query_reports(queries, view)
    readers: dict[RunKey, set[DatasetId]] = {}
    for name, page in zip(since, pages, strict=True):
        for row in page.rows:
            readers.setdefault(run_of(row), set()).add(name)
    return readers, any(page.more for page in pages)


def reading(facts: RunFacts, names: set[DatasetId]) -> RunFacts:
    """Reduce the inputs of a run to the names: `reading(facts, {raw})`."""
    texts = set(map(text_of, names))
    return replace(facts, inputs={text: time for text, time in facts.inputs.items() if text in texts})


def _a_day_before(time: str) -> str:
    return f"{shift(time[:10], -1)}{time[10:]}" if time else ""


def find_run(view: GraphView, run: str) -> Run | None:
    """Find the run of this id, as it was sent or as Marquez prints it.

    If several jobs have a run of the id, take the earliest run visible to the caller; `other_jobs` are the jobs of the
    rest.
    """
    runs, cut = runs_of_id(run, view)
    if not runs:
        return None
    earliest = full_runs(dict(runs[:1]), view)[runs[0][0]]
    others = sorted(job for _, facts in runs[1:] if (job := facts.job_id))
    return replace(earliest, other_jobs=tuple(others), others_cut=cut)


def runs_of_id(run: str, view: GraphView) -> tuple[list[tuple[RunKey, RunFacts]], bool]:
    """List the visible runs of an id, `[(run, facts)]`, the earliest first; return true, too, if runs were left out.

    The namespaces of the caller's token are read by themselves: runs of further namespaces never crowd them out.
    """
    named = [name for name in view.caller.namespaces if not name.endswith("*")]
    prefixes = [*map(run_facts_prefix, named), *([RUN_FACTS] if len(named) < len(view.caller.namespaces) else [])]
    run_id = normalize_run_id(run)
    pages = view.query([RowQuery(run_pk(run_id), prefix=prefix, limit=JOBS_MAX) for prefix in prefixes])
    rows = (row for page in pages for row in page.rows if row.data["id"].startswith(f"{run_id}."))
    seen = owned_runs(facts_in_rows(rows), view.sees)
    runs = sorted(seen.items(), key=lambda item: (first_mention(item[1]), item[0]))
    return runs, any(page.more for page in pages)


def full_runs(runs: Mapping[RunKey, RunFacts], view: GraphView) -> dict[RunKey, Run]:
    """Read the runs with facets, job version, and input (within the budget) and output versions."""
    # `outputs_of` resolves the names of outputs below.
    budget = InputBudget()
    view.load_names(dataset_of(text) for facts in runs.values() for text in facts.outputs)
    reads = reads_of(budget.limit_inputs(runs), view)
    versions = versions_of_unknown(runs, view)
    # Restore the facets of all runs in a single round: of the run, then of the job.
    facets = restored(
        [facets_of(sent) for facts in runs.values() for sent in (facts.run_facets, facts.job_facets)], view
    )
    full = {}
    for (run, facts), of_run, of_job in zip(runs.items(), facets[::2], facets[1::2], strict=True):
        brief = summarize_run(run, facts)
        full[run] = replace(
            brief,
            job_version=versions.get(run, brief.job_version),
            inputs=tuple(read.used() for read in reads[run]),
            outputs=outputs_of(facts, run, view),
            facets=of_run,
            job_facets=of_job,
            truncated=run in budget.cut or view.truncated,
            attempts=attempts_of(facts),
            attempts_cut=are_attempts_cut(facts),
        )
    return full


def versions_of_unknown(runs: Mapping[RunKey, RunFacts], view: GraphView) -> dict[RunKey, str]:
    """Compute the job versions of runs without inputs and outputs: they follow from the runs before."""
    unknown: dict[JobId, list[RunKey]] = {}
    for run, facts in runs.items():
        job = facts.job_id
        if job and effective_time(facts) and not has_io(facts):
            unknown.setdefault(job, []).append(run)
    versions = {}
    for job, job_runs in unknown.items():
        until = max(effective_time(runs[run]) or "" for run in job_runs)
        entries = {entry.run: entry.version for entry in read_version_page(job, view, until).entries}
        versions.update({run: entries[run] for run in job_runs if run in entries})
    return versions


def find_run_key(view: GraphView, run: str) -> RunKey | None:
    """Find the key of the run of `find_run`."""
    runs, _ = runs_of_id(run, view)
    return runs[0][0] if runs else None


def list_runs(job: JobId, view: GraphView, *, in_short: bool = False, limit: int, offset: int) -> ResultPage[Run]:
    """List the job's runs, the last started first; runs known only as parents come at the end.

    `in_short`: without facets, and without input and output versions.
    """
    runs = newest_facts_of([job], view, min(offset + limit, LISTED_MAX) + 1)[job]
    total = next((row.data.get("runs", 0) for row in view.get([facts_key(job)]).values()), 0)
    listed = runs_in_detail(dict(runs[:LISTED_MAX][offset : offset + limit]), view, in_short=in_short)
    return ResultPage(listed, total, truncated=any(run.truncated for run in listed) or len(runs) > LISTED_MAX)


def runs_in_detail(runs: Mapping[RunKey, RunFacts], view: GraphView, *, in_short: bool) -> Sequence[Run]:
    """Make the runs of a list; `in_short`: without facets, and without input and output versions."""
    if in_short:
        return [summarize_run(run, facts) for run, facts in runs.items()]
    return list(full_runs(runs, view).values())


def newest_facts_of(jobs: Iterable[JobId], view: GraphView, count: int) -> dict[JobId, list[RunWithFacts]]:
    """Read the facts of each job's last `count` runs (two or more), newest first.

    Costs a query for each job and a read of its runs' facts; more only where late events moved runs.
    """
    scans = {job: last_started(job) for job in jobs}
    pending = list(scans.values())
    while pending:
        advance(pending, view, rows=count)
        pending = [scan for scan in pending if scan.watermark and len(dict(scan.results.values())) < count]
    return {job: list(islice(dict(scan.results.values()).items(), count)) for job, scan in scans.items()}


def find_upstream(view: GraphView, run: str, *, depth: int) -> ResultPage[UpstreamRun] | None:
    """Walk from the run (see `find_run`) to the producers of its input versions, nearest first; None if unknown."""
    runs, cut = runs_of_id(run, view)
    facts, budget = dict(runs[:1]), InputBudget()
    upstream: dict[RunKey, UpstreamRun] = {}
    walked = Walked[RunStep](UPSTREAM_MAX, truncated=cut)

    def runs_read(level: Sequence[RunStep], is_last: bool) -> Iterable[RunStep]:
        # The inputs from which each run made the datasets before it, with their versions.
        reads = reads_of(budget.limit_inputs(narrowed_inputs(level, facts, view)), view)
        # A run reached before, through another dataset, keeps its inputs.
        for key, run_reads in reads.items():
            inputs = {read.dataset: read for read in upstream_inputs(run_reads, view)}
            known = {read.dataset: read for read in upstream[key].inputs} if key in upstream else {}
            both = {**inputs, **known}
            upstream[key] = UpstreamRun(
                summarize_run(key, facts[key]), tuple(both[dataset] for dataset in sorted(both))
            )
        # The walk goes on to the producers of the versions, if the caller may see the datasets in full.
        producers = {
            (read.produced_by, text_of(read.group.primary))
            for run_reads in reads.values()
            for read in run_reads
            if read.produced_by and view.opens(*read.group.names)
        }
        new = {producer for producer, _ in producers} - facts.keys()
        fitting = () if is_last else walked.take_within_limit(sorted(new))
        facts.update(owned_runs(read_run_facts(fitting, view), view.opens))
        return () if is_last else {step_to(key, facts[key], entry) for key, entry in producers if key in facts}

    walk([(key, "") for key in facts], runs_read, into=walked, depth=depth)
    cut = walked.truncated or view.truncated or bool(budget.cut)
    return ResultPage(list(upstream.values()), len(upstream), cut) if upstream else None


def find_downstream(view: GraphView, run: str, *, depth: int) -> ResultPage[UpstreamRun] | None:
    """Walk from the run (see `find_run`) to the readers of its output versions, nearest first; None if unknown.

    A reader counts if it started at most a day before the writer of its version.
    """
    runs, cut = runs_of_id(run, view)
    facts = dict(runs[:1])
    choosing, showing = InputBudget(), InputBudget()
    downstream: dict[RunKey, UpstreamRun] = {}
    walked = Walked[RunStep](UPSTREAM_MAX, truncated=cut)

    def readers(level: Sequence[RunStep], is_last: bool) -> Iterable[RunStep]:
        new = {key: facts[key] for key, _ in level if key not in downstream}
        reads = reads_of(showing.limit_inputs(new), view)
        downstream.update(
            (key, UpstreamRun(summarize_run(key, facts[key]), upstream_inputs(reads[key], view))) for key in new
        )
        if is_last:
            return ()
        writers = _narrowed_outputs(level, facts, view)
        candidates, more = possible_readers(writers, view)
        walked.truncated |= more
        opened = owned_runs(read_run_facts(sorted(candidates), view), view.opens)
        # Of a candidate's inputs, only these datasets are resolved.
        narrowed = {key: reading(of, candidates[key]) for key, of in opened.items()}
        resolved = reads_of(choosing.limit_inputs(narrowed), view)
        # The walk goes on to the candidates that read a version of these runs.
        steps = [
            step_to(key, opened[key], text_of(read.group.primary))
            for key, of in resolved.items()
            for read in of
            if read.produced_by in writers
            and not writers[read.produced_by].outputs.keys().isdisjoint(map(text_of, read.group.names))
        ]
        facts.update((key, opened[key]) for key, _ in steps)
        return steps

    walk([(key, "") for key in facts], readers, into=walked, depth=depth)
    cut = walked.truncated or view.truncated or bool(choosing.cut) or bool(showing.cut)
    return ResultPage(list(downstream.values()), len(downstream), cut) if downstream else None


def step_to(run: RunKey, facts: RunFacts, entry: IdText) -> RunStep:
    """Make the step to a run from its input or output; the dataset is empty for a run without flows."""
    return run, entry if flows_of(facts) is not None else ""


def narrowed_inputs(
    steps: Iterable[RunStep], runs: Mapping[RunKey, RunFacts], view: GraphView
) -> dict[RunKey, RunFacts]:
    """Reduce the runs' inputs to the sources of the datasets before the runs."""
    narrowed: dict[RunKey, RunFacts] = {}
    for run, entry in steps:
        facts, flows = runs[run], flows_of(runs[run]) if entry else None
        names = map(text_of, view.group(dataset_of(entry)).names) if entry else ()
        reached = {source for name in names for source in (flows or {}).get(name, ())}
        known = narrowed[run].inputs if run in narrowed else {}
        # Without flows, every input of the run may be a source of its outputs.
        inputs = facts.inputs if flows is None else {source: facts.inputs[source] for source in reached}
        narrowed[run] = replace(facts, inputs={**known, **inputs})
    return narrowed


def _narrowed_outputs(
    steps: Iterable[RunStep], runs: Mapping[RunKey, RunFacts], view: GraphView
) -> dict[RunKey, RunFacts]:
    """Reduce the runs' outputs to those derived from the datasets before the runs."""
    narrowed: dict[RunKey, RunFacts] = {}
    for run, entry in steps:
        facts, flows = runs[run], flows_of(runs[run]) if entry else None
        names = set(map(text_of, view.group(dataset_of(entry)).names)) if entry else set()
        known = narrowed[run].outputs if run in narrowed else {}
        outputs = (output for output in facts.outputs if flows is None or not names.isdisjoint(flows[output]))
        narrowed[run] = replace(facts, outputs={**known, **{output: facts.outputs[output] for output in outputs}})
    return narrowed


def owned_runs(runs: Mapping[RunKey, RunFacts], may: Callable[[JobId], bool]) -> dict[RunKey, RunFacts]:
    """Choose the runs of visible jobs (`view.sees`), without the runs of JobEvents."""
    named = {run: facts for run, facts in runs.items() if not facts.declared}
    return {run: facts for run, facts in named.items() if facts.job_id and may(facts.job_id)}


def upstream_inputs(reads: Iterable[InputVersion], view: GraphView) -> tuple[UpstreamInput, ...]:
    """List the read versions with producers; a hidden dataset has `produced_by` None."""
    return tuple(
        UpstreamInput(
            read.group.primary,
            read.version,
            read.produced_by.id if read.produced_by and view.opens(*read.group.names) else None,
            read.resolved_by,
        )
        for read in reads
    )


def list_child_runs(
    view: GraphView, run: str, *, in_short: bool = False, limit: int, offset: int
) -> ResultPage[Run] | None:
    """List the children of the run (see `find_run`), the last started first; None if the run is unknown.

    `in_short`: without facets, and without input and output versions.
    """
    parents, _ = runs_of_id(run, view)
    if not parents:
        return None
    children, more = child_runs(parents[0][0], view)
    listed = runs_in_detail(dict(children[offset : offset + limit]), view, in_short=in_short)
    return ResultPage(listed, len(children), more or any(child.truncated for child in listed))


def child_runs(parent: RunKey, view: GraphView) -> tuple[list[RunWithFacts], bool]:
    """Read the children of a run, `[(run, facts)]`, the last started first; return true, too, if there are more."""
    page = view.query([child_runs_query(parent, CHILDREN_MAX)])[0]
    facts = read_run_facts(dict.fromkeys(map(run_of, page.rows)), view)
    children = [(run, of) for run, of in owned_runs(facts, view.sees).items() if parent_run(of) == parent]
    return sorted(children, key=lambda child: (child[1].first or "", child[0]), reverse=True), page.more
