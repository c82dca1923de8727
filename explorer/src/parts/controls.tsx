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

interface SelectProps {
  label: string;
  value: string;
  /** The text of no choice; without it, a value is always chosen. */
  none?: string;
  /** The values, each with its title where that is another text. */
  among: readonly (string | readonly [string, string])[];
  choose: (value: string) => void;
  look?: string;
}

/** A list to choose from; a value of an address is in it, though the list does not know it. */
export function Select({ label, value, none, among, choose, look = "field" }: SelectProps) {
  const titles = new Map(among.map((entry) => (typeof entry === "string" ? [entry, entry] : entry)));
  if (value && !titles.has(value)) titles.set(value, value);
  return (
    <select className={look} aria-label={label} value={value} onChange={(event) => choose(event.target.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {[...titles].map(([own, title]) => (
        <option key={own} value={own}>
          {title}
        </option>
      ))}
    </select>
  );
}

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
