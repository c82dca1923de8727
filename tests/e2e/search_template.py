"""A template of tables, jobs, searches and a signing key, as the archive's part of the stack has them."""

COLUMNS = [
    {"Name": "root_id", "Type": "string"},
    {"Name": "recorded_at", "Type": "bigint"},
    {"Name": "tags", "Type": "map<string,string>"},
    {"Name": "steps", "Type": "array<struct<node_id:string,parent_id:string>>"},
]

RUN = {
    "StartAt": "Run",
    "States": {
        "Run": {
            "Type": "Task",
            "Resource": "arn:aws:states:::glue:startJobRun.sync",
            "Parameters": {"JobName": "${CompactName}", "Arguments.$": "$"},
            "End": True,
        },
    },
}


def a_job(name, *, runs=2, timeout=5):
    return {
        "Type": "AWS::Glue::Job",
        "Properties": {
            "Command": {
                "Name": "glueetl",
                "PythonVersion": "3",
                "ScriptLocation": {"Fn::Sub": "s3://assets/launch.py"},
            },
            "DefaultArguments": {
                "--job": name,
                "--archive": {"Fn::Join": ["", ["s3://", {"Ref": "Archive"}]]},
                "--extra-py-files": "s3://assets/lineage.zip",
            },
            "ExecutionProperty": {"MaxConcurrentRuns": runs},
            "GlueVersion": "5.0",
            "Role": {"Fn::GetAtt": ["Role", "Arn"]},
            "Timeout": timeout,
        },
    }


def a_search_template(machine=None, **jobs):
    """`jobs` are the resources of jobs, by logical id."""
    machines = {}
    if machine is not None:
        substitutions = {f"{logical_id}Name": {"Ref": logical_id} for logical_id in jobs}
        machines["Machine"] = {
            "Type": "AWS::StepFunctions::StateMachine",
            "Properties": {"DefinitionString": machine, "DefinitionSubstitutions": substitutions},
        }
    return {
        "Resources": {
            "Role": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {}}},
            "Archive": {"Type": "AWS::S3::Bucket"},
            "Records": {
                "Type": "AWS::Glue::Table",
                "Properties": {
                    "CatalogId": {"Ref": "AWS::AccountId"},
                    "DatabaseName": {"Ref": "Lineage"},
                    "TableInput": {
                        "Name": "records",
                        "TableType": "EXTERNAL_TABLE",
                        "PartitionKeys": [{"Name": "day", "Type": "string"}],
                        "StorageDescriptor": {
                            "Columns": COLUMNS,
                            "Location": {"Fn::Join": ["", ["s3://", {"Ref": "Archive"}, "/tables/records/"]]},
                            "SerdeInfo": {
                                "SerializationLibrary": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
                            },
                        },
                    },
                },
            },
            "Lineage": {
                "Type": "AWS::Glue::Database",
                "Properties": {"CatalogId": {"Ref": "AWS::AccountId"}, "DatabaseInput": {"Name": "lineage_small"}},
            },
            "Search": {
                "Type": "AWS::Athena::WorkGroup",
                "Properties": {
                    "Name": "lineage-small",
                    "WorkGroupConfiguration": {
                        "BytesScannedCutoffPerQuery": 10_000_000,
                        "EnforceWorkGroupConfiguration": True,
                        "ResultConfiguration": {
                            "OutputLocation": {"Fn::Join": ["", ["s3://", {"Ref": "Archive"}, "/search/"]]}
                        },
                    },
                },
            },
            "ByRoot": {
                "Type": "AWS::Athena::NamedQuery",
                "Properties": {
                    "Name": "by root",
                    "Database": {"Ref": "Lineage"},
                    "WorkGroup": {"Ref": "Search"},
                    "QueryString": "SELECT * FROM records WHERE root_id = ?",
                },
            },
            "Signing": {
                "Type": "AWS::KMS::Key",
                "Properties": {"KeyPolicy": {}, "KeySpec": "ECC_NIST_P256", "KeyUsage": "SIGN_VERIFY"},
            },
            **jobs,
            **machines,
        },
        "Outputs": {
            "ArchiveBucketName": {"Value": {"Ref": "Archive"}},
            "SearchDatabase": {"Value": {"Ref": "Lineage"}},
            "SearchWorkgroup": {"Value": {"Ref": "Search"}},
            "SigningKeyArn": {"Value": {"Fn::GetAtt": ["Signing", "Arn"]}},
            **{f"{logical_id}Name": {"Value": {"Ref": logical_id}} for logical_id in jobs},
        },
    }
