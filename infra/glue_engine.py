"""AWS Glue as the engine of the Spark jobs: nothing is kept warm, so an idle night costs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import aws_glue as glue
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.function import LOG_RETENTION
from infra.log_names import log_name
from infra.nag import accept
from infra.role_permissions import Rights
from infra.spark_code import SparkCode
from infra.spark_job import SparkJob

_WORKER = "G.1X"
_WORKERS_MAX = 10
_WORKERS_KEPT = 4


class GlueEngine(Construct):
    """The jobs in Glue, and their logs."""

    def __init__(self, scope: Construct, construct_id: str, *, code: SparkCode, version: str) -> None:
        super().__init__(scope, construct_id)
        self._code, self._wheels, self._version = code, code.wheels(), version
        self._log_prefix, self._log_groups = _logs(self)
        self._jobs: dict[str, glue.CfnJob] = {}

    def add(self, job: SparkJob) -> None:
        """Make the job in Glue."""
        self._jobs[job.node.id] = self._make(job)
        _open(job.rights, self._log_groups)
        self._code.read_by(job.rights, [self._code.script, self._code.package, *self._wheels])

    @property
    def outputs(self) -> Mapping[str, str]:
        """The names of all jobs, by the names of outputs."""
        return {f"{name}JobName": job.ref for name, job in self._jobs.items()}

    def open_to(self, rights: Rights, *names: str) -> None:
        """Let a state machine start the jobs, wait for them, and stop them when it is stopped."""
        stack = cdk.Stack.of(self)
        rights.allow(
            ["glue:StartJobRun", "glue:GetJobRun", "glue:GetJobRuns", "glue:BatchStopJobRun"],
            [stack.format_arn(service="glue", resource="job", resource_name=self._jobs[name].ref) for name in names],
        )

    def substitutions_of(self, *names: str) -> Mapping[str, str]:
        """Name the jobs, and how they are run, as substitutions in a state machine: `{"TraceRootJobName": ...}`."""
        # Other partitions than `aws` are in the ARN; cfn-lint takes a substitution for the whole of it alone.
        run_job = f"arn:{cdk.Aws.PARTITION}:states:::glue:startJobRun.sync"
        return {"RunJob": run_job, **{f"{name}JobName": self._jobs[name].ref for name in names}}

    def _make(self, job: SparkJob) -> glue.CfnJob:
        glue_job = glue.CfnJob(
            self,
            job.node.id,
            description=job.about,
            role=job.role.role_arn,
            command=glue.CfnJob.JobCommandProperty(
                name="glueetl", python_version="3", script_location=self._code.script.url
            ),
            glue_version=self._version,
            worker_type=_WORKER,
            number_of_workers=_WORKERS_MAX if job.scales else _WORKERS_KEPT,
            execution_property=glue.CfnJob.ExecutionPropertyProperty(max_concurrent_runs=job.runs_max),
            timeout=job.timeout_min,
            max_retries=0,  # the state machine tries again, and knows when it cannot help
            default_arguments={**job.arguments, **self._arguments(job)},
        )
        # A run of a job has the rights of its role at its start.
        glue_job.node.add_dependency(job.role)
        accept(
            glue_job,
            "GL1",
            "Logs name days, roots and counts, no records; CloudWatch encrypts them with AWS's own key.",
        )
        accept(glue_job, "GL3", "The jobs keep no bookmarks.")
        return glue_job

    def _arguments(self, job: SparkJob) -> Mapping[str, str]:
        """Make the arguments for Glue itself."""
        arguments = {
            "--extra-py-files": self._code.package.url,
            "--enable-auto-scaling": "true" if job.scales else "false",
            "--enable-metrics": "true",
            "--custom-logGroup-prefix": self._log_prefix,
        }
        if self._wheels:
            arguments["--additional-python-modules"] = ",".join(wheel.url for wheel in self._wheels)
            arguments["--python-modules-installer-option"] = "--no-index"
        return arguments


def _logs(scope: Construct) -> tuple[str, Sequence[logs.LogGroup]]:
    """Make the two log groups that Glue names by a prefix; return the prefix, too."""
    prefix = log_name("/aws-glue")
    groups = [
        logs.LogGroup(scope, f"{name.capitalize()}Logs", log_group_name=f"{prefix}/{name}", retention=LOG_RETENTION)
        for name in ("error", "output")
    ]
    return prefix, groups


def _open(rights: Rights, log_groups: Sequence[logs.LogGroup]) -> None:
    """Allow Glue's own actions in a job's name: logs and metrics."""
    for group in log_groups:
        rights.allow(["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"], [group.log_group_arn])
    rights.allow(["cloudwatch:PutMetricData"], ["*"], conditions={"StringEquals": {"cloudwatch:namespace": "Glue"}})
    accept(rights.role, "IAM5[Resource::*]", "Metrics have no ARN; the condition names the one namespace, Glue's.")
