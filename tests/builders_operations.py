"""Operations of two stories: the emissions pipeline's, and the examples of CDAP's designs."""

from headwater_model.ids import DatasetId
from headwater_model.operations import InputField, Read, Transform, Write

FLIGHTS = DatasetId("s3://flights", "checked")
ESTIMATED = DatasetId("s3://flights", "estimated")


def taken(*fields):
    """Fields as operations take them: `taken("parse.name")` is the one that `parse` emitted."""
    return tuple(InputField(*field.split(".")) for field in fields)


def a_read(*outputs, name="read", source=FLIGHTS, **changes):
    return Read(name, source, outputs, **changes)


def a_transform(name, inputs=(), outputs=(), **changes):
    return Transform(name, taken(*inputs), tuple(outputs), **changes)


def a_write(*inputs, name="write", destination=ESTIMATED, **changes):
    return Write(name, taken(*inputs), destination, **changes)


def a_calculation():
    """Return the operations of the emissions pipeline on a flight: the fuel of its distance, the CO2 of the fuel."""
    return (
        a_read("flight", "distance", "carrier"),
        a_transform("burn", ["read.distance"], ["fuel"]),
        a_transform("multiply", ["burn.fuel"], ["co2"], description="3.16 kg of CO2 for each kg of fuel"),
        a_write("read.flight", "multiply.co2"),
    )


USER_DATA = DatasetId("myns", "user_data")
MY_TABLE = DatasetId("myns", "mytableds")


def a_name_concatenation(extra=()):
    """The sample program of a design of CDAP's, its `drop`s named apart; `extra` operations come before the write."""
    return (
        a_read("offset", "body", source=USER_DATA, description="Reading the data from the file"),
        a_transform(
            "parse",
            ["read.body"],
            ["firstName", "lastName", "age", "city", "state"],
            description="parsing the input body field",
        ),
        a_transform(
            "concat",
            ["parse.firstName", "parse.lastName"],
            ["name"],
            description="concatenating the first name and last name",
        ),
        a_transform("drop", ["parse.firstName"], description="deleting the first name field"),
        a_transform("drop#2", ["parse.lastName"], description="deleting the last name field"),
        a_transform("create", ["concat.name"], ["uniqueid"], description="creating unique id from the name field"),
        *extra,
        a_write("create.uniqueid", "concat.name", "parse.age", "parse.city", "parse.state", destination=MY_TABLE),
    )
