"""Sign-in: an authorizer before the token API, and the explorer's files before the authorizer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from aws_cdk import Aws, Fn
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_iam as iam

from headwater import settings
from headwater.features.sign_in.context import SignInValues
from headwater.features.sign_in.settings import (
    ISSUER_KEYS,
    SIGN_IN_AUDIENCE,
    SIGN_IN_CLIENT,
    SIGN_IN_ISSUER,
    SIGN_IN_NAMES,
    SIGN_IN_ORIGINS,
    SIGN_IN_SCOPE,
)
from infra.addition import Addition
from infra.function import ServiceFunction
from infra.nag import accept
from infra.package import PROJECT, build_layer, layer_version

if TYPE_CHECKING:
    from infra.stack import LineageStack

# Beside the layer of all functions: PyJWT and cryptography.
LOCK_FILE = PROJECT / "requirements" / "sign_in.txt"
# A token refused for a new key is refused for a minute.
_KEPT_S = 60
_TIMEOUT_S = 15


def add(stack: LineageStack, values: SignInValues) -> Addition:
    """Add the authorizer to the token API, and the settings of the page to the API's function."""
    api = cast(apigateway.RestApi, stack.query_api.token_api)
    function = _make_function(stack, values)
    stack.query_api.function.set(
        {
            SIGN_IN_ISSUER: values.issuer,
            SIGN_IN_CLIENT: values.client or "",
            SIGN_IN_SCOPE: values.scope,
            SIGN_IN_ORIGINS: json.dumps(values.origins),
            SIGN_IN_NAMES: values.names,
        }
    )
    authorizer = _make_authorizer(api, function)
    for method in api.methods:
        resource = cast(apigateway.CfnMethod, method.node.default_child)
        resource.authorization_type, resource.authorizer_id = "CUSTOM", authorizer.ref
    _open_page(api)
    _name_refusals(api)
    return Addition(functions=[function])


def _make_function(stack: LineageStack, values: SignInValues) -> ServiceFunction:
    function = ServiceFunction(
        stack,
        "SignInFunction",
        module="sign_in",
        feature="sign_in",
        description="Verifies the tokens of the issuer for the token API.",
        timeout_s=_TIMEOUT_S,
        memory_mb=512,
        defaults=stack.defaults,
        variables={
            **stack.storage.names(settings.GRAPH_TABLE, settings.ARCHIVE_BUCKET),
            SIGN_IN_ISSUER: values.issuer,
            SIGN_IN_AUDIENCE: json.dumps(values.audiences),
            SIGN_IN_NAMES: values.names,
        },
    )
    if stack.defaults.layer is not None:
        function.resource.add_layers(layer_version(stack, "SignInDependencies", build_layer(LOCK_FILE)))
    table = stack.storage.graph_table
    function.rights.allow_partitions(["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"], table, [ISSUER_KEYS])
    return function


def _make_authorizer(api: apigateway.RestApi, function: ServiceFunction) -> apigateway.CfnAuthorizer:
    """Make the authorizer; the CDK's own construct must be given when a method is made."""
    authorizer = apigateway.CfnAuthorizer(
        api,
        "SignIn",
        name="sign-in",
        rest_api_id=api.rest_api_id,
        type="TOKEN",
        identity_source="method.request.header.Authorization",
        authorizer_result_ttl_in_seconds=_KEPT_S,
        authorizer_uri=Fn.join(
            "",
            [
                f"arn:{Aws.PARTITION}:apigateway:{Aws.REGION}:lambda:path/2015-03-31/functions/",
                function.resource.function_arn,
                "/invocations",
            ],
        ),
    )
    caller = (
        f"arn:{Aws.PARTITION}:execute-api:{Aws.REGION}:{Aws.ACCOUNT_ID}:{api.rest_api_id}/authorizers/{authorizer.ref}"
    )
    function.resource.add_permission(
        "Authorizer", principal=iam.ServicePrincipal("apigateway.amazonaws.com"), source_arn=caller
    )
    return authorizer


def _open_page(api: apigateway.RestApi) -> None:
    """Serve the explorer's files to everybody: a page that signs in has no token yet."""
    page = api.root.add_resource("explore")
    for resource in (page, page.add_resource("{proxy+}")):
        method = resource.add_method("ANY", authorization_type=apigateway.AuthorizationType.NONE)
        accept(method, "APIG4", "The explorer's files are public; its data needs a token.")


def _name_refusals(api: apigateway.RestApi) -> None:
    """Refuse with 401 and the reason, as the function does."""
    reasons = {
        "UNAUTHORIZED": "Authorization: must be `Bearer` and a token",
        "ACCESS_DENIED": "$context.authorizer.reason",
    }
    for name, reason in reasons.items():
        api.add_gateway_response(
            name.title().replace("_", ""),
            type=getattr(apigateway.ResponseType, name),
            status_code="401",
            response_headers={"WWW-Authenticate": "'Bearer'", "Cache-Control": "'no-store'"},
            templates={"application/json": json.dumps({"code": 401, "message": reason})},
        )
