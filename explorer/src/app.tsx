/** The frame around every view: search on top, the view below, dialogs over both. */

import { type ReactNode, Suspense, useRef } from "react";
import { Link, Route, Switch, useLocation, useSearch } from "wouter";
import type { Feature } from "./api/client";
import { VIEWS as OF_FEATURES } from "./features";
import { Boundary, lazyView, type ViewAt } from "./parts/boundary";
import { Button } from "./parts/controls";
import { Find } from "./parts/find";
import { EmptyState, Skeleton } from "./parts/frame";
import { useKeys } from "./parts/keys";
import { useRecentVisit } from "./parts/pin";
import { Account, TokenDialog, useReader } from "./parts/reader";
import mark from "./style/mark.svg?url";
import { StartView } from "./views/start/start";

const VIEWS: readonly ViewAt[] = [
  ["/search", lazyView(() => import("./views/search/search"), "SearchView")],
  ["/map", lazyView(() => import("./views/map/map"), "MapView"), "getLineage"],
  ["/columns", lazyView(() => import("./views/columns/columns"), "ColumnsView"), "getColumnLineage"],
  ["/impact", lazyView(() => import("./views/impact/impact"), "ImpactView"), "reportImpact"],
  ["/dataset", lazyView(() => import("./views/dataset/dataset"), "DatasetView"), "getDataset"],
  ["/job", lazyView(() => import("./views/job/job"), "JobView"), "getJob"],
  ["/run", lazyView(() => import("./views/run/run"), "RunView"), "getRun"],
  ["/record", lazyView(() => import("./views/record/record"), "RecordView"), "searchRecords"],
  ["/jobs", lazyView(() => import("./views/lists/lists"), "JobsView"), "listAllJobs"],
  ["/datasets", lazyView(() => import("./views/lists/lists"), "DatasetsView"), "getDataset"],
  ["/tests", lazyView(() => import("./views/tests/tests"), "TestsView"), "listFailingTests"],
  ["/usage", lazyView(() => import("./views/usage/usage"), "UsageView"), "reportUsage"],
  ...OF_FEATURES,
];

const WIDE = ["/map", "/columns", "/estate"];

function Allowed({ feature, children }: { feature: Feature | undefined; children: ReactNode }) {
  const { me, can } = useReader();
  if (!feature || can(feature)) return children;
  return (
    <EmptyState title="Your token does not open this view">
      It needs the scope <code>{feature === "searchRecords" ? "records" : "read"}</code>; yours has{" "}
      {me?.scopes.map((scope) => (
        <code key={scope}>{scope} </code>
      ))}
    </EmptyState>
  );
}

export function App() {
  const [path, navigate] = useLocation();
  const query = useSearch();
  const keys = useRef<HTMLDialogElement>(null);
  const { me, can } = useReader();
  useRecentVisit();
  useKeys({
    "/": (event) => {
      event.preventDefault();
      document.querySelector<HTMLInputElement>('[data-find="large"], [data-find="top"]')?.select();
    },
    "?": () => keys.current?.showModal(),
    Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
    h: () => navigate("/"),
  });
  return (
    <>
      <a className="skip" href="#view">
        To the view
      </a>
      <header className="top">
        <Link className="brand" href="/" aria-label="Headwater">
          <img src={mark} alt="" />
          <span>Headwater</span>
        </Link>
        {path !== "/" && <Find />}
        <nav style={{ marginLeft: path === "/" ? "auto" : undefined }}>
          {can("listAllJobs") && (
            <span className="lists">
              <Link href="/jobs">Jobs</Link>
              <Link href="/datasets">Datasets</Link>
            </span>
          )}
          {can("searchRecords") && (
            <span className="lists">
              <Link href="/search?kind=record">Records</Link>
            </span>
          )}
          {me?.stage && (
            <span className="stage-of" title={`stage ${me.stage} of the API`}>
              {me.stage}
            </span>
          )}
          <Account />
          <button className="icon" aria-label="keys and help" onClick={() => keys.current?.showModal()}>
            ?
          </button>
        </nav>
      </header>
      <main id="view" tabIndex={-1} className={WIDE.includes(path) ? "wide" : ""}>
        <View place={`${path}?${query}`} />
      </main>
      <KeysDialog dialog={keys} />
      <TokenDialog />
    </>
  );
}

/** The view of the address; what fails in it leaves the frame as it is. */
function View({ place }: { place: string }) {
  return (
    <Boundary place={place}>
      <Suspense
        fallback={
          <div className="page">
            <Skeleton rows={8} />
          </div>
        }
      >
        <Switch>
          <Route path="/" component={StartView} />
          {VIEWS.map(([route, Component, feature]) => (
            <Route key={route} path={route}>
              <Allowed feature={feature}>
                <Component />
              </Allowed>
            </Route>
          ))}
          <Route>
            <EmptyState title="There is no such view">
              <Link href="/">Start again</Link>
            </EmptyState>
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  );
}

const KEYS: readonly [string, string][] = [
  ["/", "search"],
  ["Shift + Enter", "what breaks, on a column that the search found"],
  ["← → ↑ ↓", "along arrows, and among neighbours"],
  ["↑ ↓", "from change to change, beside the panel Changes"],
  ["Enter", "select, then into the panel"],
  ["e  E", "open downstream, upstream"],
  ["Shift + click", "only the paths between two nodes"],
  ["l", "list beside the picture"],
  ["c", "tables to columns, and back"],
  ["i", "what a column depends on indirectly"],
  ["f", "fit all into view"],
  ["[  ]", "a change back, a change on"],
  [".", "now"],
  ["Esc", "one step back"],
  ["h", "start"],
];

function KeysDialog({ dialog }: { dialog: React.RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-label="keys">
      <h1>Keys</h1>
      <dl className="facts">
        {KEYS.map(([key, does]) => [
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={does}>{does}</dd>,
        ])}
      </dl>
      <p className="muted small">
        Times are UTC; the time in your zone stands in their titles. Drawn with React Flow (MIT), set in Inter (SIL Open
        Font License 1.1).
      </p>
      <form method="dialog">
        <Button>Close</Button>
      </form>
    </dialog>
  );
}
