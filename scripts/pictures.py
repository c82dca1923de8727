"""Make the screenshots of the README and the docs from the demo's data: `.venv/bin/python scripts/pictures.py [URL]`.

Without the URL of a running stack (`make demo` prints it), the demo's pipeline runs over a day of flights.
Needs Chromium (`CHROMIUM`, else the PATH) and the built explorer.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from local_stack.toolchain import find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
_OUT = ROOT / "docs" / "pictures"
_OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
_SIZE = {"width": 1280, "height": 640}
_STILL_MS = 500


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    chromium = find_chromium()
    if chromium is None:
        sys.stderr.write("pictures: no Chromium: install it, or name it in CHROMIUM\n")
        return 1
    from playwright.sync_api import sync_playwright

    with _stack(arguments) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_OPTIONS))
        for name, view in views_of(url).items():
            for scheme in ("light", "dark"):
                _capture_view(browser, f"{url}/explore/{view}", scheme, _OUT / f"{name}-{scheme}.png")
        browser.close()
    return 0


def views_of(url: str) -> dict[str, str]:
    """List the views of the demo to show, by the name of the picture."""
    from headwater.cli.job_graph import fetch_response, parse_graph
    from headwater.cli.service import fetch_json

    job = "job:emissions:emissions.demo_checked"
    graph = parse_graph(fetch_response(url, job, depth=20))
    [estimated] = (node for node in graph.nodes if node.startswith("dataset:") and node.endswith("/estimated"))
    column = f"datasetField:{estimated.removeprefix('dataset:')}:co2_kg"
    [delivery, *_] = fetch_json(url, "/api/v1/records/search", {"action": "READ", "limit": 1})["records"]
    return {
        "columns": f"columns?{urlencode({'node': column, 'dir': 'up'})}",
        "records": f"record?{urlencode({'root': delivery['root_id']})}",
        "runs": f"map?{urlencode({'node': estimated})}",
    }


@contextmanager
def _stack(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the URL of a stack with the demo's lineage."""
    if arguments:
        yield arguments[0].rstrip("/")
        return
    from examples.emissions.landing import land_flights
    from examples.emissions.session import FOLDER
    from headwater.cli.demo.stages import prepare, run_pipeline
    from headwater.cli.text.progress import Progress
    from headwater.cli.text.terminal import output_console
    from local_stack.stack import LocalStack

    shutil.rmtree(FOLDER, ignore_errors=True)
    with Progress(output_console()) as progress:
        template, spark = prepare(progress)
        land_flights(FOLDER / "landing", 1)
        with LocalStack(template) as stack:
            run_pipeline(progress, spark, stack, FOLDER / "landing", FOLDER)
            yield stack.api_url
        spark.stop()


def _capture_view(browser: Browser, address: str, scheme: str, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    context = browser.new_context(viewport=_SIZE, color_scheme=scheme, reduced_motion="reduce", device_scale_factor=1.5)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    page.locator(".react-flow__node, main h1").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(_STILL_MS)
    page.screenshot(path=file)
    context.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
