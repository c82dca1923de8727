"""`headwater erase`: all data of a root, a namespace, a dataset or a job, counted, or removed for good."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.cli.deployment import add_options, find_deployment
from headwater.cli.options import GOES_ON, add_command
from headwater.cli.program import CommandFailed

if TYPE_CHECKING:
    from headwater.features.erase.targets import Target

_ABOUT = """\
Count what the stack has of a root, a namespace, a dataset or a job, by store; with --confirm, remove all of it for good
and keep it out. The archive's digests stay; the next digest lists the removed objects, so `verify` passes from then on.
The loading of events pauses at the end, while the graph table is compared with a replay of the remaining events.
After an interruption, the same command goes on. Repeat it after an hour: it finds what was under way.
Exit code: 0 done, 1 not done.
"""
_EXAMPLES = """\
examples:
  %(prog)s --root flights-2013-01-01                 what there is
  %(prog)s --root flights-2013-01-01 --confirm       remove it
  %(prog)s --dataset s3://flights raw --job emissions check --confirm
  %(prog)s --root flights-2013-01-01 --allow         let new content of it in again
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "remove all data of a root, a namespace, a dataset or a job for good"
    parser = add_command(subparsers, "erase", summary, _ABOUT, _EXAMPLES, run=run_erase, interrupted=GOES_ON)
    add_options(parser)
    for kind, names in (("root", ("ID",)), ("namespace", ("NAME",)), ("dataset", _PAIR), ("job", _PAIR)):
        about = f"a {kind}; may be repeated"
        parser.add_argument(f"--{kind}", nargs=len(names), action="append", default=[], metavar=names, help=about)
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--confirm", action="store_true", help="remove it, for good")
    act.add_argument(
        "--allow", action="store_true", help="let new content of it in again; nothing comes back by itself"
    )
    about = "remove objects in spite of Object Lock in governance mode"
    parser.add_argument("--bypass-governance", action="store_true", help=about)


_PAIR = ("NAMESPACE", "NAME")


def run_erase(given: argparse.Namespace) -> int:
    """Count or erase the targets, and return the exit code."""
    from headwater.features.erase.deployed import check_queue, open_stores
    from headwater.features.erase.erasure import Erasure

    targets = _targets(given)
    if not targets:
        raise CommandFailed("give at least one of --root, --namespace, --dataset and --job")
    deployment = find_deployment(given)
    stores = open_stores(deployment, bypass=given.bypass_governance)
    erasure = Erasure(stores, targets, lambda text: print(text, flush=True), int(time.time()))
    if given.allow:
        stores.tombstones.lift(targets)
        print(f"allowed again: {len(targets)}")
        return 0
    if given.confirm:
        check_queue(deployment)
    counts = erasure.erase() if given.confirm else erasure.count()
    for store, number in sorted(counts.items()):
        print(f"{number:>12,}  {store}")
    print("erased; the next night's digest lists the removed objects" if given.confirm else "nothing is changed yet")
    return 0


def _targets(given: argparse.Namespace) -> Sequence[Target]:
    from headwater.features.erase.targets import Target

    return [
        *(Target("root", name=root) for (root,) in given.root),
        *(Target("namespace", namespace) for (namespace,) in given.namespace),
        *(Target("dataset", *pair) for pair in given.dataset),
        *(Target("job", *pair) for pair in given.job),
    ]
