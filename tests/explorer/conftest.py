"""Chromium for the tests of the explorer; any error, refusal or stray request of a page fails the test.

Without Chromium (`CHROMIUM`, else the PATH), Playwright or a built page, the tests are skipped with the reason.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path

import pytest

from examples.company.estate import build_estate
from examples.company.history import history_of
from headwater.api.page_files import built_files
from local_stack.toolchain import find_chromium
from tests.explorer import stories
from tests.explorer.served import RUNNING, ServedGraph

ROOT = Path(__file__).resolve().parents[2]
COMPANY_END = datetime(2025, 11, 20, 12, 30, tzinfo=timezone.utc)
_TIMEOUT_MS = 120_000
# Without the last four, Chromium looks for Google's hosts at every start.
CHROMIUM_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--process-per-site"]
CHROMIUM_OPTIONS += [
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# The browser of this process: the folder of a feature has the fixtures of this file, too.
_STARTED = []


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium, shared by a worker's tests."""
    program = find_chromium()
    if not program:
        pytest.skip("no Chromium: install it, or name it in CHROMIUM")
    if not built_files():
        pytest.skip("the explorer is not built: `make explorer`, which needs npm")
    sync_api = pytest.importorskip("playwright.sync_api")
    if _STARTED:
        yield _STARTED[0]
        return
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_OPTIONS)
        _STARTED.append(browser)
        yield browser
        browser.close()


class Watch:
    """A page's calls of the API, and its faults: errors, refusals of its policy, requests elsewhere."""

    def __init__(self, page, url, also):
        self.faults = []
        self.expected = ()
        self.calls = []
        self._url = url
        self._own = tuple(f"{scheme}{origin}/" for origin in (url, *also) for scheme in ("", "blob:"))
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", self._on_request)

    def paths(self):
        """List the paths and queries of the calls, in their order."""
        return [call.url.removeprefix(self._url) for call in self.calls]

    def _on_console(self, message):
        if message.type == "error" and not any(text in message.text for text in self.expected):
            self.faults.append(f"console: {message.text}")

    def _on_request(self, request):
        if not request.url.startswith(self._own):
            self.faults.append(f"stray request: {request.url}")
        elif not request.url.startswith((f"{self._url}/explore/", "blob:")):
            self.calls.append(request)


class Profiles:
    """Profiles of the browser by their options; pages of a profile share a cache.

    An open page in each keeps the process of its pages: a new process takes more than twice a page's CPU time.
    """

    def __init__(self, browser):
        self._browser = browser
        self._opened = {}

    def get(self, url, options):
        key = tuple(sorted(options.items()))
        if key not in self._opened:
            context = self._browser.new_context(reduced_motion="reduce", **options)
            # A page begins without the visits, pins and choices of the page before.
            context.add_init_script("try { localStorage.clear() } catch {}")
            context.new_page().goto(f"{url}/explore/no-such-file.txt")
            self._opened[key] = context
        return self._opened[key]

    def close(self):
        for context in self._opened.values():
            context.close()


@pytest.fixture(scope="session")
def profiles(browser):
    profiles = Profiles(browser)
    yield profiles
    profiles.close()


@pytest.fixture
def deployed():
    """A graph for one test alone, empty, without the routes of a local stack."""
    served = ServedGraph()
    yield served
    served.stop()


@pytest.fixture(autouse=True)
def restored_servers():
    """Reset the changes of a test to a shared server: refusals, the caller, the demo's routes."""
    yield
    for served in RUNNING:
        served.restore()


@pytest.fixture
def open_view(browser, profiles):
    """`open_view(served, "?node=...")` opens a view of a server; `page.watch` has calls and faults.

    Errors with an `expected` text are no faults. With `fresh` or `clock` the page has its own profile:
    `page.clock` moves the time of a whole profile.
    """
    with ExitStack() as on_exit:
        watches = []

        def open_view(served, view="", *, size=(1280, 720), fresh=False, clock=False, expected=(), **options):
            is_own = fresh or clock
            own = browser.new_context(reduced_motion="reduce", **options) if is_own else None
            page = (own or profiles.get(served.url, options)).new_page()
            on_exit.callback(own.close if own else page.close)
            width, height = size
            page.set_viewport_size({"width": width, "height": height})
            # Long, as a busy machine may be late; pytest stops a test that is too slow.
            page.set_default_timeout(_TIMEOUT_MS)
            page.watch = Watch(page, served.url, served.also)
            page.watch.expected = expected
            watches.append(page.watch)
            if clock:
                page.clock.install()
            page.goto(f"{served.url}/explore/{view}")
            return page

        yield open_view
        assert [fault for watch in watches for fault in watch.faults] == []


def _served(events, *, together=10_000, **options):
    """Return the fixture of a server with the API, shared by a worker's tests; so many events are loaded at once."""

    @pytest.fixture(scope="session")
    def fixture():
        served, loaded = ServedGraph(**options), list(events())
        for start in range(0, len(loaded), together):
            served.load(*loaded[start : start + together])
        yield served
        served.stop()

    return fixture


# The emissions pipeline, and hostile names; the pipeline behind the token API.
pipeline = _served(lambda: stories.emissions() + stories.attacks())
guarded = _served(lambda: stories.emissions(days=(19, 20)), auth="token")
# Two thousand nodes.
wide = _served(stories.a_wide_graph)
# A growing hub, a failure far upstream, circles, and odd names.
_PARTS = (stories.a_growing_hub, stories.a_failure_far_upstream, stories.circles, stories.odd_names)
estate = _served(lambda: [event for part in _PARTS for event in part()])
# A dataset with 2,600 readers and their outputs: more than a response holds.
hub = _served(lambda: stories.a_hub(2_600))
# Two nights of the example company; in the second, jobs fail and schemas have changed.
company = _served(
    lambda: history_of(build_estate(), end=COMPANY_END, days=2), together=300, now_s=int(COMPANY_END.timestamp())
)
