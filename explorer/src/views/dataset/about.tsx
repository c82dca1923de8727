/** The facts of a dataset: who wrote it when, how its tests are, whose it is, its version. */

import { Link } from "wouter";

import type { Dataset } from "../../api/queries";
import { SetHere } from "../../parts/edit";
import { Fact } from "../../parts/fact";
import { JobLink, When } from "../../parts/frame";
import { useOldData, Written } from "../../parts/old-data";
import { SignOf } from "../../parts/signs";
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
        {dataset.physicalName !== dataset.name && (
          <Fact of="Physical name" isMono>
            {dataset.physicalName}
          </Fact>
        )}
        {dataset.tags.length > 0 && (
          <Fact of="Tags">
            <Tags names={dataset.tags} />
          </Fact>
        )}
        {dataset.owners.length > 0 && (
          <Fact of="Owners">
            <Owners owners={dataset.owners} />
          </Fact>
        )}
        <SetHere of={dataset} />
        <Fact of="Known since">
          <When time={dataset.createdAt} />
        </Fact>
        {dataset.currentVersion && (
          <Fact of="Version" isMono>
            {dataset.currentVersion}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Writing({ dataset: { id, lastModifiedAt, lastWrittenBy, stale } }: { dataset: Dataset }) {
  const marks = useOldData();
  return (
    <>
      <Fact of="Written">
        <Written time={lastModifiedAt} freshness={marks?.get(datasetId(id))} />
      </Fact>
      {lastWrittenBy && (
        <Fact of="By">
          <JobLink job={lastWrittenBy.job} /> <Link href={link("run", { id: lastWrittenBy.runId })}>run</Link>
        </Fact>
      )}
      {stale && (
        <Fact of="State">
          <span className="state stale">
            <SignOf of="stale" />
            stale
          </span>
          : who wrote it last does so no more
        </Fact>
      )}
    </>
  );
}
