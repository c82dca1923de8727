/** The changes of a schema in a line. */

import { type FieldChange, writeChange } from "../model/schema-change";

export const SchemaChanges = ({ changes }: { changes: readonly FieldChange[] }) => (
  <span className="mono">
    {changes.map((change) => (
      <span key={change.name} className={change.change}>
        {writeChange(change)}{" "}
      </span>
    ))}
  </span>
);
