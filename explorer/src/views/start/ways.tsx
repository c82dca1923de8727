/** Three ways to the first lineage, where there is none to show: the demo's, one run by curl, a PySpark job's. */

import "./ways.css";

import { type ReactNode, useState } from "react";
import { addressOf, tokens } from "../../api/client";
import type { Demo } from "../../api/local";
import { curlOf, intakeOf, pysparkOf, UNKNOWN_URL } from "../../model/ways";
import { Button } from "../../parts/controls";
import { Copyable } from "../../parts/export";
import { useReader } from "../../parts/reader";
import { type Sign, SignOf, StateOf } from "../../parts/signs";

/** The ways; without a `demo` there is no stack on this machine that could load it. */
export function Ways({ demo, load }: { demo: Demo | null | undefined; load: () => Promise<void> }) {
  const { me } = useReader();
  const [at] = useState(() => new Date());
  const intake = intakeOf(addressOf("/", {}, {}).href, me?.caller ?? null, tokens.get() !== "");
  return (
    <section aria-labelledby="ways">
      <div className="center">
        <h2 id="ways">Nothing is known yet</h2>
        <p className="muted">Lineage shows here as soon as it arrives.</p>
      </div>
      <div className="ways">
        {demo && <LoadDemo demo={demo} load={load} />}
        <Start sign="run" title="Send a run by curl">
          <p className="muted">
            A job that makes a table of another, as two OpenLineage events. It prints nothing when all is well.
          </p>
          <Copyable name="the curl that sends a run" text={curlOf(intake, at)} />
          {intake.needs === "token" && (
            <p className="small muted">
              <code>HEADWATER_TOKEN</code> is a token with the scope <code>write</code>; in a checkout:{" "}
              <code>.venv/bin/headwater token create --scope write --all-namespaces</code>
            </p>
          )}
          {intake.url === UNKNOWN_URL && (
            <p className="small muted">
              <code>{UNKNOWN_URL}</code> is the one that <code>headwater explore</code> was given. This page reads
              through that command, which sends nothing.
            </p>
          )}
        </Start>
        <Start sign="job" title="Capture a PySpark job">
          <p className="muted">
            With the client installed (<code>pip install ./packaging/client</code>), every write of <code>spark</code>{" "}
            reports its datasets and columns.
          </p>
          <Copyable name="the lines that capture a job" text={pysparkOf(intake)} />
          {intake.needs === "token" && (
            <p className="small muted">
              The job needs <code>HEADWATER_TOKEN</code> in its environment, too.
            </p>
          )}
        </Start>
      </div>
    </section>
  );
}

function Start({ sign, title, children }: { sign: Sign; title: string; children: ReactNode }) {
  return (
    <article className="card">
      <h2>
        <SignOf of={sign} />
        {title}
      </h2>
      {children}
    </article>
  );
}

function LoadDemo({ demo, load }: { demo: Demo; load: () => Promise<void> }) {
  const [refusal, setRefusal] = useState("");
  const isRunning = demo.state === "RUNNING";
  const error = refusal || (demo.state === "FAILED" ? demo.error : "");
  const press = () => {
    setRefusal("");
    load().catch((error: unknown) => setRefusal(error instanceof Error ? error.message : String(error)));
  };
  return (
    <article className="card first">
      <div>
        <h2>
          <SignOf of="dataset" />
          See the demo
        </h2>
        <p className="muted">
          A PySpark job over the flights that left New York on a day of 2013 runs on this machine, for about half a
          minute. Then the sources of a flight’s CO₂ are shown.
        </p>
      </div>
      <Button main disabled={isRunning} press={press}>
        {isRunning ? "Loading …" : error ? "Try again" : "Load the demo’s data"}
      </Button>
      <div role="status" className="whole">
        {isRunning && (
          <>
            <StateOf state="RUNNING">{demo.stage}</StateOf>
            <div className="bone" />
          </>
        )}
      </div>
      {error && (
        <div role="alert" className="whole">
          <StateOf state="FAILED">{demo.stage ? `Failed at “${demo.stage}”` : "Failed"}</StateOf>
          <pre>{error}</pre>
          <p className="small muted">
            The rest of its output is in <code>.headwater/logs/demo.log</code>.
          </p>
        </div>
      )}
    </article>
  );
}
