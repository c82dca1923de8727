"""Table of Spark's functions: the effect of each on lineage, by its name in SQL and by its class.

Readers of plans look up classes (`classes`), readers of texts and messages look up names (`FUNCTIONS`). A test
compares the table with the registry of each installed Spark. For a new function, add its name to a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple


class Effect(Enum):
    """Relation of an expression to its arguments."""

    CHANGES = auto()  # made of all arguments, without their structure: the default rule
    KEEPS = auto()  # has the structure of all arguments: equal to any argument, or a collection of them
    KEEPS_FIRST = auto()  # has the structure of the first argument; the rest are an index, a key, a number, an order
    COMPARES = auto()  # equal to any argument; for structs, the first field decides
    IS_FIRST = auto()  # equal to the first argument
    NOTHING = auto()  # made of no column: of the session, of chance, of the window's order, of the grouping of rows
    OWN = auto()  # a rule of its own, with a meaning for each position of an argument


class Function(NamedTuple):
    """Function of Spark; `kind` is its class, empty for a function without need of a rule by class."""

    name: str
    kind: str
    effect: Effect
    aggregates: bool = False
    masks: bool = False


class _Row(NamedTuple):
    """Functions of equal effect, as `name`, `name:Class`, or `:Class` for an expression without a name in SQL."""

    effect: Effect
    functions: str
    aggregates: bool = False
    masks: bool = False


_TABLE = (
    _Row(
        Effect.CHANGES,
        """
        ! != % & * + - / < << <= <=> <> = == > >= >> >>> ^ | || ~ abs acos acosh add_months aes_decrypt aes_encrypt and
        approx_top_k_estimate array_contains array_join array_position array_size arrays_overlap ascii asin asinh atan
        atan2 atanh base64 between bigint bin binary bit_count bit_get bit_length bitmap_bit_position
        bitmap_bucket_number bitmap_count boolean bround btrim cardinality cast cbrt ceil ceiling char char_length
        character_length chr concat_ws contains conv convert_timezone cos cosh cot csc date date_add date_diff
        date_format date_from_unix_date date_part date_sub date_trunc dateadd datediff datepart day dayname dayofmonth
        dayofweek dayofyear decimal degrees div double elt encode endswith equal_null exp expm1 extract factorial
        find_in_set float floor format_number format_string from_avro from_base32 from_csv from_json from_protobuf
        from_unixtime from_utc_timestamp from_xml get_json_object getbit hex hll_sketch_estimate hll_union hmac hour
        hypot ilike in initcap instr int is_valid_utf8 is_valid_variant is_variant_null isnan isnotnull isnull
        jaro_winkler_similarity java_method json_array_length json_object_keys json_tuple:JsonTuple
        kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float kll_sketch_get_quantile_bigint
        kll_sketch_get_quantile_double kll_sketch_get_quantile_float kll_sketch_get_rank_bigint
        kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint kll_sketch_merge_double
        kll_sketch_merge_float kll_sketch_to_string_bigint kll_sketch_to_string_double kll_sketch_to_string_float
        last_day lcase left len length levenshtein like ln locate log log10 log1p log2 lower lpad ltrim luhn_check
        make_date make_dt_interval make_interval make_time make_timestamp make_timestamp_ltz make_timestamp_ntz
        make_valid_utf8 make_ym_interval map_contains_key minute mod month monthname months_between negative next_day
        not octet_length or overlay parse_json parse_url pmod position pow power printf quarter quote radians
        raise_error reflect regexp regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like
        regexp_replace repeat replace rint rlike round rpad rtrim schema_of_avro schema_of_csv
        schema_of_json schema_of_variant schema_of_xml sec second sentences sequence shiftleft shiftright
        shiftrightunsigned sign signum sin sinh size smallint soundex space split split_part sqrt st_asbinary
        st_geogfromwkb st_geomfromwkb st_setsrid st_srid startswith str_to_map string substr substring substring_index
        tan tanh theta_difference theta_intersection theta_sketch_estimate theta_union time time_bucket time_diff
        time_from_micros time_from_millis time_from_seconds time_to_micros time_to_millis time_to_seconds time_trunc
        timestamp timestamp_micros timestamp_millis timestamp_nanos timestamp_seconds tinyint to_avro to_base32
        to_binary to_char to_csv to_date to_json to_number to_protobuf to_time to_timestamp to_timestamp_ltz
        to_timestamp_ntz to_unix_timestamp to_utc_timestamp to_varchar to_variant_object to_xml translate trim trunc
        try_add try_aes_decrypt try_divide try_make_interval try_make_timestamp try_make_timestamp_ltz
        try_make_timestamp_ntz try_mod try_multiply try_parse_json try_parse_url try_reflect try_subtract try_to_binary
        try_to_date try_to_number try_to_time try_to_timestamp try_url_decode try_validate_utf8
        try_variant_array_append try_variant_get try_variant_insert try_variant_set tuple_difference_double
        tuple_difference_integer tuple_difference_theta_double tuple_difference_theta_integer tuple_intersection_double
        tuple_intersection_integer tuple_intersection_theta_double tuple_intersection_theta_integer
        tuple_sketch_estimate_double tuple_sketch_estimate_integer tuple_sketch_summary_double
        tuple_sketch_summary_integer tuple_sketch_theta_double tuple_sketch_theta_integer tuple_union_double
        tuple_union_integer tuple_union_theta_double tuple_union_theta_integer typeof ucase unbase64 unhex uniform
        unix_date unix_micros unix_millis unix_nanos unix_seconds unix_timestamp upper url_decode url_encode
        validate_utf8 variant_array_append variant_delete variant_get variant_insert variant_set variant_strip_nulls
        vector_cosine_similarity vector_inner_product vector_l2_distance vector_norm vector_normalize weekday
        weekofyear width_bucket window_time xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long
        xpath_number xpath_short xpath_string year
        """,
    ),
    # Masking functions of OpenLineage's list (TransformationInfo, 1.2x).
    _Row(
        Effect.CHANGES,
        """
        crc32:Crc32 md5:Md5 hash:Murmur3Hash sha:Sha1 sha1:Sha1 sha2:Sha2 xxhash64:XxHash64 mask:Mask :HiveHash
        :CollationAwareMurmur3Hash
        """,
        masks=True,
    ),
    _Row(
        Effect.CHANGES,
        """
        any approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate approx_top_k_combine avg
        bit_and bit_or bit_xor bitmap_and_agg bitmap_construct_agg bitmap_or_agg bool_and bool_or corr count_min_sketch
        covar_pop covar_samp every histogram_numeric hll_sketch_agg hll_union_agg kll_merge_agg_bigint
        kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float
        kurtosis mean measure median percentile percentile_approx percentile_cont percentile_disc product
        regr_intercept regr_r2 regr_slope regr_sxy schema_of_variant_agg skewness some std stddev stddev_pop
        stddev_samp sum theta_intersection_agg theta_sketch_agg theta_union_agg try_avg try_sum
        tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_agg_double tuple_sketch_agg_integer
        tuple_union_agg_double tuple_union_agg_integer var_pop var_samp variance vector_avg vector_sum
        """,
        aggregates=True,
    ),
    _Row(Effect.CHANGES, "count:Count regr_count:Count", aggregates=True, masks=True),
    _Row(
        Effect.KEEPS,
        """
        first:First first_value:First last:Last last_value:Last any_value:AnyValue array_agg:CollectList
        collect_list:CollectList collect_set:CollectSet collect_union:CollectUnion mode:Mode listagg:ListAgg
        string_agg:ListAgg
        """,
        aggregates=True,
    ),
    _Row(Effect.COMPARES, "max:Max min:Min", aggregates=True),
    _Row(Effect.KEEPS_FIRST, "max_by:MaxBy min_by:MinBy", aggregates=True),
    _Row(
        Effect.KEEPS,
        """
        array:CreateArray array_append:ArrayAppend array_compact:ArrayCompact array_distinct:ArrayDistinct
        array_intersect:ArrayIntersect array_prepend:ArrayPrepend array_union:ArrayUnion collate:Collate concat:Concat
        explode:Explode explode_outer:Explode flatten:Flatten inline:Inline inline_outer:Inline lag:Lag lead:Lead
        map_concat:MapConcat nth_value:NthValue posexplode:PosExplode posexplode_outer:PosExplode reverse:Reverse
        shuffle:Shuffle :ReplicateRows :UpCast
        """,
    ),
    _Row(
        Effect.KEEPS_FIRST,
        """
        array_except:ArrayExcept array_remove:ArrayRemove array_repeat:ArrayRepeat element_at:ElementAt get:Get
        slice:Slice try_element_at:TryElementAt :GetArrayItem :GetMapValue
        """,
    ),
    _Row(
        Effect.COMPARES,
        "array_max:ArrayMax array_min:ArrayMin greatest:Greatest least:Least sort_array:SortArray",
    ),
    _Row(
        Effect.IS_FIRST,
        """
        positive:UnaryPositive :Alias :AssertNotNull :CheckOverflow :CheckOverflowInTableInsert
        :GetViewColumnByNameAndOrdinal :KnownFloatingPointNormalized :KnownNotContainsNull :KnownNotNull :KnownNullable
        :OuterReference :OuterScopeReference :SortOrder :TempResolvedColumn
        """,
    ),
    _Row(
        Effect.NOTHING,
        """
        collation curdate current_catalog current_database current_date current_path current_schema current_time
        current_timestamp current_timezone current_user e grouping grouping_id input_file_block_length
        input_file_block_start input_file_name localtime localtimestamp monotonically_increasing_id now pi rand randn
        random randstr session_user spark_partition_id user uuid version
        """,
    ),
    _Row(
        Effect.NOTHING,
        """
        cume_dist:CumeDist dense_rank:DenseRank ntile:NTile percent_rank:PercentRank rank:Rank row_number:RowNumber
        """,
    ),
    _Row(
        Effect.OWN,
        """
        aggregate:ArrayAggregate array_insert:ArrayInsert array_sort:ArraySort arrays_zip:ArraysZip assert_true:If
        coalesce:Coalesce decode:CaseWhen exists:ArrayExists filter:ArrayFilter forall:ArrayForAll if:If
        ifnull:Coalesce map:CreateMap map_entries:MapEntries map_filter:MapFilter map_from_arrays:MapFromArrays
        map_from_entries:MapFromEntries map_keys:MapKeys map_values:MapValues map_zip_with:MapZipWith
        named_struct:CreateNamedStruct nanvl:NaNvl nullif:If nullifzero:If nvl:Coalesce nvl2:If reduce:ArrayAggregate
        regexp_substr:If right:If stack:Stack struct:CreateNamedStruct transform:ArrayTransform
        transform_keys:TransformKeys transform_values:TransformValues when:CaseWhen window zeroifnull:Coalesce
        zip_with:ZipWith
        """,
    ),
    _Row(Effect.OWN, "count_if:Count", aggregates=True, masks=True),
    _Row(Effect.OWN, "regr_avgx:If regr_avgy:If regr_sxx:If regr_syy:If", aggregates=True),
)


def _functions() -> list[Function]:
    words = [(row, *word.partition(":")) for row in _TABLE for word in row.functions.split()]
    return [Function(name, kind, row.effect, row.aggregates, row.masks) for row, name, _, kind in words]


_ALL = _functions()
FUNCTIONS: Mapping[str, Function] = {each.name: each for each in _ALL if each.name}
MASKING = frozenset(each.kind for each in _ALL if each.masks)


def classes(effect: Effect) -> frozenset[str]:
    """List the classes of expressions with this effect.

    >>> sorted(classes(Effect.COMPARES))[:3]
    ['ArrayMax', 'ArrayMin', 'Greatest']
    """
    return frozenset(each.kind for each in _ALL if each.effect is effect and each.kind)
