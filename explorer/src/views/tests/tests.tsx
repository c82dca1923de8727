/** The tests of data whose last result is a failure: the worst first, then the latest. */

import { Link } from "wouter";
import { failingTests, TESTS_MAX } from "../../api/list-queries";
import type { TestResult } from "../../api/queries";
import { plural } from "../../model/format";
import { nameOfTest, Outcome } from "../../parts/facts";
import { AllNamespaces, Asked, NodeLink, TitleOf, useAddress, useTitle } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable, NONE, times } from "../../parts/table";
import { link } from "../../url/state";

export function TestsView() {
  useTitle("Failing tests");
  const { namespace } = useAddress("namespace");
  return (
    <div className="page">
      <TitleOf title="Failing tests" namespace={namespace} />
      <Asked query={failingTests(namespace)}>
        {({ tests, totalCount, truncated }) =>
          totalCount === 0 ? (
            <p className="muted">
              <StateOf state="COMPLETED">No test’s last result is a failure.</StateOf>
            </p>
          ) : (
            <>
              <p className="muted">
                {plural(totalCount, "test fails or warns", "tests fail or warn")}
                {(truncated || totalCount > TESTS_MAX) && `; the first ${tests.length} are here, and there may be more`}
                .
                <AllNamespaces view="tests" namespace={namespace} />
              </p>
              <section className="card">
                <LongTable label="failing tests" columns={COLUMNS} rows={tests} keyOf={keyOf} />
              </section>
            </>
          )
        }
      </Asked>
    </div>
  );
}

const keyOf = ({ nodeId, type, column, name }: TestResult) => JSON.stringify([nodeId, type, column, name]);

const pageOfTests = (node: string) =>
  node.startsWith("dataset:") ? link("dataset", { node, tab: "tests" }) : link("job", { node });

const COLUMNS: ColumnOf<TestResult>[] = [
  { name: "Result", by: ({ outcome }) => outcome, cell: (result) => <Outcome result={result} /> },
  {
    name: "Test",
    by: nameOfTest,
    cell: (result) => (
      <span className="mono" title={result.description ?? undefined}>
        {nameOfTest(result)}
      </span>
    ),
  },
  {
    name: "Of",
    by: ({ nodeId }) => nodeId,
    cell: ({ nodeId }) => <NodeLink id={nodeId} href={pageOfTests(nodeId)} />,
  },
  { name: "Column", look: "mono", by: ({ column }) => column ?? "" },
  { name: "Got", by: ({ actual }) => actual ?? "" },
  { name: "Expected", by: ({ expected }) => expected ?? "" },
  times("At", ({ at }) => at),
  { name: "Run", cell: ({ runId }) => (runId ? <Link href={link("run", { id: runId })}>run</Link> : NONE) },
];
