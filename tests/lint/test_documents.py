"""The documents: every link leads to a file and a heading, and the words are those of the API."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from headwater.cli.main import _COMMANDS

PROJECT = Path(__file__).parents[2]
_PLACES = ("*.md", "docs/**/*.md", "headwater/features/*/*.md", "tests/*.md", "examples/**/*.md")
DOCUMENTS = sorted(str(page.relative_to(PROJECT)) for place in _PLACES for page in PROJECT.glob(place))
# Written by `make bench`, out of the benchmarks' own words.
GENERATED = {"docs/benchmarks.md", "docs/cost.md"}
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
_BARE = re.compile(rf"(?<![\w./`-])headwater (?:{'|'.join(_COMMANDS)})\b")
_TEST = re.compile(r"^def (test_\w+)", re.MULTILINE)
_RETIRED = re.compile(
    r"\b(tells?|told|tellings?|tellers?|said|asked|found|doors?|settles?|settled|spans?|journeys?|mum|heard|knobs?)\b",
    re.IGNORECASE,
)


def prose(document: str) -> str:
    """Return the document's text without its code."""
    return _CODE.sub("", _FENCED.sub("", (PROJECT / document).read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of the page's headings."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_to_a_file_and_a_heading(document: str) -> None:
    page = PROJECT / document
    for target, anchor in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


@pytest.mark.parametrize("document", [document for document in DOCUMENTS if document not in GENERATED])
def test_the_words_are_those_of_the_api(document: str) -> None:
    assert sorted(set(_RETIRED.findall(prose(document)))) == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_to_copy_names_the_program_of_a_checkout(document: str) -> None:
    """The program is on the PATH of an activated environment alone; a comment may name it, between backticks."""
    blocks = _FENCED.findall((PROJECT / document).read_text(encoding="utf-8"))
    assert [line for block in blocks for line in block.splitlines() if _BARE.search(line)] == []


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    index = (PROJECT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (PROJECT / "docs").glob("*.md")} - {"README.md"}
    assert pages - set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == set()


def test_every_test_of_the_security_review_is_there() -> None:
    review = (PROJECT / "docs" / "security-review.md").read_text(encoding="utf-8")
    tests = {name for file in (PROJECT / "tests").rglob("test_*.py") for name in _TEST.findall(file.read_text("utf-8"))}
    assert set(re.findall(r"`(test_\w+)`", review)) - tests == set()


def test_every_message_of_the_page_is_one_of_the_code() -> None:
    folders = ("headwater", "headwater_model", "infra", "spark_client", "local_stack", "explorer/src")
    kinds = {".py", ".ts", ".tsx"}
    files = (file for folder in folders for file in (PROJECT / folder).rglob("*.*") if file.suffix in kinds)
    # A message may be written in several parts, and with escaped quotes.
    code = re.sub(r'"\s*f?"', "", "".join(file.read_text(encoding="utf-8") for file in files))
    page = (PROJECT / "docs" / "messages.md").read_text(encoding="utf-8")
    messages = [
        text for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for text in re.findall(r"`(.+?)`", row)
    ]
    assert len(messages) > 100
    assert [part for text in messages for part in text.split("…") if part.strip() not in code] == []


def test_every_place_to_edit_is_there() -> None:
    table = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Where things are")[2]
    places = re.findall(r"`(\w[\w./]+/[\w./]*|[\w.]+\.json)`", table)
    assert len(places) > 50
    assert [place for place in places if not (PROJECT / place).exists()] == []
