"""Which version a question is about: the node id may name one, and the question another, or a time."""

from __future__ import annotations

from lineage.errors import Fault, Invalid


def selected_version(
    named: str | None, version: str | None, at: str | None, *, of_job: bool, downstream: bool = False
) -> str | None:
    """The version that is asked for: `named` by the node id, or by `version` beside it; None if neither.

    Raises:
        Invalid: they disagree, or there is a time beside them; a job's node has no dataset version; what lies
            downstream is only known of the present.
    """
    faults = []
    if version and named and version.lower() != named:
        faults.append(Fault("datasetVersion", version, f"must be the version in nodeId, {named}, or be left out"))
    if at and (version or named):
        faults.append(Fault("lineageAt", at, "must be left out where a version is given"))
    if version and of_job:
        faults.append(Fault("datasetVersion", version, "must be left out where nodeId names a job"))
    if downstream and (at or version or named):
        faults.append(Fault("withDownstream", True, "must be left out where a version or a time is given"))
    if faults:
        raise Invalid(faults)
    return named or (version.lower() if version else None)
