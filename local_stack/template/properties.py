"""The base of the models of resources: known properties, refusals, references to further resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic.alias_generators import to_pascal

NO_IAM = "permissions are not checked on one machine"
NO_ENCRYPTION = "the data lives in the memory of one process"
NO_LOGS = "functions log to .headwater/logs"
NOT_READ = "has no effect"


def referred_id(expression: object) -> str:
    """Read the logical id behind `{"Ref": id}` or `{"Fn::GetAtt": [id, attribute]}`.

    >>> referred_id({"Fn::GetAtt": ["RecordsQueue", "Arn"]})
    'RecordsQueue'
    """
    match expression:
        case {"Ref": str(logical_id)}:
            return logical_id
        case {"Fn::GetAtt": [str(logical_id), str()]}:
            return logical_id
        case _:
            raise ValueError("must be a Ref or Fn::GetAtt of a resource in this template")


def referred_ids(expression: object) -> frozenset[str]:
    """Collect every logical id in the expression, at any depth.

    >>> referred_ids({"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, {"Fn::GetAtt": ["Api", "Arn"]}]]})
    frozenset({'Api'})
    """
    match expression:
        case {"Ref": str(logical_id)}:
            return frozenset() if logical_id.startswith("AWS::") else frozenset({logical_id})
        case {"Fn::GetAtt": [str(logical_id), str()]}:
            return frozenset({logical_id})
        case dict():
            return frozenset().union(*map(referred_ids, expression.values()))
        case list():
            return frozenset().union(*map(referred_ids, expression))
        case _:
            return frozenset()


def _only_id(expression: object) -> str:
    """Find the only resource in a longer expression, such as an integration's URI."""
    ids = referred_ids(expression)
    if len(ids) != 1:
        raise ValueError(f"must refer to exactly one resource of this template, refers to {sorted(ids)}")
    return next(iter(ids))


# A property with a reference to a resource, as the resource's logical id.
Target = Annotated[str, BeforeValidator(referred_id)]
Within = Annotated[str, BeforeValidator(_only_id)]
# A value for CloudFormation to resolve.
Expression = Any


# Properties without a meaning on one machine, by name; none of them has a meaning in another resource.
_IGNORED: Mapping[str, str] = {
    name: reason
    for reason, names in {
        NO_IAM: """AccessControl AclConfiguration ApiKeyRequired Credentials ExpectedBucketOwner KeyPolicy Owner
            OwnershipControls Policy RedriveAllowPolicy Role RoleArn""",
        NO_ENCRYPTION: """BucketEncryption EnableKeyRotation EncryptionConfiguration KmsDataKeyReusePeriodSeconds
            KmsMasterKeyId SSESpecification SecurityConfiguration SqsManagedSseEnabled""",
        NO_LOGS: "AccessLogSetting LogUri LoggingConfig LoggingConfiguration",
        NOT_READ: "Comment Description JobMode OperationName Retention",
        "tags bill and search accounts": "Tags",
        "the data lives as long as the process": """DeletionProtectionEnabled LifecycleConfiguration
            ObjectLockConfiguration ObjectLockEnabled PendingWindowInDays PointInTimeRecoverySpecification
            RecursiveDeleteOption""",
        "moto checks no signatures: here pages from loopback alone may read": "AllowedOrigins",
        "the endpoints are bound to loopback, without TLS": """DisableExecuteApiEndpoint EndpointAccessMode
            EndpointConfiguration PublicAccessBlockConfiguration SecurityPolicy""",
        "no X-Ray, metrics or throttling on one machine": """MethodSettings PublishCloudWatchMetricsEnabled
            TracingConfig TracingConfiguration TracingEnabled""",
        "this machine's processor, memory, disk and processes": """Architectures EphemeralStorage ExecutionClass
            MaxCapacity NumberOfWorkers ReservedConcurrentExecutions WorkerType""",
        "the checked-out source runs, in this project's environment": """Code GlueVersion Layers PythonVersion Runtime
            ScriptLocation""",
        "failures are printed": "DeadLetterConfig RetryPolicy",
        "TTL removals alone are delivered, by local_stack.compute.streams": "StreamSpecification",
        "one shard, one reader, from the stack's first record": "ParallelizationFactor StartingPosition",
        "the API is served as it is in the template": "DeploymentId",
        "the API has a single authorizer": "AuthorizerId",
        "POST, as the Lambda integration demands": "IntegrationHttpMethod",
        "the header Authorization": "IdentitySource",
        "headers are fixed": "ResponseParameters",
        "one account, one catalog": "CatalogId",
        "Parquet describes itself, and files are found by listing": """Compressed InputFormat NumberOfBuckets
            OutputFormat Parameters StoredAsSubDirectories""",
        "runs beyond the limit are refused, and retried by their caller": "JobRunQueuingEnabled",
        "DuckDB runs the queries": "EngineVersion",
        "there is no bill": "RequesterPaysEnabled",
        "fires on the minute": "FlexibleTimeWindow",
        "names a folder of schedules, or a target within its rule": "GroupName Id",
    }.items()
    for name in names.split()
}


class Properties(BaseModel):
    """The properties of a resource; unknown properties are refused, ignored properties dropped.

    `ignored` has those of the type alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_pascal)
    ignored: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def kept(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Copy the properties as written, without the ignored properties."""
        return {name: value for name, value in given.items() if name not in cls.ignored and name not in _IGNORED}

    @model_validator(mode="before")
    @classmethod
    def _drop_ignored(cls, given: object) -> object:
        return cls.kept(given) if isinstance(given, dict) else given
