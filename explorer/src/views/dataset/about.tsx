/** The facts of a dataset: who wrote it when, how its tests are, whose it is, its version. */

import { Link } from "wouter";

import type { Dataset } from "../../api/queries";
import { Fact } from "../../parts/controls";
import { SetHere } from "../../parts/edit";
import { JobLink, When } from "../../parts/frame";
import { useOldData, Written } from "../../parts/old-data";
import { Stale } from "../../parts/signs";
import { Owners, Tags } from "../../parts/tags";
import { TestsOf } from "../../parts/tests";
import { datasetId } from "../../url/ids";
import { link } from "../../url/state";

export function About({ dataset }: { dataset: Dataset }) {
  return (
    <section className="card">
      <dl className="facts two">
        <Fact of="Kind">
          {dataset.type === "STREAM" ? "stream" : "table"}
          {dataset.temporary && ", temporary"}
          {dataset.deleted && <span className="removed"> ✕ deleted</span>}
        </Fact>
        <Writing dataset={dataset} />
        <TestsOf tests={dataset.tests ?? null} />
        <Fact of="Physical name" isMono is={dataset.physicalName !== dataset.name && dataset.physicalName} />
        <Fact of="Tags" is={dataset.tags.length > 0 && <Tags names={dataset.tags} />} />
        <Fact of="Owners" is={dataset.owners.length > 0 && <Owners owners={dataset.owners} />} />
        <SetHere of={dataset} />
        <Fact of="Known since" is={<When time={dataset.createdAt} />} />
        <Fact of="Version" isMono is={dataset.currentVersion} />
      </dl>
    </section>
  );
}

function Writing({ dataset: { id, lastModifiedAt, lastWrittenBy, stale } }: { dataset: Dataset }) {
  const marks = useOldData();
  return (
    <>
      <Fact of="Written" is={<Written time={lastModifiedAt} freshness={marks?.get(datasetId(id))} />} />
      {lastWrittenBy && (
        <Fact of="By">
          <JobLink job={lastWrittenBy.job} /> <Link href={link("run", { id: lastWrittenBy.runId })}>run</Link>
        </Fact>
      )}
      {stale && (
        <Fact of="State">
          <Stale />: who wrote it last does so no more
        </Fact>
      )}
    </>
  );
}
