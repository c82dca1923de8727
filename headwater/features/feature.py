"""The seams between the core and a feature: names of modules, so that a cold start loads only modules in use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """A folder of `headwater.features`, and the modules by which it hooks into the core.

    - `command`: `add_parser(subparsers)`, as in `headwater.cli.main`.
    - `serve`: its part of `headwater serve`: `add_option(parser)`, `context_of(arguments)`, `greet(outputs)` and
      `show(event)`, which returns the text of an event on an event bus.
    - `routes`: modules with `ROUTES`, each with a pattern of its paths, as in `headwater.api.app`. The folder's
      `examples.json` has examples of their types.
    - `on_loaded`: an environment variable of the events function that switches the hook on, and the hook's module.
      `make_hook()` returns a `headwater.loading.load.OnLoaded`.
    - `job`: `ARGUMENTS` and `main(arguments, spark)` of its job on Spark, as in `jobs.launch`.
    - `context`: `NAMES` of its context values; `read(reader)`, as in `infra.context`, returns None where it is off.
    - `construct`: `add(stack, values)` adds to the stack what these values switch on, and returns an
      `infra.addition.Addition`. The infrastructure alone loads it.
    """

    name: str
    command: str | None = None
    serve: str | None = None
    routes: tuple[tuple[str, str], ...] = ()
    on_loaded: tuple[str, str] | None = None
    job: str | None = None
    context: str | None = None
    construct: str | None = None
