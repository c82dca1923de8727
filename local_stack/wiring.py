"""The settings of pollers, scheduler and ports, from the template's mappings, schedules and APIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.compute.authorizer import Authorizer
from local_stack.compute.http_api import Route
from local_stack.compute.poller import Feed
from local_stack.compute.schedules import ScheduledStart, parse_schedule
from local_stack.compute.streams import refuse_wide_filter
from local_stack.errors import UnknownInTemplate
from local_stack.template.event_resources import Rule, Schedule, ScheduleTarget
from local_stack.template.resources import (
    ApiAuthorizer,
    ApiMethod,
    ApiResource,
    EventSourceMapping,
    Filter,
    FunctionProperties,
    GatewayResponse,
    Queue,
    RestApi,
    Stage,
    StateMachine,
    Table,
)
from local_stack.template.template import Template

Ids = Mapping[str, str]


def feeds(template: Template, ids: Ids, *, window_cap_s: float | None) -> tuple[list[Feed], list[Feed]]:
    """List the enabled mappings from queues, and from tables' streams, with windows up to `window_cap_s` if given."""
    of_queues: list[Feed] = []
    of_streams: list[Feed] = []
    queues, tables = template.of(Queue), template.of(Table)
    for name, mapping in template.of(EventSourceMapping).items():
        if mapping.event_source_arn in queues:
            _refuse_unlike_queue(name, mapping)
            arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{ids[mapping.event_source_arn].rpartition('/')[2]}"
        elif mapping.event_source_arn in tables:
            refuse_wide_filter(name, [each.pattern for each in _filters(mapping)])
            arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{ids[mapping.event_source_arn]}/stream/local"
        else:
            raise UnknownInTemplate(f"{name}: property EventSourceArn: must be a queue or a table's stream")
        window_s = float(mapping.maximum_batching_window_in_seconds)
        if window_cap_s is not None:
            window_s = min(window_s, window_cap_s)
        destination = mapping.destination_config
        bucket = ids[destination.on_failure.destination] if destination else None
        feed = Feed(name, ids[mapping.event_source_arn], arn, mapping, window_s, bucket)
        if mapping.enabled:
            (of_queues if mapping.event_source_arn in queues else of_streams).append(feed)
    return of_queues, of_streams


def _refuse_unlike_queue(name: str, mapping: EventSourceMapping) -> None:
    if mapping.batch_size > 10 and mapping.maximum_batching_window_in_seconds == 0:
        raise UnknownInTemplate(f"{name}: property BatchSize: above 10 needs a window, got {mapping.batch_size}")
    if _filters(mapping):
        raise UnknownInTemplate(f"{name}: property FilterCriteria: the local stack filters streams, not queues")


def _filters(mapping: EventSourceMapping) -> Sequence[Filter]:
    return mapping.filter_criteria.filters if mapping.filter_criteria else ()


def scheduled_starts(template: Template, ids: Ids) -> list[ScheduledStart]:
    """List the starts of state machines and functions by enabled rules and schedules."""
    planned: list[tuple[str, str, ScheduleTarget]] = []
    for name, rule in template.of(Rule).items():
        planned += [(name, rule.schedule_expression, target) for target in rule.targets if rule.state == "ENABLED"]
    for name, schedule in template.of(Schedule).items():
        planned += [(name, schedule.schedule_expression, schedule.target)] if schedule.state == "ENABLED" else []
    return [_scheduled_start(template, ids, *start) for start in planned]


def _scheduled_start(
    template: Template, ids: Ids, name: str, expression: str, target: ScheduleTarget
) -> ScheduledStart:
    if target.arn not in template.of(StateMachine).keys() | template.of(FunctionProperties).keys():
        rule = "the local stack starts state machines and functions"
        raise UnknownInTemplate(f"{name}: property Target: {rule}, not {target.arn}")
    minutes, hours = parse_schedule(name, expression)
    return ScheduledStart(name, target=ids[target.arn], input=target.input, minutes=minutes, hours=hours)


def api_routes(template: Template) -> list[Route]:
    """Find the function behind each REST API, APIs with signatures first.

    Raises:
        UnknownInTemplate: Unless a single function serves every method on `/` and `/{proxy+}`, on a single stage.
    """
    routes = [_api_route(template, api_id, api) for api_id, api in template.of(RestApi).items()]
    return sorted(routes, key=lambda route: not route.signed)


def _api_route(template: Template, api_id: str, api: RestApi) -> Route:
    methods = [method for method in template.of(ApiMethod).values() if method.rest_api_id == api_id]
    functions = {method.integration.uri for method in methods}
    parts = {part.path_part for part in template.of(ApiResource).values() if part.rest_api_id == api_id}
    stages = [stage for stage in template.of(Stage).values() if stage.rest_api_id == api_id]
    authorizer = _authorizer(template, api_id, methods)
    served = {"{proxy+}", authorizer.open_path} if authorizer else {"{proxy+}"}
    if len(functions) != 1 or parts != served or len(stages) != 1:
        raise UnknownInTemplate(f"{api_id}: the local stack serves one function at / and /{{proxy+}}, on one stage")
    return Route(
        function=functions.pop(),
        stage=stages[0].stage_name,
        api_id=api_id,
        timeout_s=min(method.integration.timeout_in_millis for method in methods) / 1000,
        binary="*/*" in api.binary_media_types,
        compress_from=api.minimum_compression_size,
        variables=stages[0].variables,
        signed=all(method.authorization_type == "AWS_IAM" for method in methods),
        authorizer=authorizer,
    )


def _authorizer(template: Template, api_id: str, methods: Sequence[ApiMethod]) -> Authorizer | None:
    """Find the authorizer of an API, and the folder whose methods are open."""
    given = [each for each in template.of(ApiAuthorizer).values() if each.rest_api_id == api_id]
    if not given:
        return None
    folders = {name: part.path_part for name, part in template.of(ApiResource).items()}
    is_open = {folders[method.resource_id] for method in methods if method.authorization_type == "NONE"}
    if len(given) != 1 or len(is_open - {"{proxy+}"}) != 1:
        raise UnknownInTemplate(f"{api_id}: the local stack serves one authorizer, and one folder without it")
    responses = [each for each in template.of(GatewayResponse).values() if each.rest_api_id == api_id]
    return Authorizer(
        given[0].authorizer_uri,
        given[0].authorizer_result_ttl_in_seconds,
        (is_open - {"{proxy+}"}).pop(),
        {each.response_type: each.response_templates["application/json"] for each in responses},
    )
