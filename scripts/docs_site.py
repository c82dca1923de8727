"""Build the site of the docs: `python scripts/docs_site.py .venv-docs/bin`, into build/site/<version>/.

The pages are those of docs/, and the README of a feature. Linked files of other folders (an example, the changelog) are
copied beside them, with the links turned; the reference is made from the code. Zensical builds in strict mode: a broken
link fails.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
_FEATURES = ROOT / "headwater" / "features"
_BUILD = ROOT / "build" / "docs"
_PAGES = _BUILD / "pages"
_SITE = ROOT / "build" / "site"
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)[^)\s]+(?=\))")
# A link to a file, or its text alone.
_UNLINKED = re.compile(r"\[([^\]]*)\]\((?![a-z]+:)[^)]*\)")
_LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".yml": "yaml"}


def main(arguments: Sequence[str]) -> int:
    """Build the site and return Zensical's exit status."""
    [tools] = arguments
    shutil.rmtree(_BUILD, ignore_errors=True)
    stage_pages()
    stage_reference()
    (_BUILD / "zensical.toml").write_text((ROOT / "docs" / "site.toml").read_text(encoding="utf-8"), encoding="utf-8")
    zensical = [f"{Path(tools).absolute()}/zensical", "build", "--clean", "--strict"]
    done = subprocess.run(zensical, cwd=_BUILD, check=False)  # noqa: S603 - our own command
    if done.returncode == 0:
        publish(_SITE, version("headwater"))
    return done.returncode


def stage_pages() -> None:
    """Copy the pages and the targets of their links; a README becomes the index of its folder."""
    files = [*(ROOT / "docs").rglob("*"), *_FEATURES.glob("*/README.md")]
    waiting = sorted(path for path in files if path.is_file() and path.suffix != ".toml")
    staged: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in staged:
            continue
        staged.add(path)
        target = _PAGES / page_path_of(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            waiting += linked_files(path, text)
            target.write_text(turn_links(path, text), encoding="utf-8")
        elif target.suffix == ".md":
            target.write_text(page_of_source(path), encoding="utf-8")
        else:
            shutil.copyfile(path, target)


def page_path_of(path: Path) -> Path:
    """Map a file or a folder of the repository to its path among the pages.

    >>> page_path_of(ROOT / "docs" / "decisions" / "README.md").as_posix()
    'decisions/index.md'
    >>> page_path_of(_FEATURES / "alerts" / "README.md").as_posix()
    'features/alerts.md'
    >>> page_path_of(ROOT / "examples" / "pyspark_job.py").as_posix()
    'repository/examples/pyspark_job.py.md'
    """
    name = "index.md" if path.name == "README.md" else path.name
    if path.is_relative_to(ROOT / "docs"):
        return path.relative_to(ROOT / "docs").parent / name
    if _is_page(path):
        return Path("features", f"{path.parent.name}.md")
    if path == ROOT / "README.md":
        return Path("repository", "README.md")
    place = Path("repository", path.relative_to(ROOT).parent, name)
    return place / "index.md" if path.is_dir() else place.with_name(name if path.suffix == ".md" else f"{name}.md")


def _is_page(path: Path) -> bool:
    """True for a file of docs/, and for the README of a feature."""
    return path.is_relative_to(ROOT / "docs") or (path.name == "README.md" and path.parent.parent == _FEATURES)


def linked_files(page: Path, text: str) -> Iterator[Path]:
    """Yield the files and folders with a link from a page, without further pages."""
    if not _is_page(page):
        return
    for link in _LINK.finditer(text):
        target = _target_of(page, link[0])
        if target and not _is_page(target):
            yield target


def turn_links(page: Path, text: str) -> str:
    """Turn the links in a page's text to the paths of the pages.

    Targets of a file that is no page are not copied: their links become text.
    """
    if not _is_page(page):
        text = _UNLINKED.sub(r"\1", text)
        return re.sub(r"<picture>.*?</picture>", "", text, flags=re.DOTALL)
    here = page_path_of(page).parent

    def turn_link(link: re.Match[str]) -> str:
        target = _target_of(page, link[0])
        return (
            link[0].replace(urlsplit(link[0]).path, os.path.relpath(page_path_of(target), here)) if target else link[0]
        )

    return _LINK.sub(turn_link, text)


def page_of_source(path: Path) -> str:
    """Build a page that shows a file, or the files of a folder."""
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.suffix in (*_LANGUAGES, ".md"))
    parts = [f"# {path.relative_to(ROOT).as_posix()}"]
    for file in files:
        heading = [] if path.is_file() else [f"## {file.name}"]
        text = file.read_text(encoding="utf-8").strip()
        parts += [*heading, f"````{_LANGUAGES.get(file.suffix, 'text')}\n{text}\n````"]
    return "\n\n".join(parts) + "\n"


def stage_reference() -> None:
    """Write the generated pages."""
    folder = _PAGES / "reference"
    folder.mkdir(parents=True)
    pages = {"http-api": http_api(), "commands": commands(), "settings": settings(), "client": client()}
    for name, lines in pages.items():
        (folder / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def http_api() -> Iterator[str]:
    """Yield the page of the routes, from the OpenAPI document."""
    from headwater.api.app import render_document

    document = json.loads(render_document())
    yield "# HTTP API: every route\n"
    yield f"Made from the OpenAPI document, {len(document['paths'])} paths. [HTTP API](../api.md) explains them."
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method == "parameters":
                continue
            yield f"\n## `{method.upper()} {path}`\n\n{operation.get('summary', '')}\n"
            yield f"{operation.get('description', '')}\n"
            parameters = [given for given in operation.get("parameters", ()) if "name" in given]
            if parameters:
                yield "| parameter | in | required | meaning |\n|---|---|---|---|"
            for given in parameters:
                required = "yes" if given.get("required") else ""
                yield f"| `{given['name']}` | {given['in']} | {required} | {_cell(given.get('description', ''))} |"
            yield "\n| status | meaning |\n|---|---|"
            for status, response in operation["responses"].items():
                yield f"| {status} | {_cell(response.get('description', ''))} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def commands() -> Iterator[str]:
    """Yield the page of the command line, from its own help."""
    from headwater.cli.main import add_commands

    os.environ["COLUMNS"] = "84"
    yield "# Commands\n\nMade from the help of each command. In a checkout, `headwater` is `.venv/bin/headwater`."
    for name, parser in add_commands(argparse.ArgumentParser(prog="headwater")).items():
        about, parser.description = parser.description or "", None
        yield f"\n## headwater {name}\n\n{about}\n\n```text\n{parser.format_help().strip()}\n```"


def settings() -> Iterator[str]:
    """Yield the page of the settings: context values of the stack, and Spark's conf with the client's variables."""
    from spark_client.capturing.session.settings import parse_settings

    context = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    yield "# Settings\n\n## Context values\n"
    yield "Given by `-c NAME=VALUE` or in `cdk.json`; [operations](../operations.md#context-values) explains each.\n"
    yield "| name | default | meaning |\n|---|---|---|"
    for name, default in context.items():
        if f"//{name}" in context:
            yield f"| `{name}` | `{json.dumps(default)}` | {_cell(context[f'//{name}'])} |"
    yield "\n## Conf of Spark\n\nThe names that capture reads; [capture](../capture.md) explains them.\n"
    conf, environment = _Recorded(), _Recorded()
    parse_settings(conf, environment)
    yield from (f"- `{name}`" for name in sorted(conf.read))
    yield "\n## Environment\n"
    given = {
        name
        for path in (ROOT / "spark_client").rglob("*.py")
        for name in re.findall(r"\bHEADWATER_[A-Z_]+\b", path.read_text(encoding="utf-8"))
    }
    yield from (f"- `{name}`" for name in sorted(environment.read | given))


class _Recorded(dict[str, str]):
    """An empty mapping that keeps the names of its reads."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return False

    def get(self, name: str, default: Any = None) -> Any:
        """Give the default."""
        self.read.add(name)
        return default


def client() -> Iterator[str]:
    """Yield the page of the client's public names, from their docstrings."""
    import spark_client

    yield "# Client\n\nThe names that `spark_client` exports."
    for name in spark_client.__all__:
        thing = getattr(spark_client, name)
        yield f"\n## {name}\n"
        yield from _describe(name, thing)
        if not inspect.isclass(thing):
            continue
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            if not method.startswith("_") and function.__doc__:
                yield f"\n### {name}.{method}\n"
                yield from _describe(method, function)


def _describe(name: str, thing: Any) -> Iterator[str]:
    with suppress(TypeError, ValueError):
        yield f"```python\n{name}{inspect.signature(thing)}\n```\n"
    yield f"```text\n{inspect.getdoc(thing) or ''}\n```"


def publish(site: Path, release: str) -> None:
    """Move the built site to its version's folder; write the versions, the redirect and llms.txt."""
    shutil.rmtree(site / release, ignore_errors=True)
    site.mkdir(parents=True, exist_ok=True)
    shutil.move(_BUILD / "site", site / release)
    (site / release / "llms.txt").write_text("\n".join(llms()) + "\n", encoding="utf-8")
    releases = sorted((path.name for path in site.iterdir() if path.is_dir()), key=_order, reverse=True)
    versions = [
        {"version": name, "title": name, "aliases": ["latest"] if name == releases[0] else []} for name in releases
    ]
    (site / "versions.json").write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")
    redirect = f'<meta http-equiv="refresh" content="0; url={releases[0]}/">'
    page = f'<!doctype html><meta charset="utf-8"><title>Headwater</title>{redirect}\n'
    (site / "index.html").write_text(page, encoding="utf-8")
    sys.stdout.write(f"docs: {site / release}/index.html\n")


def _order(release: str) -> list[int]:
    """Split a version into numbers.

    >>> sorted(["0.10.0", "0.9.1"], key=_order)
    ['0.9.1', '0.10.0']
    """
    return [int(number) for number in re.findall(r"\d+", release)]


def llms() -> Iterator[str]:
    """Yield the lines of llms.txt (llmstxt.org): each page by its title and its first paragraph."""
    yield "# Headwater\n\n> Serverless data lineage for Spark pipelines on AWS: records, runs and fields.\n\n## Docs\n"
    for page in sorted(_PAGES.rglob("*.md")):
        place = page.relative_to(_PAGES)
        if place.parts[0] == "repository":
            continue
        blocks = page.read_text(encoding="utf-8").split("\n\n")
        title = blocks[0].lstrip("# ").strip()
        about = next((" ".join(block.split()) for block in blocks[1:] if block[:1].isalpha()), "")
        address = "" if place.name == "index.md" and len(place.parts) == 1 else f"{place.with_suffix('').as_posix()}/"
        plain = _UNLINKED.sub(r"\1", about)
        yield f"- [{title}]({address.removesuffix('index/') or './'}): {plain}"


def _target_of(page: Path, link: str) -> Path | None:
    """Find the file or folder of a page's link; None for a link without a target."""
    target = (page.parent / urlsplit(link).path).resolve()
    return target if target.exists() and target.is_relative_to(ROOT) else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
