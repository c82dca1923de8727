/** The facts of a job and of a dataset, as the panel of a map has them. */

import { useQuery } from "@tanstack/react-query";

import { run as fetchRun } from "../../api/queries";
import { count, duration } from "../../model/format";
import type { Freshness } from "../../model/freshness";
import { type Item, rankOf } from "../../model/graph";
import { titleOfId } from "../../model/titles";
import { Fact, MonoLink } from "../../parts/controls";
import { RunError } from "../../parts/error-text";
import { When } from "../../parts/frame";
import { Written } from "../../parts/old-data";
import { Stale, StateOf } from "../../parts/signs";
import { Tags } from "../../parts/tags";
import { TestsOf } from "../../parts/tests";
import { link } from "../../url/state";

export function JobFacts({ item }: { item: Item }) {
  return (
    <>
      <dl className="facts">
        <Fact of="Last run" is={<StateOf state={item.state} />} />
        {item.runId && (
          <Fact of="Run">
            <MonoLink to={link("run", { id: item.runId })}>{item.runId}</MonoLink>
          </Fact>
        )}
        {item.incomplete && (
          <Fact of="Lineage">
            <Stale>incomplete</Stale>: the run could not report all of it
          </Fact>
        )}
        {item.otherParts.length > 0 && (
          <Fact of="Other part">
            of {item.otherParts.map(titleOfId).join(", ")}: the run read other partitions or locations than were last
            written
          </Fact>
        )}
        {item.tasks && <Fact of="Tasks">{countsOf(item.tasks)}</Fact>}
        <Fact of="Ended" is={<When time={item.endedAt} />} />
        <Fact of="Took">{duration(item.durationMs)}</Fact>
        <TestsOf tests={item.tests} />
        <Owned item={item} />
      </dl>
      {item.state === "FAILED" && item.runId && <ErrorOf run={item.runId} />}
    </>
  );
}

const countsOf = (tasks: NonNullable<Item["tasks"]>) =>
  Object.entries(tasks)
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([state, tasks]) => `${count(tasks)} ${state.toLowerCase()}`)
    .join(", ");

/** The error of a failed run: the graph does not have it, so it is fetched for the selected job alone. */
export function ErrorOf({ run }: { run: string }) {
  const { data } = useQuery(fetchRun(run));
  return data ? <RunError facets={data.facets} /> : null;
}

interface DatasetFactsProps {
  item: Item;
  /** Null where the graph does not say when that was. */
  written: string | null;
  freshness: Freshness | undefined;
}

export function DatasetFacts({ item, written, freshness }: DatasetFactsProps) {
  return (
    <dl className="facts">
      <Fact of={written ? "Written" : "Last event"}>
        <Written time={written ?? item.touchedAt} freshness={freshness} />
      </Fact>
      {item.stale && (
        <Fact of="State">
          <Stale />: who wrote it last does so no more
        </Fact>
      )}
      {item.temporary && <Fact of="Kind">temporary</Fact>}
      <TestsOf tests={item.tests} />
      <Owned item={item} />
    </dl>
  );
}

function Owned({ item }: { item: Item }) {
  return (
    <>
      {item.owners.length > 0 && <Fact of="Owners">{item.owners.join(", ")}</Fact>}
      <Fact of="Tags" is={item.tags.length > 0 && <Tags names={item.tags} />} />
    </>
  );
}
