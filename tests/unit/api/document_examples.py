"""The OpenAPI document's examples, by the words of the tests: what was sent, what is returned, and ids in both."""

from headwater.api.document.examples import EXAMPLES

# The run of the emissions pipeline's check, and that of its estimate, which reports operations and record roots.
CHECK_EVENT, ESTIMATE_EVENT = EXAMPLES["RawEvent"][0], EXAMPLES["LineageEvent"][1]
JOBS, JOB_NAME = CHECK_EVENT["job"].values()
RUN_ID = CHECK_EVENT["run"]["runId"]
NAMESPACE = CHECK_EVENT["outputs"][0]["namespace"]
CHECKED_NODE = f"dataset:{NAMESPACE}:checked"
DISTANCE_NODE = f"datasetField:{NAMESPACE}:checked:distance"
CO2_NODE = f"datasetField:{NAMESPACE}:estimated:co2_kg"
# The day of both runs, in seconds since 1970.
START_S, END_S = 1_763_596_800, 1_763_683_200


def example(schema, number=0):
    """An example of a schema."""
    return EXAMPLES[schema][number]
