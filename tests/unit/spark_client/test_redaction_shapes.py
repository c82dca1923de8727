"""Redaction, shape by shape: what it must find, and what it must leave."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_client.redaction import redact
from tests.unit.spark_client.redaction_shapes import FORMS, HARMLESS, HW_ID, INNOCENT_NAMES, NAMES, SHAPES, WAYS
from tests.work import growth_of

SECRET = "x9Q-hunter2"
# What stands in a password that nobody has to quote.
SECRETS = st.text("ABCabcXYZxyz0189-._~+!*$", min_size=8, max_size=40).filter(
    lambda secret: any(map(str.isdigit, secret))
)
FRAGMENTS = (
    "password",
    "secret=",
    "token: ",
    "token ",
    "'",
    '"',
    '\\"',
    "\\",
    "://a:",
    "@",
    "--token ",
    "curl -u",
    "mysql -p",
    "?a.a-",
    "aes_encrypt(",
    "eyJa",
    "AKIA",
)
PIECES = st.sampled_from([*SHAPES, *(shape for shape, _ in FORMS.values()), *HARMLESS, *FRAGMENTS])


def test_the_table_has_more_shapes_than_the_attack_had():
    assert len(SHAPES) + len(FORMS) > 104


@pytest.mark.parametrize(("shape", "kept"), SHAPES.items())
def test_the_secret_of_each_shape_is_masked_and_the_rest_is_kept(shape, kept):
    assert redact(shape.replace("§", SECRET)) == kept


@pytest.mark.parametrize("name", NAMES)
def test_the_value_of_each_secret_name_is_masked_in_each_way_to_write_it(name):
    assert [way for way in WAYS if SECRET in redact(way.format(name, SECRET))] == []


@pytest.mark.parametrize("name", INNOCENT_NAMES)
def test_a_name_that_only_holds_the_name_of_a_secret_keeps_its_value(name):
    texts = [way.format(name, SECRET) for way in WAYS]
    assert [redact(text) for text in texts] == texts


@pytest.mark.parametrize(("text", "kept"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "around", ["{}", "SELECT '{}'", '{{"x": "{}"}}', "failed for {}, twice", "https://{}@host", "a\n{}"]
)
def test_a_token_of_a_known_form_is_masked_wherever_it_stands(text, kept, around):
    assert redact(around.format(text.replace("§", "a1B2c3-_"))) == around.format(kept)


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_without_a_secret_stays_as_it_is(text):
    assert redact(text) == text


@given(shape=st.sampled_from(sorted(SHAPES)), secret=SECRETS, before=PIECES, after=PIECES)
def test_no_secret_is_left_whatever_it_is_and_whatever_lines_are_around_it(shape, secret, before, after):
    text = f"{before}\n{shape.replace('§', secret)}\n{after}"
    left = redact(text)
    assert secret not in left or secret in f"{before}{after}"


@pytest.mark.parametrize("kept", sorted({*SHAPES.values(), *(kept for _, kept in FORMS.values())}))
def test_what_was_masked_once_is_the_same_when_it_is_masked_again(kept):
    assert redact(kept) == kept


@settings(max_examples=25)
@given(pieces=st.lists(PIECES, min_size=1, max_size=3))
def test_redaction_takes_time_in_proportion_to_the_text(pieces):
    piece = "".join(pieces)
    assert growth_of(redact, piece * (750 // len(piece) + 1)) < 4


def test_our_own_token_keeps_the_id_by_which_it_is_revoked():
    from secrets import token_bytes

    from headwater.api.tokens import new_token

    text, token = new_token(scopes=["read"], namespaces=["*"], now_s=0, lifetime_s=None, random=token_bytes)
    assert redact(f"refused: {text}") == f"refused: hw_{token.id}_***"
    assert HW_ID.count("_") == 2
