"""A custom domain may lead to the API below a base path, which API Gateway leaves in the path of a request."""

import pytest

from tests.unit.api.proxy import respond
from tests.unit.api.teams import World


@pytest.mark.parametrize(
    ("path", "proxy"),
    [
        ("/lineage/api/v1/namespaces", "api/v1/namespaces"),
        ("/data/lineage/api/v1/namespaces/", "api/v1/namespaces"),
        ("/api/api/v1/namespaces", "api/v1/namespaces"),
        ("/lineage/api/v1/namespaces/s3%3A%2F%2Flake/jobs", "api/v1/namespaces/s3%3A%2F%2Flake/jobs"),
        ("/lineage/api/v1/namespaces/s3%3A%2F%2Flake/jobs", "api/v1/namespaces/s3://lake/jobs"),
        ("/lineage/api/v1/namespaces/api%2Fv1%2Fnamespaces/jobs", "api/v1/namespaces/api/v1/namespaces/jobs"),
    ],
)
def test_a_route_is_found_below_a_base_path(path, proxy):
    assert respond(World().api, path, proxy=proxy).status == 200


@pytest.mark.parametrize("path", ["/lineage", "/lineage/"])
def test_the_base_path_alone_is_the_root(path):
    assert respond(World().api, path, proxy=None).form["name"]
