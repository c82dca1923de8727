"""The coverage of each job, computed anew."""

from headwater.api.values import render_id, when


def coverage(world, since):
    """Return the coverage of every visible job, by namespace and name; None is the producer of each."""
    jobs = [world.runs.job(job) for job in sorted(world.runs.visible_jobs())]
    events = [event for event in world.statements.whole.events if event.parent]
    parents = {event.parent.job for event in events if event.parent.job != event.job}
    return [_coverage_of(world, job, parents, since) for job in jobs]


def _coverage_of(world, job, parents, since):
    names = set(world.written_by(job.id))
    ever = {
        name
        for reporter in world.reporters
        if reporter.job == job.id and reporter.position
        for name in reporter.reported
    }
    reported = len(names & ever)
    return {
        **render_id(job.id),
        "producer": None,
        "coverage": _level(job, reported, parents, since),
        "updatedAt": when(job.updated),
        "outputs": len(names),
        "certainOutputs": 0 if job.incomplete else reported,
        "incomplete": job.incomplete,
    }


def _level(job, reported, parents, since):
    if job.updated < since:
        return "silent"
    if reported:
        return "columns"
    if job.inputs or job.outputs:
        return "tables"
    return "parent" if job.id in parents else "nothing"
