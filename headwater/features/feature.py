"""The seams between the core and a feature: names of modules, so a cold start loads only modules in use."""

from __future__ import annotations

from typing import Literal, TypeAlias

Module: TypeAlias = Literal["command", "serve", "job", "context", "construct"]


class Feature:
    """A folder of `headwater.features`, and the modules that hook it into the core.

    Modules of these names:

    - `command`: `add_parser(subparsers)`, as in `headwater.cli.main`.
    - `serve`: part of `headwater serve`: `add_option(parser)`, `context_of(arguments)`, `greet(outputs)` and
      `show(event)`, the text of an event on an event bus.
    - `job`: `ARGUMENTS` and `main(arguments, spark)` of its job on Spark, as in `jobs.launch`.
    - `context`: `NAMES` of its context values; `read(reader)`, as in `infra.context`, returns None where it is off.
    - `construct`: `add(stack, values)` adds the feature to the stack, and returns an `infra.addition.Addition`. The
      infrastructure alone loads the module.

    Modules of any name:

    - `rows`: `ROWS`, functions of further rows for the facts of a kind, as in `headwater.facts.growth`.
    - `merged`: `on_merged(delta, table)`, called after each merge where rows of streams expire (`GraphTable.kept`).

    A pattern of paths, or an environment variable of a function that switches the module on:

    - `routes`: `ROUTES`, with a pattern of their paths, as in `headwater.api.app`. The folder's `examples.json` has
      examples of their types.
    - `door`: of the API's function. `make_door(tokens)` returns a `headwater.api.route.Door`.
    - `loaded`: of the events function. `make_hook()` returns a `headwater.loading.load.OnLoaded`.
    - `screen`: of the load and events functions. `make_screen(dynamodb, table)` returns a
      `headwater.loading.screens.Screen`; a replay has all screens.

    >>> Feature("erase", "command", screen="ERASE").screen
    ('ERASE', 'headwater.features.erase.screen')
    """

    def __init__(
        self,
        name: str,
        *modules: Module,
        rows: str | None = None,
        merged: str | None = None,
        routes: str | None = None,
        door: str | None = None,
        loaded: str | None = None,
        screen: str | None = None,
    ) -> None:
        def hook(module: str | None) -> str | None:
            return f"headwater.features.{name}.{module}" if module else None

        def switched(on: str | None, module: str) -> tuple[str, str] | None:
            return (on, f"headwater.features.{name}.{module}") if on else None

        self.name = name
        kinds: tuple[Module, ...] = ("command", "serve", "job", "context", "construct")
        hooks = [hook(kind if kind in modules else None) for kind in kinds]
        self.command, self.serve, self.job, self.context, self.construct = hooks
        self.rows, self.merged = hook(rows), hook(merged)
        self.routes = ((f"headwater.features.{name}.routes", routes),) if routes else ()
        self.door, self.screen = switched(door, "door"), switched(screen, "screen")
        self.on_loaded = switched(loaded, "loaded")
