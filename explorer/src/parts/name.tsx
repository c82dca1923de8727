/** A name that breaks between its parts, where a line ends. */

import { Fragment } from "react";

import { BREAKS } from "../model/titles";

export function Name({ text }: { text: string }) {
  return (
    <>
      {text.split(BREAKS).map((part, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
