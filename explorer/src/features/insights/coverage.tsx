/** How much of what jobs do is reported: in all, by namespace, by producer, and job by job. */

import { useLocation } from "wouter";
import { count, plural } from "../../model/format";
import { Button } from "../../parts/controls";
import { AllNamespaces, Asked, TitleOf, useAddress, useTitle } from "../../parts/frame";
import { link } from "../../url/state";
import { type Coverage, coverage } from "./queries";
import { Jobs, LEVELS, Namespaces, Producers, share } from "./tables";

export function CoverageView() {
  useTitle("Coverage");
  const { namespace, level } = useAddress("namespace", "level");
  return (
    <div className="page">
      <TitleOf title="Coverage" namespace={namespace} />
      <Asked query={coverage(namespace)}>
        {(report) => (
          <>
            <p className="muted">
              {plural(report.total, "job")}
              {report.truncated && ", the first of more"}; they report the columns of{" "}
              {report.outputs ? share(report, " datasets that they write") : "no dataset"}.
              {report.incompleteJobs > 0 &&
                ` The lineage of ${plural(report.incompleteJobs, "job")} is incomplete: the producer could not read all of it.`}
              <AllNamespaces view="coverage" namespace={namespace} />
            </p>
            <LevelChoice report={report} namespace={namespace} level={level} />
            {!namespace && <Namespaces report={report} level={level} />}
            <Producers report={report} />
            <Jobs report={report} level={level} />
          </>
        )}
      </Asked>
    </div>
  );
}

/** Buttons that keep the jobs of a level; the same button again lets all return. */
function LevelChoice({ report, namespace, level }: { report: Coverage; namespace: string; level: string }) {
  const [, navigate] = useLocation();
  return (
    <div className="actions" role="group" aria-label="what a job reports">
      {LEVELS.map(([name, title, meaning]) => (
        <Button
          key={name}
          title={`These ${meaning}`}
          on={level === name}
          press={() => navigate(link("coverage", { namespace, level: level === name ? "" : name }), { replace: true })}
        >
          {title} {count(report[name])}
        </Button>
      ))}
    </div>
  );
}
