"""Context values of a company's account."""

from headwater.features.company.context import CompanyRules
from tests.features.company.stacks import BOUNDARY, KEY

_TAGS = "must be at most 40 tags of AWS, as JSON or NAME=VALUE with commas between them"
_OFF = {"role_path": "none", "endpoint": "regional", "tags": "", "producer_principals": None, "budget_usd": None}
READ = [
    (_OFF, None),
    *(
        (context, CompanyRules(**expected))
        for context, expected in (
            ({"permissions_boundary": BOUNDARY}, {"permissions_boundary": BOUNDARY}),
            ({"role_path": "/"}, {"role_path": "/"}),
            ({"role_path": "/data/lineage/"}, {"role_path": "/data/lineage/"}),
            ({"kms_key_arn": KEY}, {"kms_key_arn": KEY}),
            ({"endpoint": "private"}, {"private": True}),
            (
                {"endpoint": "private:vpce-01234567,vpce-89abcdef"},
                {"private": True, "vpc_endpoints": ("vpce-01234567", "vpce-89abcdef")},
            ),
            ({"log_retention_days": "365"}, {"log_retention_days": 365}),
            ({"tags": {"team": "data"}}, {"tags": {"team": "data"}}),
            ({"tags": "team=data, empty="}, {"tags": {"team": "data", "empty": ""}}),
            ({"tags": '{"a": "b=c"}'}, {"tags": {"a": "b=c"}}),
            ({"producer_principals": "111122223333,o-a1b2c3d4e5"}, {"producers": ("111122223333", "o-a1b2c3d4e5")}),
            ({"budget_usd": 5, "alarm_email": "a@example.org"}, {"budget_usd": 5}),
        )
    ),
]
REFUSED = [
    ({name: value}, f"{name}: {rule}, got {value!r}")
    for name, value, rule in (
        ("permissions_boundary", "Boundary", "must be the ARN of a managed policy, or none"),
        ("role_path", "data", "must be a path of IAM that begins and ends with /, or none"),
        ("kms_key_arn", "alias/key", "must be the ARN of a key of KMS, no alias, or none"),
        ("endpoint", "edge", "must be regional, private or private:VPC-ENDPOINT,VPC-ENDPOINT, or none"),
        ("tags", {"aws:x": "y"}, _TAGS),
        ("tags", {"x": 1}, _TAGS),
        ("producer_principals", "1234", "must be ids of accounts (12 digits, as text) or of an organization (o-...)"),
        ("budget_usd", 5, "must be given with alarm_email"),
        ("budget_usd", 0, "must be a whole number from 1 to 1000000, or none"),
        ("name_prefix", "Acme", "must be a lower-case letter, then at most 19 letters, digits and hyphens, or none"),
    )
]
REFUSED_AS = [({"log_retention_days": 2}, r"^log_retention_days: .* CloudWatch Logs \(1, 3, 5, .*got 2$")]
