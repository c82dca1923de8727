/** Controls and heads that several views share. */

import type { ReactNode } from "react";
import { Link } from "wouter";

import { SignOf } from "./signs";

interface ChoicesProps<T extends string> {
  label: string;
  /** The values, each with its title. */
  among: readonly (readonly [T, string])[];
  value: T | string;
  choose: (value: T) => void;
}

/** Buttons in a row, the chosen value pressed. */
export function Choices<T extends string>({ label, among, value, choose }: ChoicesProps<T>) {
  return (
    <div className="group" role="group" aria-label={label}>
      {among.map(([own, title]) => (
        <button key={own} className="button" aria-pressed={value === own} onClick={() => choose(own)}>
          {title}
        </button>
      ))}
    </div>
  );
}

interface FilterProps {
  label: string;
  value: string;
  set: (text: string) => void;
  hint?: string;
  look?: string;
}

export const Filter = ({ label, value, set, hint = "filter", look = "" }: FilterProps) => (
  <input
    className={`field ${look}`}
    placeholder={hint}
    aria-label={label}
    value={value}
    onChange={(event) => set(event.target.value)}
  />
);

/** The head of a table; numbers stand at the right. */
export const Heads = ({ names, numbers = [] }: { names: readonly string[]; numbers?: readonly string[] }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} className={numbers.includes(name) ? "number" : ""}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

export const CloseButton = ({ close }: { close: () => void }) => (
  <button className="icon close" aria-label="close" onClick={close}>
    <SignOf of="close" />
  </button>
);

interface PressProps {
  press: () => void;
  children: ReactNode;
}

export const Button = ({ press, ...rest }: PressProps) => <button className="button" onClick={press} {...rest} />;
export const Chip = ({ press, ...rest }: PressProps) => <button className="chip" onClick={press} {...rest} />;

interface LinkProps {
  to: string;
  title?: string;
  children: ReactNode;
}

export const LinkButton = ({ to, ...rest }: LinkProps) => <Link className="button" href={to} {...rest} />;

/** A link whose text is an id. */
export const MonoLink = ({ to, ...rest }: LinkProps) => <Link className="mono" href={to} {...rest} />;

/** A title with a number. */
export const Counted = ({ title, of }: { title: ReactNode; of: ReactNode }) => (
  <h2>
    {title} <span className="muted">{of}</span>
  </h2>
);
