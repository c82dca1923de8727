"""JSON of datasets that are likely the same, as types. They are written as `headwater.api.types` describes."""

from typing import Literal

from typing_extensions import NotRequired, TypedDict

from headwater.api.types import Count, Id


class FieldFold(TypedDict):
    """Fold by which the columns of datasets become equal."""

    quotes: NotRequired[Literal["drop"]]
    case: NotRequired[Literal["lower", "upper"]]


class SimilarDatasets(TypedDict):
    """Datasets that are likely the same: the last part of their names and all their columns are equal.

    Quotes and case make no difference.
    """

    datasets: list[Id]
    """By namespace and name."""
    columns: Count
    """The columns that each of them has."""
    fields: NotRequired[FieldFold]
    """The `fields` of a rule of names; missing where the columns are spelled alike."""


class SimilarReport(TypedDict):
    """The datasets that are likely the same; those that rules of names join are one already."""

    similar: list[SimilarDatasets]
    truncated: bool
    """True if more datasets have equal last parts of their names than one request compares: 2,000."""
