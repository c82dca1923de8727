"""Record the events of dbt's integration: `python record_dbt.py FILE`, with the packages below installed.

dbt-athena writes the manifest. The results of the run are ours, in dbt's form: a run needs Athena.
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGES = ("dbt-core", "dbt-athena", "openlineage-integration-common")
PROFILE = {
    "type": "athena",
    "s3_staging_dir": "s3://results/",
    "s3_data_dir": "s3://lake/dbt/",
    "region_name": "eu-west-1",
    "database": "awsdatacatalog",
    "schema": "web",
    "assume_role_arn": "arn:aws:iam::111122223333:role/dbt",
}
SOURCE = {"name": "web", "database": "awsdatacatalog", "schema": "web", "tables": [{"name": "by_country"}]}
FILES = {
    "dbt_project.yml": {"name": "shop", "version": "1.0.0", "profile": "shop"},
    "profiles.yml": {"shop": {"target": "prod", "outputs": {"prod": PROFILE}}},
    "models/sources.yml": {"sources": [SOURCE]},
    "models/large_countries.sql": "select country from {{ source('web', 'by_country') }} where orders > 10",
}
TIMING = [
    {"name": name, "started_at": "2025-11-20T02:00:00Z", "completed_at": "2025-11-20T02:01:00Z"}
    for name in ("compile", "execute")
]
RESULT = {
    "status": "success",
    "unique_id": "model.shop.large_countries",
    "timing": TIMING,
    "thread_id": "Thread-1",
    "execution_time": 60.0,
    "adapter_response": {},
    "message": "OK",
    "failures": None,
}
RESULTS = {
    "metadata": {
        "dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json",
        "generated_at": "2025-11-20T02:01:00Z",
        "invocation_id": "6b0d1ab9-57dd-4a05-9b0b-5c51ae6d1a2f",
        "env": {},
    },
    "results": [RESULT],
    "elapsed_time": 60.0,
    "args": {"which": "run"},
}


def events(folder):
    from dbt.cli.main import dbtRunner
    from openlineage.client.serde import Serde
    from openlineage.common.provider.dbt.local import DbtLocalArtifactProcessor

    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    where = ["--project-dir", str(folder), "--profiles-dir", str(folder)]
    assert dbtRunner().invoke(["parse", *where]).success
    (folder / "target" / "run_results.json").write_text(json.dumps(RESULTS), encoding="utf-8")
    os.environ["DBT_PROFILES_DIR"] = str(folder)
    processor = DbtLocalArtifactProcessor(
        str(folder), profile_name="shop", producer="https://github.com/OpenLineage/OpenLineage", job_namespace="dbt"
    )
    return [json.loads(Serde.to_json(event)) for event in processor.parse().events()]


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        recorded = {"versions": {name: version(name) for name in PACKAGES}, "events": events(Path(folder))}
    Path(sys.argv[1]).write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
