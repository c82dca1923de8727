/** What the shapes, lines and words of a picture mean. */

import "./legend.css";

import { type ReactNode, useId } from "react";
import { Button } from "./controls";
import { KindOf, Masked, SignOf } from "./signs";

const STORES = ["s3", "kafka", "snowflake", "dashboard"];

const sample = (look: string, text: string) => <span className={`sample ${look}`}>{text}</span>;
const box = (look: string, text: string) => sample(`box ${look}`, text);
const line = (look: string) => (
  <svg className={`sample ${look}`} viewBox="0 0 56 8" aria-hidden="true">
    <path d="M0 4H56" />
  </svg>
);

const NODES: readonly [ReactNode, string][] = [
  [box("of-dataset", "orders"), "a dataset: a table, a topic, files"],
  [
    STORES.map((store) => <KindOf key={store} of="dataset" namespace={store} />),
    "where a dataset is, by its namespace: S3, Kafka, Snowflake, a dashboard, …",
  ],
  [box("of-job", "load"), "a job: what reads and writes them"],
  [
    <span className="round-job sample-round" key="round">
      <SignOf of="job" />
    </span>,
    "a job with a single output, before it; its ring is its state, its name is on hover",
  ],
  [box("of-job has-trouble health-failed", "✕ 3 h"), "failed or aborted: its last run, or a test; red"],
  [
    box("of-dataset health-late", "! 3 d"),
    "late, its writer's last run failed; or on old data behind such a failure; amber",
  ],
  [box("of-job health-running", "▸ 2 h"), "running since then; blue"],
  [box("of-dataset health-fresh", "3 h"), "its last run completed, or it was written, so long ago; green"],
  [box("of-dataset health-unknown", "orders"), "its last writing is not known here; grey"],
  [box("of-dataset is-stale", "old"), "stale: the job that wrote it writes it no more"],
  [box("of-fold", "12 more"), "neighbours that are folded: click to search and draw them"],
  [box("of-fold of-stub", "⊣ dates"), "a hub, an input with more than 50 readers: click to draw its lines"],
  [sample("more", "+3"), "so many more behind it: click to draw them"],
  [line("is-lit"), "the paths through what is selected"],
  [line("is-control"), "a job that waits for another (Dependencies), a task that a DAG started: no data goes along it"],
];
const COLUMNS: readonly [ReactNode, string][] = [
  [box("of-dataset", "orders"), "a dataset, opened to its columns"],
  [line("is-lit"), "the path of the chosen column"],
  [
    "Σ ƒ cast mask =",
    "how a value is made: a sum, a formula, a cast, masked, a copy; hover for the formula, on the path it is in the row",
  ],
  [line("is-masked"), "masked on the way, as by a hash"],
  [<Masked key="lock" />, "what comes out cannot be read back"],
  [box("of-dataset of-indirect", "days"), "a dataset that is there for a join, a filter or a group alone"],
  [line("is-indirect"), "indirect: a join, a filter or a group decides which rows there are"],
];
const SHARED: readonly [ReactNode, string][] = [
  [box("of-dataset is-focus", "orders"), "the focus: what the picture is about"],
  [box("of-dataset is-selected", "orders"), "selected: the panel is about it"],
  [sample("added", "+ − ~"), "added, removed, changed since the other time"],
];

export function Legend({ of }: { of: "map" | "columns" }) {
  const id = useId();
  const rows = [...(of === "map" ? NODES : COLUMNS), ...SHARED];
  return (
    <>
      <Button popoverTarget={id}>Legend</Button>
      <div id={id} popover="auto" className="menu legend" role="dialog" aria-label="legend">
        <dl>
          {rows.map(([sample, means], place) => [
            <dt key={`s${place}`}>{sample}</dt>,
            <dd key={`m${place}`}>{means}</dd>,
          ])}
        </dl>
        <p className="small muted">Arrows lead from what is read to what is made of it, from left to right.</p>
      </div>
    </>
  );
}
