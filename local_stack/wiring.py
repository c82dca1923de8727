"""The settings of pollers, scheduler and ports, from the template's mappings, schedules and APIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.compute.authorizer import Authorizer
from local_stack.compute.http_api import Route
from local_stack.compute.queues import QueueMapping
from local_stack.compute.schedules import ScheduledStart, parse_schedule
from local_stack.compute.streams import StreamMapping, refuse_wide_filter
from local_stack.errors import UnknownInTemplate
from local_stack.template.event_resources import Rule, Schedule, ScheduleTarget
from local_stack.template.resources import (
    ApiAuthorizer,
    ApiMethod,
    ApiResource,
    EventSourceMapping,
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


def queue_mappings(template: Template, ids: Ids, *, window_cap_s: float | None) -> list[QueueMapping]:
    """List the mappings from queues, their windows shortened to `window_cap_s` if it is given."""
    queues = template.of(Queue)
    mappings = {name: mapping for name, mapping in _enabled_mappings(template) if mapping.event_source_arn in queues}
    return [_queue_mapping(name, mapping, ids, window_cap_s) for name, mapping in mappings.items()]


def _queue_mapping(name: str, mapping: EventSourceMapping, ids: Ids, window_cap_s: float | None) -> QueueMapping:
    window_s = float(mapping.maximum_batching_window_in_seconds)
    if mapping.batch_size > 10 and window_s == 0:
        raise UnknownInTemplate(f"{name}: property BatchSize: above 10 needs a window, got {mapping.batch_size}")
    if mapping.filter_criteria is not None:
        raise UnknownInTemplate(f"{name}: property FilterCriteria: the local stack filters streams, not queues")
    queue_url = ids[mapping.event_source_arn]
    return QueueMapping(
        logical_id=name,
        queue_url=queue_url,
        queue_arn=f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue_url.rpartition('/')[2]}",
        function=mapping.function_name,
        batch_size=mapping.batch_size,
        window_s=window_s if window_cap_s is None else min(window_s, window_cap_s),
        reports_failures="ReportBatchItemFailures" in mapping.function_response_types,
        concurrency=mapping.scaling_config.maximum_concurrency if mapping.scaling_config else 1000,
    )


def stream_mappings(template: Template, ids: Ids, *, window_cap_s: float | None) -> list[StreamMapping]:
    """List the mappings from tables' streams."""
    tables = template.of(Table)
    mappings = {name: mapping for name, mapping in _enabled_mappings(template) if mapping.event_source_arn in tables}
    return [_stream_mapping(name, mapping, ids, window_cap_s) for name, mapping in mappings.items()]


def _stream_mapping(name: str, mapping: EventSourceMapping, ids: Ids, window_cap_s: float | None) -> StreamMapping:
    filters = mapping.filter_criteria.filters if mapping.filter_criteria else []
    refuse_wide_filter(name, [criterion.pattern for criterion in filters])
    window_s = float(mapping.maximum_batching_window_in_seconds)
    destination = mapping.destination_config
    return StreamMapping(
        logical_id=name,
        table=ids[mapping.event_source_arn],
        stream_arn=f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{ids[mapping.event_source_arn]}/stream/local",
        function=mapping.function_name,
        batch_size=mapping.batch_size,
        window_s=window_s if window_cap_s is None else min(window_s, window_cap_s),
        reports_failures="ReportBatchItemFailures" in mapping.function_response_types,
        bisects=mapping.bisect_batch_on_function_error,
        age_max_s=mapping.maximum_record_age_in_seconds,
        retries_max=mapping.maximum_retry_attempts,
        dead_letter_bucket=ids[destination.on_failure.destination] if destination else None,
    )


def _enabled_mappings(template: Template) -> list[tuple[str, EventSourceMapping]]:
    sources = template.of(Queue).keys() | template.of(Table).keys()
    mappings = template.of(EventSourceMapping)
    for name, mapping in mappings.items():
        if mapping.event_source_arn not in sources:
            raise UnknownInTemplate(f"{name}: property EventSourceArn: must be a queue or a table's stream")
    return [(name, mapping) for name, mapping in mappings.items() if mapping.enabled]


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
