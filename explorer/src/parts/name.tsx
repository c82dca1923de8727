/** A name that breaks between its parts, where a line ends. */

import { Fragment } from "react";

export function Name({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[._/:=-])/).map((part, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
