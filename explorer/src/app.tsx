/** The frame around every view: search on top, the view below, dialogs over both. */

import { lazy, Suspense, useRef, type ComponentType } from "react";
import { Link, Route, Switch, useLocation } from "wouter";

import { Bones, Nothing } from "./parts/frame";
import { Find } from "./parts/find";
import { useKeys } from "./parts/keys";
import { KeysDialog } from "./parts/keys-dialog";
import { TokenDialog } from "./parts/token";
import { StartView } from "./views/start/start";
import mark from "./style/mark.svg?url";

const view = <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K) => lazy(async () => ({ default: (await load())[name] }));

const VIEWS: readonly [string, ComponentType][] = [
  ["/search", view(() => import("./views/search/search"), "SearchView")],
  ["/map", view(() => import("./views/map/map"), "MapView")],
  ["/columns", view(() => import("./views/columns/columns"), "ColumnsView")],
  ["/impact", view(() => import("./views/impact/impact"), "ImpactView")],
  ["/dataset", view(() => import("./views/dataset/dataset"), "DatasetView")],
  ["/job", view(() => import("./views/job/job"), "JobView")],
  ["/run", view(() => import("./views/run/run"), "RunView")],
  ["/record", view(() => import("./views/record/record"), "RecordView")],
  ["/usage", view(() => import("./views/usage/usage"), "UsageView")],
];

const WIDE = ["/map", "/columns"];

export function App() {
  const [path, navigate] = useLocation();
  const keys = useRef<HTMLDialogElement>(null);
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
      <a className="skip" href="#view">To the view</a>
      <header className="top">
        <Link className="brand" href="/"><img src={mark} alt="" />Headwater</Link>
        {path !== "/" && <Find />}
        <nav style={{ marginLeft: path === "/" ? "auto" : undefined }}>
          <button className="icon" aria-label="keys and help" onClick={() => keys.current?.showModal()}>?</button>
        </nav>
      </header>
      <main id="view" tabIndex={-1} className={WIDE.includes(path) ? "wide" : ""}>
        <Suspense fallback={<div className="page"><Bones rows={8} /></div>}>
          <Switch>
            <Route path="/" component={StartView} />
            {VIEWS.map(([route, View]) => <Route key={route} path={route} component={View} />)}
            <Route><Nothing title="There is no such view"><Link href="/">Start again</Link></Nothing></Route>
          </Switch>
        </Suspense>
      </main>
      <KeysDialog dialog={keys} />
      <TokenDialog />
    </>
  );
}
