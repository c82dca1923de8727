"""Rules of names: what they rename, and which files of rules are refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.field_folds import FieldFold
from headwater.events.name_rule_models import RULES_MAX
from headwater.events.name_rules import NameRule, RuleIndex, folds_of, index_of, read_rules
from headwater_model.errors import Invalid
from tests.work import calls_of


def rule(namespace="*", name="*", /, **target):
    return {"namespace": namespace, "name": name, "as": target}


def renamed(namespace, name, *rules):
    return index_of(read_rules({"rules": list(rules)})).rename(namespace, name)


S3A = rule("s3a://*", namespace="s3://*")
GLUE = rule("arn:aws:glue:*", "table/db/legs", namespace="s3://lake", name="legs")


@pytest.mark.parametrize(
    ("sent", "rules", "expected"),
    [
        (("s3a://lake", "legs"), [S3A], ("s3://lake", "legs")),
        (("s3://lake", "legs"), [S3A], ("s3://lake", "legs")),
        (
            ("postgres://replica:5432", "a.b"),
            [rule("postgres://replica:5432", namespace="postgres://db:5432")],
            ("postgres://db:5432", "a.b"),
        ),
        (
            ("snowflake://acc", "DEV_SALES.T"),
            [rule("snowflake://*", "DEV_*", name="*")],
            ("snowflake://acc", "SALES.T"),
        ),
        (("arn:aws:glue:eu-west-1:1", "table/db/legs"), [GLUE], ("s3://lake", "legs")),
        (("arn:aws:glue:eu-west-1:1", "table/db/legs2"), [GLUE], ("arn:aws:glue:eu-west-1:1", "table/db/legs2")),
        (
            ("s3://exports", "orders/eu/7"),
            [rule("s3://exports", "orders/*", name="orders")],
            ("s3://exports", "orders"),
        ),
        (("kafka://a.b:9092", "x"), [rule("kafka://*.b:*", namespace="kafka://*:*")], ("kafka://a:9092", "x")),
        (("s3a://lake", "raw"), [S3A, rule("s3://lake", "raw", name="bronze")], ("s3://lake", "bronze")),
        (("lake", "tmp_"), [rule("lake", "tmp_*", name="*")], ("lake", "tmp_")),
        (("s3(x)://lake", "a+b"), [rule("s3(x)://*", "a+b", name="c")], ("s3(x)://lake", "c")),
    ],
)
def test_a_name_becomes_what_the_rules_write_in_its_place(sent, rules, expected):
    assert renamed(*sent, *rules) == expected
    assert renamed(*expected, *rules) == expected


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ([], "names: input should be a valid dictionary"),
        ({"rules": [{"name": "a"}]}, "rules[0].as: must differ from the pattern in a rule without fields"),
        ({"rules": [{"name": "a", "fields": {}}]}, "rules[0].fields: must have quotes or case, got {}"),
        ({"rules": [{"name": "a", "fields": {"case": "Lower"}}]}, "rules[0].fields.case: input should be 'lower'"),
        ({"rules": [{"name": "a", "as": {"name": "b", "nam": "c"}}]}, "rules[0].as.nam: extra inputs"),
        ({"rules": [rule("", name="b")]}, "rules[0].namespace: string should have at least 1 character"),
        ({"rules": [rule(name="b")] * (RULES_MAX + 1)}, f"at most {RULES_MAX} items"),
        ({"rules": [rule("a*b*c*d*e*", name="b")]}, "rules[0].namespace: must have at most 4 `*`"),
        ({"rules": [rule("s3", "a", name="*")]}, "rules[0].as.name: must have no more `*` than the pattern 'a'"),
        ({"rules": [rule("s3a", namespace="s3a")]}, "rules[0].as: must differ from the pattern"),
        (
            {"rules": [rule("s3", "*", name="prod_*")]},
            "rules[0]: must make names that stay as they are; it makes s3 prod_x, "
            "which the rules rename to s3 prod_prod_x",
        ),
        (
            {"rules": [rule("b", namespace="c"), rule("a", namespace="b")]},
            "rules[1]: must make names that stay as they are; it makes b x, which the rules rename to c x",
        ),
    ],
)
def test_a_file_of_another_form_or_of_rules_without_an_end_is_refused(document, fault):
    with pytest.raises(Invalid, match=re.escape(fault)):
        read_rules(document)


@given(st.text("ab*", max_size=6), st.text("ab", max_size=8))
def test_a_pattern_matches_what_its_regular_expression_does(pattern, text):
    expression = re.compile(".*".join(map(re.escape, pattern.split("*"))))
    changed = NameRule(pattern, "n", "new", "n").rename(text, "n") != (text, "n")
    assert changed == (expression.fullmatch(text) is not None)


PARTS = st.sampled_from(("a", "b", "ab", "a*", "*b", "a*b", "*"))


@given(
    st.lists(st.builds(NameRule, PARTS, PARTS, PARTS, PARTS), max_size=6), st.text("ab", max_size=4), st.integers(0, 3)
)
def test_an_index_of_rules_makes_what_each_rule_in_turn_makes(rules, text, start):
    known = text, "ab"
    for each in rules[start:]:
        known = each.rename(*known)
    assert index_of(tuple(rules)).rename(text, "ab", start) == known


@pytest.mark.parametrize("pattern", ["old{}", "old{}/*", "*/old{}", "old/*/old{}"])
def test_a_thousand_rules_are_compared_with_the_names_that_they_may_be_of(pattern):
    def calls(number_of_rules):
        rules = (NameRule("s3a://*", pattern.format(number), "s3://*", "new") for number in range(number_of_rules))
        index = RuleIndex(tuple(rules))
        return calls_of(lambda: [index.rename("s3a://lake", pattern.format(number)) for number in range(100)])

    assert calls(RULES_MAX) <= 2 * calls(100)


def test_of_several_rules_for_a_datasets_columns_the_last_case_decides():
    lake, legs = {"namespace": "s3://*", "fields": {"case": "lower"}}, {"name": "legs", "fields": {"case": "upper"}}
    quotes = {"namespace": "s3://lake", "fields": {"quotes": "drop"}}
    for rules, case in (([lake, legs, quotes], "upper"), ([legs, lake, quotes], "lower")):
        assert folds_of(read_rules({"rules": rules})).find("s3://lake", "legs") == FieldFold(quotes=True, case=case)
