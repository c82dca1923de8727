/** What needs somebody: jobs that fail, by what waits for them; then jobs that were aborted, or run. */

import type { ShortJob } from "../../api/list-queries";
import { Select } from "../../parts/controls";
import { Loaded } from "../../parts/frame";
import { mine, useMine } from "../../parts/mine";
import { BrokenJobs } from "./broken";
import { jobsIn, namesOf, StartList, useAllBroken, useBroken, useOthers } from "./jobs";
import { OtherJobs } from "./others";

export function WorkList() {
  const broken = useBroken();
  const others = useOthers();
  const { owner } = useMine();
  return (
    <section className="card" aria-label="work">
      <div className="actions">
        <h2>Broken</h2>
        <OwnerChoice jobs={[...(broken.data?.broken ?? []).map(({ data }) => data), ...jobsIn(others.data)]} />
      </div>
      <Loaded of={broken} rows={5}>
        {(report) => <BrokenJobs report={report} owner={owner} />}
      </Loaded>
      <StartList of={others} rows={3}>
        {(work) => <OtherJobs work={work} owner={owner} />}
      </StartList>
    </section>
  );
}

/** The choice of an owner; the browser keeps it. */
function OwnerChoice({ jobs }: { jobs: readonly ShortJob[] }) {
  const { owner } = useMine();
  const all = useAllBroken();
  const known = [...jobs, ...(all.data?.broken ?? []).map(({ data }) => data)].flatMap(namesOf);
  if (known.length === 0 && !owner) return null;
  return (
    <Select look="field push" label="owner" none="all owners" value={owner} among={known.sort()} choose={mine.choose} />
  );
}
