"""EMR Serverless as the engine of the Spark jobs: an application without warm workers, which stops when idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import RemovalPolicy
from aws_cdk import aws_emrserverless as emr
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.emr_states import with_emr_serverless
from infra.function import LOG_RETENTION
from infra.nag import accept
from infra.role_permissions import Rights
from infra.spark_code import PYTHON_VERSION, SparkCode, Uploaded
from infra.spark_job import SparkJob

_RELEASE = "emr-7.12.0"  # of Spark 3.5
_IDLE_MIN = 5
_EXECUTORS_MAX = 10
_LIBRARIES = "libraries"
# The rule by which Step Functions notices the end of a run; Step Functions makes it itself.
_RULE = "StepFunctionsGetEventsForEMRServerlessJobRule"


class EmrEngine(Construct):
    """The application, and the state machine's tasks that start jobs in it."""

    SERVICE = "emr-serverless.amazonaws.com"

    def __init__(
        self, scope: Construct, construct_id: str, *, jobs: Sequence[SparkJob], code: SparkCode, removal: RemovalPolicy
    ) -> None:
        super().__init__(scope, construct_id)
        self._jobs = jobs
        log_group = logs.LogGroup(self, "Logs", retention=LOG_RETENTION, removal_policy=removal)
        self.application = _application(self, log_group)
        archive = code.archive()
        for job in jobs:
            _open(job.rights, log_group)
            code.read_by(job.rights, [code.script, code.package, *([archive] if archive else [])])
        self.outputs: Mapping[str, str] = {"SparkApplicationId": self.application.attr_application_id}
        self.substitutions: Mapping[str, str] = {
            **self.outputs,
            "SparkEntryPoint": code.script.url,
            "SparkSubmitParameters": _submit_parameters(code.package, archive),
            **{f"{job.node.id}RoleArn": job.role.role_arn for job in jobs},
            **{f"{job.node.id}Arguments": _quoted(job.arguments) for job in jobs},
        }

    def definition(self, text: str) -> str:
        """Return the state machine as this engine runs it."""
        return with_emr_serverless(text)

    def open_to(self, rights: Rights) -> None:
        """Let a state machine start the jobs, wait for them, and stop them when it is stopped."""
        application = self.application.attr_arn
        rights.allow(["emr-serverless:StartJobRun"], [application])
        rights.allow(["emr-serverless:GetJobRun", "emr-serverless:CancelJobRun"], [f"{application}/jobruns/*"])
        name = cdk.Stack.of(self).get_logical_id(self.application)
        accept(
            rights.role,
            f"IAM5[Resource::<{name}.Arn>/jobruns/*]",
            "A run is called by an id that it gets when it starts; those of other applications are not allowed.",
        )
        rights.allow(
            ["iam:PassRole"],
            [job.role.role_arn for job in self._jobs],
            conditions={"StringEquals": {"iam:PassedToService": self.SERVICE}},
        )
        rule = cdk.Stack.of(self).format_arn(service="events", resource="rule", resource_name=_RULE)
        rights.allow(["events:PutTargets", "events:PutRule", "events:DescribeRule"], [rule])


def _application(scope: Construct, log_group: logs.LogGroup) -> emr.CfnApplication:
    return emr.CfnApplication(
        scope,
        "Application",
        type="SPARK",
        release_label=_RELEASE,
        architecture="ARM64",
        auto_start_configuration=emr.CfnApplication.AutoStartConfigurationProperty(enabled=True),
        auto_stop_configuration=emr.CfnApplication.AutoStopConfigurationProperty(
            enabled=True, idle_timeout_minutes=_IDLE_MIN
        ),
        monitoring_configuration=emr.CfnApplication.MonitoringConfigurationProperty(
            cloud_watch_logging_configuration=emr.CfnApplication.CloudWatchLoggingConfigurationProperty(
                enabled=True, log_group_name=log_group.log_group_name
            )
        ),
    )


def _submit_parameters(package: Uploaded, archive: Uploaded | None) -> str:
    """Return the parameters as spark-submit takes them; EMR Serverless splits them at blanks and knows no quotes."""
    python = f"/usr/bin/python{PYTHON_VERSION}"
    settings = {
        "spark.dynamicAllocation.maxExecutors": str(_EXECUTORS_MAX),
        "spark.emr-serverless.driverEnv.PYSPARK_DRIVER_PYTHON": python,
        "spark.emr-serverless.driverEnv.PYSPARK_PYTHON": python,
        "spark.executorEnv.PYSPARK_PYTHON": python,
    }
    if archive:
        settings["spark.archives"] = f"{archive.url}#{_LIBRARIES}"
        settings["spark.emr-serverless.driverEnv.PYTHONPATH"] = f"./{_LIBRARIES}"
        settings["spark.executorEnv.PYTHONPATH"] = f"./{_LIBRARIES}"
    return " ".join([f"--py-files {package.url}", *(f"--conf {name}={value}" for name, value in settings.items())])


def _quoted(arguments: Mapping[str, str]) -> str:
    """Return arguments as an intrinsic function of the state machine takes them."""
    return ", ".join(f"'{part}'" for pair in arguments.items() for part in pair)


def _open(rights: Rights, log_group: logs.LogGroup) -> None:
    """Allow EMR's own actions in a job's name: logs."""
    rights.allow(["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"], [log_group.log_group_arn])
    rights.allow(["logs:DescribeLogGroups"], ["*"])
    accept(rights.role, "IAM5[Resource::*]", "EMR looks for its log group among all; names of groups are all it sees.")
