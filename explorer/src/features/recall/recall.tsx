/** The dataset versions made of a load: of a run with its child runs, or of a version. */

import { Link } from "wouter";
import { call, type ResponseOf } from "../../api/client";
import { toCsv } from "../../model/csv";
import { plural } from "../../model/format";
import { Downloads } from "../../parts/export";
import { Asked, NodeLink, useAddress, useTitle } from "../../parts/frame";
import { type ColumnOf, LongTable, times } from "../../parts/table";
import { datasetId } from "../../url/ids";
import { link } from "../../url/state";

const PATH = "/api/v1/reports/recall";
type Version = ResponseOf<typeof PATH>["versions"][number];

export function RecallView() {
  useTitle("What is made of this");
  const { run, node } = useAddress("run", "node");
  return (
    <div className="page">
      <h1>What is made of this</h1>
      <p className="mono">{run || node}</p>
      <Asked query={call<typeof PATH>(PATH, run ? { runId: run } : { nodeId: node })}>
        {({ versions, cut }) => (
          <section className="card">
            <div className="actions">
              <b role="status">{plural(versions.length, "version")}</b>
              <Downloads name="recall" csv={() => csvOf(versions)} />
            </div>
            {cut.map((text) => (
              <p key={text} className="changed">
                ~ {text}
              </p>
            ))}
            <LongTable label="versions" columns={COLUMNS} rows={versions} />
          </section>
        )}
      </Asked>
    </div>
  );
}

const textOf = (entry: unknown) =>
  typeof entry === "object"
    ? Object.entries(entry ?? {})
        .map((pair) => pair.join("="))
        .join("/")
    : String(entry);
const partOf = ({ part }: Version) =>
  Object.values(part ?? {})
    .flat()
    .map(textOf)
    .join("; ");

const csvOf = (versions: readonly Version[]) =>
  toCsv(
    ["grade", "namespace", "name", "version", "part", "owners", "job", "run", "created", "repairedBy"],
    versions.map((of) => [
      ...[of.grade, of.namespace, of.name, of.version, partOf(of), of.owners.join("; ")],
      ...[of.job, of.run, of.createdAt, of.repairedBy],
    ]),
  );

const runLink = (run: string | null) => run && <Link href={link("run", { id: run })}>{run.slice(0, 8)}</Link>;

const COLUMNS: ColumnOf<Version>[] = [
  { name: "Holds it", by: ({ grade }) => grade },
  {
    name: "Dataset",
    by: ({ name }) => name,
    cell: (of) => <NodeLink id={datasetId(of)} name={of.name} where={of.namespace} />,
  },
  { name: "Version", look: "mono", cell: ({ version }) => version.slice(0, 8) },
  { name: "Part", cell: partOf },
  { name: "Owners", by: ({ owners }) => owners.join(), cell: ({ owners }) => owners.join(", ") },
  times("Made", ({ createdAt }) => createdAt),
  { name: "By run", look: "mono", cell: ({ run }) => runLink(run) },
  { name: "Replaced by", look: "mono", cell: ({ repairedBy }) => runLink(repairedBy) },
];
