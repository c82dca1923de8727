/** Results of tests: how many fail, and each with what it expected. */

import type { TestResult } from "../api/queries";
import { plural } from "../model/format";
import type { Item } from "../model/graph";
import { Fact } from "./controls";
import { When } from "./frame";
import { SignOf, Stale, StateOf } from "./signs";

/** The number of tests that fail, with a sign; nothing where all pass. */
export function FailingTests({ tests }: Pick<Item, "tests">) {
  if (!tests || tests.failed + tests.warned === 0) return null;
  if (tests.failed > 0)
    return (
      <span className="state removed">
        <SignOf of="failed" />
        {plural(tests.failed, "test fails", "tests fail")}
      </span>
    );
  return <Stale>{plural(tests.warned, "test warns", "tests warn")}</Stale>;
}

/** The failing tests, or that all pass. */
export function TestsOf({ tests }: Pick<Item, "tests">) {
  if (!tests) return null;
  const bad = tests.warned + tests.failed;
  return (
    <Fact of="Tests">
      {bad > 0 ? <FailingTests tests={tests} /> : <StateOf state="COMPLETED">pass</StateOf>}{" "}
      <span className="muted">of {tests.passed + bad}</span>
    </Fact>
  );
}

/** What a test is about: its name, or its type and column. */
export const nameOfTest = ({ name, type, column }: TestResult) => name ?? [type, column].filter(Boolean).join(" of ");

export function Outcome({ result }: { result: TestResult }) {
  if (result.outcome === "PASSED") return <StateOf state="COMPLETED">passed</StateOf>;
  if (result.outcome === "WARNED") return <Stale>warned</Stale>;
  return <StateOf state="FAILED" />;
}

/** Each result in a line. */
export function TestList({ results }: { results: readonly TestResult[] }) {
  return (
    <ul className="plain">
      {results.map((result, index) => (
        <li key={index}>
          <Outcome result={result} /> <span className="mono">{nameOfTest(result)}</span>{" "}
          {result.actual !== null && (
            <span>
              {result.actual}
              {result.expected !== null && `, expected ${result.expected}`}{" "}
            </span>
          )}
          <span className="muted">
            <When time={result.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
