"""A template of tables, jobs, searches and a signing key, as the archive's part of the stack has them."""

COLUMNS = [
    {"Name": "root_id", "Type": "string"},
    {"Name": "recorded_at", "Type": "bigint"},
    {"Name": "tags", "Type": "map<string,string>"},
    {"Name": "steps", "Type": "array<struct<node_id:string,parent_id:string>>"},
]


def a_resource(kind, **properties):
    return {"Type": f"AWS::{kind}", "Properties": properties}


def arn_of(name):
    return {"Fn::GetAtt": [name, "Arn"]}


def a_job(name, *, runs=2, timeout=5):
    script = {"Fn::Sub": "s3://assets/launch.py"}
    return a_resource(
        "Glue::Job",
        Command={"Name": "glueetl", "PythonVersion": "3", "ScriptLocation": script},
        DefaultArguments={
            "--job": name,
            "--archive": {"Fn::Join": ["", ["s3://", {"Ref": "Archive"}]]},
            "--extra-py-files": "s3://assets/lineage.zip",
        },
        ExecutionProperty={"MaxConcurrentRuns": runs},
        GlueVersion="5.0",
        Role=arn_of("Role"),
        Timeout=timeout,
    )


def a_search_template(**jobs):
    """`jobs` are the resources of jobs, by logical id."""
    serde = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
    storage = {
        "Columns": COLUMNS,
        "Location": {"Fn::Join": ["", ["s3://", {"Ref": "Archive"}, "/tables/records/"]]},
        "SerdeInfo": {"SerializationLibrary": serde},
    }
    place = {"OutputLocation": {"Fn::Join": ["", ["s3://", {"Ref": "Archive"}, "/search/"]]}}
    account = {"CatalogId": {"Ref": "AWS::AccountId"}}
    resources = {
        "Role": a_resource("IAM::Role", AssumeRolePolicyDocument={}),
        "Archive": {"Type": "AWS::S3::Bucket"},
        "Records": a_resource(
            "Glue::Table",
            DatabaseName={"Ref": "Lineage"},
            TableInput={
                "Name": "records",
                "TableType": "EXTERNAL_TABLE",
                "PartitionKeys": [{"Name": "day", "Type": "string"}],
                "StorageDescriptor": storage,
            },
            **account,
        ),
        "Lineage": a_resource("Glue::Database", DatabaseInput={"Name": "lineage_small"}, **account),
        "Search": a_resource(
            "Athena::WorkGroup",
            Name="lineage-small",
            WorkGroupConfiguration={
                "BytesScannedCutoffPerQuery": 10_000_000,
                "EnforceWorkGroupConfiguration": True,
                "ResultConfiguration": place,
            },
        ),
        "ByRoot": a_resource(
            "Athena::NamedQuery",
            Name="by root",
            Database={"Ref": "Lineage"},
            WorkGroup={"Ref": "Search"},
            QueryString="SELECT * FROM records WHERE root_id = ?",
        ),
        "Signing": a_resource("KMS::Key", KeyPolicy={}, KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY"),
        **jobs,
    }
    outputs = {
        "ArchiveBucketName": {"Ref": "Archive"},
        "SearchDatabase": {"Ref": "Lineage"},
        "SearchWorkgroup": {"Ref": "Search"},
        "SigningKeyArn": arn_of("Signing"),
        **{f"{logical_id}Name": {"Ref": logical_id} for logical_id in jobs},
    }
    return {"Resources": resources, "Outputs": {name: {"Value": value} for name, value in outputs.items()}}
