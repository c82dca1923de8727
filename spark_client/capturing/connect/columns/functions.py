"""Functions of Spark by their names in SQL: as the classes that the rules of expressions know.

The names are those of Spark 4.3's registry; a function that is not there is the job's own, and may aggregate
or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from spark_client.capturing.connect.columns.frames import Nodes, Typed
from spark_client.capturing.plans.plan import Node, kinds

# Aggregates; those with a colon are of a class that the rules know.
_AGGREGATES = """
    approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate approx_top_k_combine avg bit_and
    bit_or bit_xor bitmap_and_agg bitmap_construct_agg bitmap_or_agg bool_and bool_or any every some corr
    count_min_sketch covar_pop covar_samp histogram_numeric hll_sketch_agg hll_union_agg kurtosis mean measure median
    percentile percentile_approx percentile_cont percentile_disc schema_of_variant_agg skewness std stddev stddev_pop
    stddev_samp sum try_avg try_sum var_pop var_samp variance count:Count max:Max min:Min first:First
    first_value:First last:Last last_value:Last any_value:AnyValue array_agg:CollectList collect_list:CollectList
    collect_set:CollectSet mode:Mode listagg:ListAgg string_agg:ListAgg max_by:MaxBy min_by:MinBy product
    """
AGGREGATES: Mapping[str, str] = {
    name: kind or "Aggregated" for name, _, kind in (word.partition(":") for word in _AGGREGATES.split())
}
WINDOW: Mapping[str, str] = {
    "row_number": "RowNumber",
    "rank": "Rank",
    "dense_rank": "DenseRank",
    "percent_rank": "PercentRank",
    "cume_dist": "CumeDist",
    "ntile": "NTile",
    "lag": "Lag",
    "lead": "Lead",
    "nth_value": "NthValue",
}
GENERATORS: Mapping[str, str] = {
    "explode": "Explode",
    "explode_outer": "Explode",
    "posexplode": "PosExplode",
    "posexplode_outer": "PosExplode",
    "inline": "Inline",
    "inline_outer": "Inline",
    "stack": "Stack",
    "json_tuple": "JsonTuple",
}
# Functions of classes with a rule, over all their arguments in order.
_OF_ALL = """
    array_distinct:ArrayDistinct array_union:ArrayUnion array_intersect:ArrayIntersect array_compact:ArrayCompact
    array_append:ArrayAppend array_prepend:ArrayPrepend array:CreateArray map_concat:MapConcat shuffle:Shuffle
    reverse:Reverse flatten:Flatten concat:Concat collate:Collate element_at:ElementAt try_element_at:TryElementAt
    get:Get slice:Slice array_except:ArrayExcept array_remove:ArrayRemove array_repeat:ArrayRepeat array_max:ArrayMax
    array_min:ArrayMin greatest:Greatest least:Least sort_array:SortArray map:CreateMap
    coalesce:Coalesce nvl:Coalesce ifnull:Coalesce crc32:Crc32 md5:Md5 hash:Murmur3Hash sha:Sha1 sha1:Sha1 sha2:Sha2
    xxhash64:XxHash64 mask:Mask transform:ArrayTransform filter:ArrayFilter exists:ArrayExists forall:ArrayForAll
    zip_with:ZipWith map_filter:MapFilter map_zip_with:MapZipWith transform_keys:TransformKeys
    transform_values:TransformValues
    """
_WITH_RULES: Mapping[str, str] = dict(word.split(":") for word in _OF_ALL.split())
# Functions that change their arguments, and no more.
_CHANGING = kinds(
    """
    ! % & * + - / < << <= <=> = == > >= >> >>> ^ | ~ || != <> abs acos acosh add_months aes_decrypt aes_encrypt and
    array_contains array_join array_position array_size arrays_overlap ascii asin asinh atan atan2 atanh base64 between
    bin bit_count bit_get bit_length bitmap_bit_position bitmap_bucket_number bitmap_count bround btrim cardinality cbrt
    ceil ceiling char char_length character_length chr concat_ws contains conv convert_timezone cos cosh cot csc
    date_add date_diff date_format date_from_unix_date date_part date_sub date_trunc dateadd datediff datepart day
    dayname dayofmonth dayofweek dayofyear degrees div elt encode endswith equal_null exp expm1 extract factorial
    find_in_set floor format_number format_string from_csv from_json from_unixtime from_utc_timestamp from_xml
    get_json_object getbit hex hll_sketch_estimate hll_union hour hypot ilike in initcap instr is_valid_utf8
    is_variant_null isnan isnotnull isnull jaro_winkler_similarity json_array_length json_object_keys last_day lcase
    left len length levenshtein like ln locate log log10 log1p log2 lower lpad ltrim luhn_check make_date
    make_dt_interval make_interval make_timestamp make_timestamp_ltz make_timestamp_ntz make_valid_utf8
    make_ym_interval map_contains_key minute mod month monthname months_between negative next_day not octet_length or
    overlay parse_json parse_url pmod position pow power printf quarter quote radians regexp regexp_count
    regexp_extract regexp_extract_all regexp_instr regexp_like regexp_replace regexp_substr repeat replace rint rlike
    round rpad rtrim sec second sentences sequence shiftleft shiftright shiftrightunsigned sign signum sin sinh size
    soundex space split split_part sqrt startswith str_to_map substr substring substring_index tan tanh
    timestamp_micros timestamp_millis timestamp_seconds to_binary to_char to_csv to_date to_json to_number
    to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_utc_timestamp to_varchar to_variant_object
    to_xml translate trim trunc try_add try_aes_decrypt try_divide try_make_timestamp try_mod try_multiply
    try_parse_json try_parse_url try_subtract try_to_binary try_to_date try_to_number try_to_timestamp try_url_decode
    try_validate_utf8 try_variant_get ucase unbase64 unhex unix_date unix_micros unix_millis unix_seconds
    unix_timestamp upper url_decode url_encode validate_utf8 variant_get weekday weekofyear width_bucket window_time
    xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string year
    """
)
# Functions made of no column, whatever their arguments: those of the session, of chance, and of how rows are grouped.
_OF_NOTHING = kinds(
    """
    curdate current_catalog current_database current_date current_path current_schema current_time current_timestamp
    current_timezone current_user e grouping grouping_id input_file_block_length input_file_block_start
    input_file_name localtime localtimestamp monotonically_increasing_id now pi rand randn random session_user
    spark_partition_id user uuid version
    """
)
CASTS: Mapping[str, str] = {
    "bigint": "long",
    "binary": "binary",
    "boolean": "boolean",
    "date": "date",
    "double": "double",
    "float": "float",
    "int": "integer",
    "smallint": "short",
    "string": "string",
    "timestamp": "timestamp",
    "tinyint": "byte",
}


def function(nodes: Nodes, name: str, arguments: Sequence[Typed]) -> Typed:
    """Return a call of a function."""
    small = name.lower()
    parts = [argument.node for argument in arguments]
    if small in _RULES:
        return _RULES[small](nodes, arguments)
    if small in AGGREGATES:
        return Typed(_aggregate(nodes, AGGREGATES[small], parts))
    if small in WINDOW:
        return Typed(nodes.node(WINDOW[small], children=parts))
    if small in _WITH_RULES:
        return Typed(nodes.node(_WITH_RULES[small], children=parts))
    if small in _OF_NOTHING:
        return Typed(None)
    if small in _CHANGING or small in CASTS:
        return Typed(nodes.node("Function", children=parts))
    return Typed(nodes.node("DatabaseFunction", children=parts))


def _aggregate(nodes: Nodes, kind: str, parts: Sequence[Node | None]) -> Node:
    return nodes.node("AggregateExpression", aggregateFunction=nodes.node(kind, children=list(parts)))


def _when(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    parts = [argument.node for argument in arguments]
    pairs = len(parts) // 2 * 2
    branches = [[parts[index], parts[index + 1]] for index in range(0, pairs, 2)]
    otherwise = parts[-1] if len(parts) % 2 else None
    return Typed(nodes.node("CaseWhen", branches=branches, elseValue=otherwise))


def _if(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    predicate, yes, no = (argument.node for argument in arguments)
    return Typed(nodes.node("If", predicate=predicate, trueValue=yes, falseValue=no))


def _null_if(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    predicate = nodes.node("Function", children=[argument.node for argument in arguments])
    return Typed(nodes.node("If", predicate=predicate, trueValue=None, falseValue=arguments[0].node))


def _right(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    text, length = (argument.node for argument in arguments)
    cut = nodes.node("Function", children=[text, length])
    inner = nodes.node("If", predicate=length, trueValue=None, falseValue=cut)
    return Typed(nodes.node("If", predicate=text, trueValue=None, falseValue=inner))


def _decode(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    """Return `decode`: of a character set with two arguments, else a choice."""
    if len(arguments) < 3:
        return Typed(nodes.node("Function", children=[argument.node for argument in arguments]))
    value, *rest = (argument.node for argument in arguments)
    pairs = len(rest) // 2 * 2
    branches = [[nodes.node("Function", children=[value, rest[at]]), rest[at + 1]] for at in range(0, pairs, 2)]
    return Typed(nodes.node("CaseWhen", branches=branches, elseValue=rest[-1] if len(rest) % 2 else None))


def _nan_or(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    return Typed(nodes.node("NaNvl", left=arguments[0].node, right=arguments[1].node))


def _count_if(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    """Return `count_if`, which is `count(nullif(condition, false))`."""
    return Typed(_aggregate(nodes, "Count", [_null_if(nodes, arguments).node]))


def _struct(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    names = [argument.name or f"col{index}" for index, argument in enumerate(arguments, 1)]
    children = [part for argument in arguments for part in (None, argument.node)]
    return Typed(nodes.node("CreateNamedStruct", names=names, children=children))


def _map_of_two(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    return Typed(nodes.node("MapFromArrays", left=arguments[0].node, right=arguments[1].node))


def _of_child(kind: str) -> Callable[[Nodes, Sequence[Typed]], Typed]:
    return lambda nodes, arguments: Typed(nodes.node(kind, child=arguments[0].node))


def _zip(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    names = [argument.name or str(index) for index, argument in enumerate(arguments)]
    parts = [argument.node for argument in arguments]
    return Typed(nodes.node("ArraysZip", **{"dataType.elementType.names": names}, children=parts))


def _inserted(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    into, index, item = (argument.node for argument in arguments)
    return Typed(nodes.node("ArrayInsert", srcArrayExpr=into, posExpr=index, itemExpr=item))


def _sorted(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    """Return `array_sort`, whose order without a function of the job's is that of the elements."""
    parts = [argument.node for argument in arguments]
    if len(parts) == 1:
        variables = [nodes.node("NamedLambdaVariable", exprId=nodes.new_id(), name="element") for _ in range(2)]
        compared = nodes.node("Function", children=variables)
        parts.append(nodes.node("LambdaFunction", function=compared, arguments=variables))
    return Typed(nodes.node("ArraySort", children=parts))


def _fold(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    array, zero, merge, *finish = (argument.node for argument in arguments)
    if not finish:
        variable = nodes.node("NamedLambdaVariable", exprId=nodes.new_id(), name="total")
        finish = [nodes.node("LambdaFunction", function=variable, arguments=[variable])]
    return Typed(nodes.node("ArrayAggregate", argument=array, zero=zero, merge=merge, finish=finish[0]))


def _window_of_time(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    bounds = [part for _ in range(2) for part in (None, nodes.node("Function", children=[arguments[0].node]))]
    return Typed(nodes.node("CreateNamedStruct", names=["start", "end"], children=bounds), "window")


def _same(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:  # noqa: ARG001 - a rule takes both
    return Typed(arguments[0].node)


_RULES: Mapping[str, Callable[[Nodes, Sequence[Typed]], Typed]] = {
    "when": _when,
    "if": _if,
    "nvl2": _if,
    "nullif": _null_if,
    "nullifzero": _null_if,
    "zeroifnull": lambda nodes, arguments: Typed(nodes.node("Coalesce", children=[arguments[0].node, None])),
    "right": _right,
    "decode": _decode,
    "nanvl": _nan_or,
    "count_if": _count_if,
    "struct": _struct,
    "map_from_arrays": _map_of_two,
    "map_from_entries": _of_child("MapFromEntries"),
    "map_entries": _of_child("MapEntries"),
    "map_keys": _of_child("MapKeys"),
    "map_values": _of_child("MapValues"),
    "arrays_zip": _zip,
    "array_insert": _inserted,
    "array_sort": _sorted,
    "aggregate": _fold,
    "reduce": _fold,
    "positive": _same,
    "window": _window_of_time,
}
