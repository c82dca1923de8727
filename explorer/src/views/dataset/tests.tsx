/** The tests of a dataset: the last result of each, and their history. */

import { useQuery } from "@tanstack/react-query";

import { datasetTestHistory, testsOf } from "../../api/queries";
import { Loaded, Nothing } from "../../parts/frame";
import { TestList } from "../../parts/tests";

const TESTS_MAX = 100;

export function Tests({ node }: { node: string }) {
  const last = useQuery(testsOf(node));
  const history = useQuery(datasetTestHistory(node, TESTS_MAX));
  return (
    <Loaded of={last}>
      {({ tests, truncated }) =>
        tests.length === 0 ? (
          <Nothing title="No result of a test was reported">
            A job reports it in the facet <code>dataQualityAssertions</code>.
          </Nothing>
        ) : (
          <>
            <section className="card">
              <h2>Last results</h2>
              <TestList results={tests} />
              {truncated && <p className="small muted">There are more than are kept.</p>}
            </section>
            <Loaded of={history}>
              {(answer) => (
                <section className="card">
                  <h2>History</h2>
                  <TestList results={answer.tests} />
                  {answer.truncated && <p className="small muted">Older results are not here.</p>}
                </section>
              )}
            </Loaded>
          </>
        )
      }
    </Loaded>
  );
}
