"""The seams between the core and a feature: names of modules, so a cold start loads only modules in use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """A folder of `headwater.features`, and the modules that hook it into the core.

    - `command`: `add_parser(subparsers)`, as in `headwater.cli.main`.
    - `serve`: part of `headwater serve`: `add_option(parser)`, `context_of(arguments)`, `greet(outputs)` and
      `show(event)`, the text of an event on an event bus.
    - `routes`: modules with `ROUTES`, each with a pattern of its paths, as in `headwater.api.app`. The folder's
      `examples.json` has examples of their types.
    - `door`: an environment variable of the API's function that switches the door on, and the door's module.
      `make_door(tokens)` returns a `headwater.api.route.Door`.
    - `rows`: `ROWS`, functions of further rows for the facts of a kind, as in `headwater.facts.growth`.
    - `merged`: `on_merged(delta, table)`, called after each merge where rows of streams expire (`GraphTable.kept`).
    - `on_loaded`: an environment variable of the events function that switches the hook on, and the hook's module.
      `make_hook()` returns a `headwater.loading.load.OnLoaded`.
    - `screen`: an environment variable of the load and events functions that switches the screen on, and its module.
      `make_screen(dynamodb, table)` returns a `headwater.loading.screens.Screen`; a replay has all screens.
    - `job`: `ARGUMENTS` and `main(arguments, spark)` of its job on Spark, as in `jobs.launch`.
    - `context`: `NAMES` of its context values; `read(reader)`, as in `infra.context`, returns None where it is off.
    - `construct`: `add(stack, values)` adds the feature to the stack, and returns an `infra.addition.Addition`. The
      infrastructure alone loads the module.
    """

    name: str
    command: str | None = None
    serve: str | None = None
    routes: tuple[tuple[str, str], ...] = ()
    door: tuple[str, str] | None = None
    rows: str | None = None
    merged: str | None = None
    on_loaded: tuple[str, str] | None = None
    screen: tuple[str, str] | None = None
    job: str | None = None
    context: str | None = None
    construct: str | None = None
