"""`headwater names`: rules that join the names of a dataset, where producers name it differently."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.deployment import Deployment, add_options, find_deployment
from headwater.cli.options import add_command
from headwater.cli.program import CommandFailed
from headwater.cli.service import printable

if TYPE_CHECKING:
    from headwater.events.name_rules import NameRule
    from headwater_model.ids import DatasetId

_SHOWN_MAX = 50
_ABOUT = """\
Set the rules by which datasets that producers name differently are one dataset: s3a and s3, the aliases of a host, the
prefix of an environment, an ARN of AWS Glue and a location; and by which their columns are one, whatever their quotes
and case. Without rules no names are joined. headwater/features/names/README.md says how to write the file.
"""
_EXAMPLES = """\
examples:
  %(prog)s likely                          datasets that are likely the same, as rules to choose from
  %(prog)s check names.json                which datasets the rules of a file would join; nothing is changed
  %(prog)s set names.json --stage test     set the rules, for new events and for what the graph has
  %(prog)s show > names.json               the rules that are set
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command, its own commands and their options."""
    summary = "rules by which datasets with several names are one"
    parser = add_command(subparsers, "names", summary, _ABOUT, _EXAMPLES, run=_run)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    likely = commands.add_parser("likely", help="print datasets that are likely the same, as a file of rules")
    check = commands.add_parser("check", help="print which datasets the rules of a file would join")
    check.add_argument("file", type=Path, help="the rules, as JSON")
    check.add_argument("--json", action="store_true", help="print them as JSON, all of them")
    setting = commands.add_parser("set", help="set the rules of a file in place of those that are set")
    setting.add_argument("file", type=Path, help="the rules, as JSON")
    show = commands.add_parser("show", help="print the rules that are set, as JSON")
    for command, act in ((likely, _likely), (check, _check), (setting, _set), (show, _show)):
        add_options(command)
        command.set_defaults(act=act)


def _run(given: argparse.Namespace) -> int:
    """Run a command."""
    given.act(given, find_deployment(given))
    return 0


def _rules_in(file: Path) -> tuple[NameRule, ...]:
    from headwater.events.name_rules import read_rules

    try:
        return read_rules(json.loads(file.read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        raise CommandFailed(str(error)) from error


def _likely(_: argparse.Namespace, deployment: Deployment) -> None:
    from headwater.features.names.similar_names import similar_datasets
    from headwater.queries.view import GraphView

    similar = similar_datasets(GraphView(deployment.graph_table()), datasets_max=None)
    rules = [
        {**_json(other), "as": _json(group.datasets[0]), **({"fields": group.fold.to_json()} if group.fold else {})}
        for group in similar.groups
        for other in group.datasets[1:]
    ]
    print(json.dumps({"rules": rules}, indent=2, ensure_ascii=False))
    for name, datasets in similar.claimed.items():
        print(f"! {_text(name)} joins none, claimed by: {', '.join(map(_text, datasets))}", file=sys.stderr)


def _json(dataset: DatasetId) -> dict[str, str]:
    return {"namespace": dataset.namespace, "name": dataset.name}


def _check(given: argparse.Namespace, deployment: Deployment) -> None:
    rules = _rules_in(given.file)
    names, renamed = _renamed(rules, deployment)
    if given.json:
        forms = [{**_json(dataset), "names": list(map(_json, others))} for dataset, others in renamed.items()]
        print(json.dumps(forms, indent=2, ensure_ascii=False))
        return
    print(_summary(rules, names, renamed))
    for dataset, others in list(renamed.items())[:_SHOWN_MAX]:
        known = "" if dataset in names else " (new)"
        print(f"\n{_text(dataset)}{known}")
        for other in others[:_SHOWN_MAX]:
            print(f"  {_text(other)}")
        if len(others) > _SHOWN_MAX:
            print(f"  and {len(others) - _SHOWN_MAX:,} more")
    if len(renamed) > _SHOWN_MAX:
        print(f"\nand {len(renamed) - _SHOWN_MAX:,} more datasets; --json prints all")


def _set(given: argparse.Namespace, deployment: Deployment) -> None:
    from headwater.facts.lattice import NAMES_MAX
    from headwater.loading.renamings import join_names
    from headwater.loading.stored_rules import StoredRules

    rules = _rules_in(given.file)
    table = deployment.graph_table()
    StoredRules(table, deployment.naming_rules()).write(rules)
    names, renamed = _renamed(rules, deployment)
    joined = sum(join_names(renamed, table))
    print(f"{_summary(rules, names, renamed)} Joined: {joined:,}.")
    print("Functions take the rules within a minute; what they load until then is joined by the same command.")
    if any(rule.fields for rule in rules):
        print("Columns of events before that stay as they were loaded, until a replay.")
    wide = [dataset for dataset, others in renamed.items() if len(others) > NAMES_MAX]
    if wide:
        print(
            f"! {len(wide):,} datasets have more than {NAMES_MAX} other names, such as {_text(wide[0])}: "
            "a replay into an empty table joins them all",
            file=sys.stderr,
        )


def _show(_: argparse.Namespace, deployment: Deployment) -> None:
    from headwater.events.name_rules import rules_to_json
    from headwater.loading.stored_rules import StoredRules

    rules = StoredRules(deployment.graph_table(), deployment.naming_rules()).read()
    print(json.dumps(rules_to_json(rules), indent=2, ensure_ascii=False))


def _renamed(
    rules: Sequence[NameRule], deployment: Deployment
) -> tuple[set[DatasetId], Mapping[DatasetId, Sequence[DatasetId]]]:
    """Read the names of datasets in the graph, and list the names that the rules change, by the new name."""
    from headwater.loading.renamings import known_datasets, renamed_datasets

    names = known_datasets(deployment.graph_table())
    return set(names), renamed_datasets(names, replace(deployment.naming_rules(), names=tuple(rules)))


def _summary(rules: Sequence[NameRule], names: set[DatasetId], renamed: Mapping[DatasetId, Sequence[DatasetId]]) -> str:
    changed = sum(map(len, renamed.values()))
    counts = f"{changed:,} of {len(names):,}, to {len(renamed):,}"
    text = f"Rules: {len(rules):,}. Names of datasets that they change: {counts}."
    if not any(rule.fields for rule in rules):
        return text
    from headwater.events.name_rules import folds_of

    datasets = {*renamed, *names}.difference(*renamed.values())
    folds = folds_of(tuple(rules))
    folded = sum(folds.find(each.namespace, each.name) is not None for each in datasets)
    return f"{text} Datasets whose columns fold: {folded:,}."


def _text(dataset: DatasetId) -> str:
    return printable(f"{dataset.namespace} {dataset.name}")
