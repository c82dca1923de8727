"""`make docs`: pages and what they link to are staged with links that hold, and versions stand beside each other."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("docs_site", ROOT / "scripts" / "docs_site.py")
docs_site = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(docs_site)
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s#]+)")


@pytest.fixture
def pages(tmp_path, monkeypatch):
    monkeypatch.setattr(docs_site, "_BUILD", tmp_path)
    monkeypatch.setattr(docs_site, "_PAGES", tmp_path / "pages")
    return tmp_path / "pages"


def test_every_link_of_a_staged_page_leads_to_a_staged_file(pages):
    docs_site.stage_pages()
    (pages / "reference").mkdir()

    broken = [
        (page.relative_to(pages).as_posix(), link)
        for page in pages.rglob("*.md")
        if page.relative_to(pages).parts[0] != "repository"
        for link in _LINK.findall(page.read_text(encoding="utf-8"))
        # A copy of the tree may be without a feature, and then without its page.
        if not (page.parent / link).exists() and "headwater/features/" not in link
    ]

    assert broken == []
    assert "```python" in (pages / "repository" / "examples" / "pyspark_job.py.md").read_text(encoding="utf-8")


def test_llms_txt_names_the_server_for_agents(pages):
    docs_site.stage_pages()
    (line,) = (line for line in docs_site.llms() if "(features/mcp/)" in line)
    assert line.startswith("- [Agents and other MCP clients](features/mcp/): With `headwater mcp`, a server of ")


def test_the_navigation_names_every_page():
    named = set(re.findall(r'"([^"]+\.md)"', (ROOT / "docs" / "site.toml").read_text(encoding="utf-8")))
    own = {
        page.relative_to(ROOT / "docs").as_posix()
        for page in (ROOT / "docs").rglob("*.md")
        if page.parent.name != "decisions" and page.name != "README.md"
    }
    of_features = {f"features/{page.parent.name}.md" for page in (ROOT / "headwater" / "features").glob("*/README.md")}

    assert of_features <= named
    assert {name for name in named if not name.startswith(("reference/", "features/"))} == own | {
        "index.md",
        "decisions/index.md",
    }


def test_a_command_a_route_and_a_setting_are_in_the_reference():
    commands, routes, settings, client = (
        "\n".join(make()) for make in (docs_site.commands, docs_site.http_api, docs_site.settings, docs_site.client)
    )

    assert "## headwater verify" in commands
    assert "## `GET /api/v1/lineage`" in routes
    assert "`records_ttl_hours`" in settings
    assert "`spark.headwater.capture.reads`" in settings
    assert "`HEADWATER_URL`" in settings
    assert "### LineageClient.record" in client


def test_versions_stand_beside_each_other_and_the_newest_is_first(pages, tmp_path):
    site = tmp_path / "out"
    pages.mkdir()
    (pages / "index.md").write_text("# Home\n\nThe first page\nof all.\n")
    for release in ("0.9.1", "0.10.0"):
        (tmp_path / "site").mkdir()
        docs_site.publish(site, release)

    versions = json.loads((site / "versions.json").read_text())
    assert [(version["version"], version["aliases"]) for version in versions] == [("0.10.0", ["latest"]), ("0.9.1", [])]
    assert "url=0.10.0/" in (site / "index.html").read_text()
    assert "- [Home](./): The first page of all." in (site / "0.10.0" / "llms.txt").read_text()
