/** Controls and heads of several views. */

import { Link } from "wouter";
import { SignOf } from "./signs";
import "./menu.css";
import { Children, type ComponentProps, Fragment, type MouseEvent, type ReactNode, useId } from "react";

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

type FilterProps = ComponentProps<"input"> & {
  label: string;
  set: (text: string) => void;
  hint?: string;
  look?: string;
};

export const Filter = ({ label, set, hint = "filter", look = "", ...rest }: FilterProps) => (
  <input
    className={`field ${look}`}
    placeholder={hint}
    aria-label={label}
    onChange={(event) => set(event.target.value)}
    {...rest}
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

interface CloseProps {
  close: () => void;
  label?: string;
  look?: string;
  title?: string;
}

export const CloseButton = ({ close, label = "close", look = "close", title }: CloseProps) => (
  <button type="button" className={`icon ${look}`} aria-label={label} title={title} onClick={close}>
    <SignOf of="close" />
  </button>
);

type PressProps = Omit<ComponentProps<"button">, "className" | "onClick"> & {
  press?: (event: MouseEvent) => void;
  /** True of the most likely act of a view. */
  main?: boolean;
  /** Of a switch, whether it is on. */
  on?: boolean;
};

export const Button = ({ press, main, on, ...rest }: PressProps) => (
  <button className={main ? "button main" : "button"} aria-pressed={on} onClick={press} {...rest} />
);
export const Chip = ({ press, on, ...rest }: Omit<PressProps, "main">) => (
  <button className="chip" aria-pressed={on} onClick={press} {...rest} />
);

interface LinkProps {
  to: string;
  title?: string;
  children: ReactNode;
}

export const LinkButton = ({ to, ...rest }: LinkProps) => <Link className="button" href={to} {...rest} />;

/** The most likely way on from a view. */
export const MainLink = ({ to, ...rest }: LinkProps) => <Link className="button main" href={to} {...rest} />;

/** A link whose text is an id. */
export const MonoLink = ({ to, ...rest }: LinkProps) => <Link className="mono" href={to} {...rest} />;

/** Parts with dots between; a null or false part is left out. */
export const Dotted = ({ children }: { children: ReactNode }) =>
  Children.toArray(children).map((part, place) => (
    <Fragment key={place}>
      {place > 0 && " · "}
      {part}
    </Fragment>
  ));

/** A title with a number. */
export const Counted = ({ title, of }: { title: ReactNode; of: ReactNode }) => (
  <h2>
    {title} <span className="muted">{of}</span>
  </h2>
);

interface FactProps {
  of: string;
  isMono?: boolean;
  /** The value; in its place, children of several parts. */
  is?: ReactNode;
  children?: ReactNode;
}

export function Fact({ of, isMono = false, is, children = is }: FactProps) {
  if (children === false || children === null || children === undefined || children === "") return null;
  return (
    <>
      <dt>{of}</dt>
      <dd className={isMono ? "mono" : undefined}>{children}</dd>
    </>
  );
}

/** Values of `tab` in the page's address, with their titles; the first is empty. */
export type TabTitles = readonly [string, string][];

interface TabsProps {
  label?: string;
  of: TabTitles;
  tab: string;
  to: (tab: string) => string;
}

export const Tabs = ({ label = "parts", of, tab, to }: TabsProps) => (
  <nav className="tabs" aria-label={label}>
    {of.map(([value, title]) => (
      <Link key={value} href={to(value)} aria-current={tab === value ? "page" : undefined}>
        {title}
      </Link>
    ))}
  </nav>
);

interface MenuProps {
  title: string;
  hint?: string;
  look?: string;
  /** Acts by their words; each closes the menu. */
  choices?: readonly (readonly [string, () => unknown])[];
  children?: ReactNode;
}

export function Menu({ title, hint, look = "at-button", choices = [], children }: MenuProps) {
  const id = useId();
  return (
    <>
      <Button popoverTarget={id} title={hint}>
        {title}
      </Button>
      <div id={id} popover="auto" className={`menu ${look}`}>
        {children}
        {choices.map(([word, act]) => (
          <button key={word} className="icon" popoverTarget={id} popoverTargetAction="hide" onClick={() => void act()}>
            {word}
          </button>
        ))}
      </div>
    </>
  );
}
