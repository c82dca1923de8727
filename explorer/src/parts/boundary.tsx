/** What keeps a failure in one view: the header, the search and the keys stay. */

import { Component, type ComponentType, type ErrorInfo, lazy, type ReactNode } from "react";
import type { Feature } from "../api/client";
import { Button } from "./controls";

/** A path, its view, and the operation without which the view shows nothing. */
export type ViewAt = readonly [string, ComponentType, Feature?];

const RELOADED = "headwater.reloaded";
// A second failure within this time is no effect of a new version.
const RELOAD_AFTER_MS = 60_000;

/** A view's file is not there: a newer version of the page was deployed. */
class MissingFile extends Error {}

/** Load a view at its first use. Where its file is gone, the page is loaded anew, once. */
export function lazyView<K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K): ComponentType {
  return lazy<ComponentType>(async () => {
    try {
      return { default: (await load())[name] };
    } catch (error) {
      if (Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < RELOAD_AFTER_MS)
        throw new MissingFile(String(error));
      sessionStorage.setItem(RELOADED, String(Date.now()));
      location.reload();
      return new Promise<never>(() => undefined);
    }
  });
}

interface Props {
  /** Where the page is: at another place the view is tried again. */
  place: string;
  children: ReactNode;
}

interface State {
  error: Error | null;
  place: string;
}

export class Boundary extends Component<Props, State> {
  override state: State = { error: null, place: this.props.place };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { place, error: null };
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo): void {
    this.details = `${error.stack ?? error.message}\n${componentStack ?? ""}\n${location.href}`;
  }

  private details = "";

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    const isMissing = error instanceof MissingFile;
    return (
      <div className="failure" role="alert">
        <h2>{isMissing ? "A new version was deployed" : "This view could not be drawn"}</h2>
        <p>{isMissing ? "A file of the version that this tab has loaded is gone." : error.message}</p>
        <div className="actions">
          <Button main press={() => location.reload()}>
            Reload
          </Button>
          <Button press={() => void navigator.clipboard.writeText(this.details)}>Copy details</Button>
        </div>
      </div>
    );
  }
}
