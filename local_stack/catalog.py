"""The archive's tables, jobs, searches and signing key on the endpoint, made by each service's own API.

moto's CloudFormation makes none of them as a template describes them. Their names are known beforehand, for references
by functions and state machines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import boto3

from local_stack.template.expressions import Attributes
from local_stack.template.search_resources import CatalogTable, Database, Job, Key, NamedQuery, WorkGroup
from local_stack.template.template import Template

if TYPE_CHECKING:
    from mypy_boto3_athena import AthenaClient
    from mypy_boto3_glue import GlueClient

RawProperties = Mapping[str, Any]


def catalog_names(template: Template) -> dict[str, Attributes]:
    """List the values of references to databases, tables, jobs and workgroups."""
    return {
        **{logical_id: {"Ref": database.database_input.name} for logical_id, database in template.of(Database).items()},
        **{logical_id: {"Ref": table.table_input.name} for logical_id, table in template.of(CatalogTable).items()},
        **{logical_id: {"Ref": f"Local-{logical_id}"} for logical_id in template.of(Job)},
        **{logical_id: {"Ref": group.name} for logical_id, group in template.of(WorkGroup).items()},
    }


def make_signing_keys(template: Template, settings: Mapping[str, Any]) -> dict[str, Attributes]:
    """Make the signing keys, and return the values of references to them."""
    signing = {logical_id: key for logical_id, key in template.of(Key).items() if key.key_usage == "SIGN_VERIFY"}
    if not signing:
        return {}
    kms = boto3.client("kms", **settings)
    values: dict[str, Attributes] = {}
    for logical_id, key in signing.items():
        key_metadata = kms.create_key(KeySpec=key.key_spec, KeyUsage=key.key_usage)["KeyMetadata"]
        values[logical_id] = {"Ref": key_metadata["KeyId"], "KeyId": key_metadata["KeyId"], "Arn": key_metadata["Arn"]}
    return values


def make_catalog(template: Template, resolved: Mapping[str, RawProperties], settings: Mapping[str, Any]) -> None:
    """Make databases and tables, jobs, workgroups and saved queries, from their resolved properties."""
    if any(isinstance(resource, Database | Job) for resource in template.resources.values()):
        glue = boto3.client("glue", **settings)
        _make_tables(template, resolved, glue)
        _make_jobs(template, resolved, glue)
    if template.of(WorkGroup):
        _make_searches(template, resolved, boto3.client("athena", **settings))


def _make_tables(template: Template, resolved: Mapping[str, RawProperties], glue: GlueClient) -> None:
    for logical_id in template.of(Database):
        glue.create_database(DatabaseInput=resolved[logical_id]["DatabaseInput"])
    for logical_id in template.of(CatalogTable):
        properties = resolved[logical_id]
        glue.create_table(DatabaseName=properties["DatabaseName"], TableInput=properties["TableInput"])


def _make_jobs(template: Template, resolved: Mapping[str, RawProperties], glue: GlueClient) -> None:
    for logical_id, job in template.of(Job).items():
        glue.create_job(
            Name=f"Local-{logical_id}",
            Role="local",
            Command={"Name": job.command.name},
            DefaultArguments=resolved[logical_id].get("DefaultArguments", {}),
            ExecutionProperty={"MaxConcurrentRuns": job.execution_property.max_concurrent_runs},
            Timeout=job.timeout,
        )


def _make_searches(template: Template, resolved: Mapping[str, RawProperties], athena: AthenaClient) -> None:
    for logical_id, group in template.of(WorkGroup).items():
        athena.create_work_group(Name=group.name, Configuration=resolved[logical_id]["WorkGroupConfiguration"])
    for logical_id in template.of(NamedQuery):
        properties = resolved[logical_id]
        athena.create_named_query(
            Name=properties["Name"],
            Database=properties["Database"],
            QueryString=properties["QueryString"],
            WorkGroup=properties.get("WorkGroup", "primary"),
        )
