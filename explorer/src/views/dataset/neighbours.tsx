/** Who writes a dataset, how many rows, and who reads it, in one line. */

import "./neighbours.css";

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { foldedLineage, jobRuns } from "../../api/queries";
import { rowsWritten, runsThatWrote } from "../../model/facets";
import { count, plural } from "../../model/format";
import { degreeOf, type Item } from "../../model/graph";
import { completedAt, usualGap } from "../../model/rhythm";
import { Dotted } from "../../parts/controls";
import { pageOf, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { link, mapLink, type Side } from "../../url/state";

const WRITERS_MAX = 3;
const RUNS_MAX = 10;

export function Neighbours({ dataset }: { dataset: { namespace: string; name: string; node: string } }) {
  const { node } = dataset;
  const { data } = useQuery(foldedLineage(node, 0));
  if (!data) return null;
  const jobs = (side: Side) => (data[side].get(node) ?? []).flatMap((id) => data.items.get(id) ?? []);
  const writers = jobs("up"),
    readers = degreeOf(data, node).down;
  const teams = new Set(jobs("down").flatMap(({ owners }) => owners)).size;
  return (
    <p>
      <Dotted>
        {writers.length ? <Writers jobs={writers} dataset={dataset} /> : "No job writes it now"}
        {readers === 0 ? (
          "read by no job"
        ) : (
          <Link href={mapLink({ node, dir: "down" })}>
            read by {plural(readers, "job")}
            {teams > 0 && ` of ${plural(teams, "owner")}`}
          </Link>
        )}
        <Link href={link("impact", { node })}>What breaks</Link>
      </Dotted>
    </p>
  );
}

function Writers({ jobs, dataset }: { jobs: readonly Item[]; dataset: { namespace: string; name: string } }) {
  return (
    <>
      Written by{" "}
      {jobs.slice(0, WRITERS_MAX).map((job, index) => (
        <span key={job.id}>
          {index > 0 && ", "}
          <Link href={pageOf(job.id)}>{job.name}</Link> <StateOf state={job.state} /> <When time={job.touchedAt} />
          {index === 0 && <LastRuns job={job.id} dataset={dataset} isOnly={jobs.length === 1} />}
        </span>
      ))}
      {jobs.length > WRITERS_MAX && ` and ${count(jobs.length - WRITERS_MAX)} more`}
    </>
  );
}

interface Props {
  job: string;
  dataset: { namespace: string; name: string };
  isOnly: boolean;
}

/** How often its only writer writes it, and the rows of the last runs: the newest as a number; the others are bars. */
function LastRuns({ job, dataset, isOnly }: Props) {
  const { data } = useQuery(jobRuns(job, RUNS_MAX));
  const gap = isOnly ? usualGap(completedAt(runsThatWrote(data?.runs ?? [], dataset))) : null;
  const rows = rowsWritten(data?.runs ?? [], dataset);
  if (rows[0] === undefined) return gap && <span className="muted">, usually {gap}</span>;
  const most = Math.max(1, ...rows);
  const said = [...rows].reverse().map(count).join(", ");
  return (
    <>
      {gap && <span className="muted">, usually {gap}</span>}, {plural(rows[0], "row")}{" "}
      <span className="spark" role="img" aria-label={`rows of the last runs, oldest first: ${said}`} title={said}>
        {[...rows].reverse().map((value, place) => (
          <i key={place} style={{ height: `${15 + 85 * (value / most)}%` }} />
        ))}
      </span>
    </>
  );
}
