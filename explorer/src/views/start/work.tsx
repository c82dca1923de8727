/** What needs somebody: jobs that fail, by what waits for them; then jobs that were aborted, or run. */

import type { ShortJob } from "../../api/list-queries";
import { Loaded } from "../../parts/frame";
import { mine, useMine } from "../../parts/mine";
import { BrokenJobs } from "./broken";
import { jobsIn, namesOf, useAllBroken, useBroken, useOthers } from "./jobs";
import { StartList } from "./list";
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
  const names = [...new Set([...known, ...(owner ? [owner] : [])])].sort();
  if (names.length === 0) return null;
  return (
    <select
      className="field push"
      aria-label="owner"
      value={owner}
      onChange={(event) => mine.choose(event.target.value)}
    >
      <option value="">all owners</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
