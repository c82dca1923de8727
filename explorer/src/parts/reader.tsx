/** The reader: the rights of the token, the dialog for the token, and the button in the header. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { type Door, Failure, type Feature, tokens } from "../api/client";
import { ME, type Me, shownIdQuery } from "../api/queries";
import { daysUntil, plural } from "../model/format";
import { Button, Menu } from "./controls";
import { mine } from "./mine";

const useTokenState = () => useSyncExternalStore(tokens.subscribe, tokens.getState);
const useToken = () => useSyncExternalStore(tokens.subscribe, tokens.get);

export function TokenDialog() {
  const state = useTokenState();
  const dialog = useRef<HTMLDialogElement>(null);
  const [token, setToken] = useState("");
  const [keep, setKeep] = useState(false);
  useEffect(() => {
    if (state === "asked for" && !dialog.current?.open) dialog.current?.showModal();
    if (state !== "asked for") dialog.current?.close();
  }, [state]);
  const send = (event: React.FormEvent) => {
    event.preventDefault();
    tokens.set(token.trim(), keep);
    setToken("");
  };
  return (
    <dialog ref={dialog} aria-label="token" onCancel={tokens.decline}>
      {tokens.door && <SignIn door={tokens.door} />}
      <h1>{tokens.door ? "Or use a token" : "This API needs a token"}</h1>
      <p>
        {tokens.get()
          ? "Give another one. If the API refused the last one, that is unknown, expired or revoked."
          : "Whoever runs the API makes one, in a checkout, with"}
      </p>
      {!tokens.get() && <pre>.venv/bin/headwater token create --scope read --all-namespaces</pre>}
      <form onSubmit={send}>
        <label>
          Token{" "}
          <input
            className="field"
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <label>
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} /> Keep it until
          this tab is closed. Otherwise a reload needs it again.
        </label>
        <div className="actions">
          <Button main disabled={!token.trim()}>
            Use it
          </Button>
          <Button type="button" press={tokens.decline}>
            Not now
          </Button>
        </div>
      </form>
    </dialog>
  );
}

function SignIn({ door }: { door: Door }) {
  const [failure, setFailure] = useState(door.failure);
  return (
    <>
      <h1>Sign in to see the lineage</h1>
      {failure && <p role="alert">{failure}</p>}
      <div className="actions">
        <Button main type="button" press={() => door.signIn().then(() => setFailure(door.failure))}>
          Sign in at {door.issuer}
        </Button>
      </div>
    </>
  );
}

/** The button of the header: who the reader is, or the way to say so; nothing where the API needs no token. */
export function Account() {
  const state = useTokenState(),
    token = useToken();
  const { me } = useReader();
  if (!token && state === "none needed") return null;
  if (!token || !me) return <Button press={tokens.ask}>Sign in</Button>;
  if (tokens.door?.isKnown) return <SignedIn me={me} door={tokens.door} />;
  const namespaces = me.namespaces.join(", ");
  const left = me.expiresAt ? [`${plural(daysUntil(me.expiresAt, Date.now()), "day")} left`] : [];
  const forget = () => {
    tokens.set("", false);
    mine.leave();
  };
  return (
    <Menu
      look="of-account"
      hint={`${me.caller ?? "token"}\nnamespaces: ${namespaces}`}
      title={[namespaces.slice(0, 24), me.scopes.join(", "), ...left].join(" · ")}
      choices={[
        ["Change the token", tokens.ask],
        ["Forget the token", forget],
      ]}
    />
  );
}

/** A signed-in reader: her name, her rights, the way out. */
function SignedIn({ me, door }: { me: Me; door: Door }) {
  const leave = () => {
    mine.leave();
    void door.signOut();
  };
  return (
    <Menu
      look="of-account"
      hint={`signed in at ${door.issuer}`}
      title={(me.caller ?? "").replace(/^(user|client):/, "")}
      choices={[["Sign out", leave]]}
    >
      <p>
        {me.scopes.length
          ? `${me.scopes.join(", ")} in ${[...me.namespaces, ...me.roots].join(", ")}`
          : "You may see nothing yet: ask whoever runs the API for a grant."}
      </p>
    </Menu>
  );
}

/** The only name in a list of names; none where the list has beginnings, or several. */
const only = (names: readonly string[]) =>
  names.length === 1 && names[0] && !names[0].endsWith("*") ? names[0] : undefined;

const covers = (pattern: string, name: string) =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

export type Reader = ReturnType<typeof useReader>;

export function useReader() {
  const { data, error } = useQuery({ ...ME, staleTime: Infinity });
  return {
    me: data,
    /** False while it is not known, and while a token is missing. */
    isKnown: data !== undefined || (error !== null && !(error instanceof Failure && error.status === 401)),
    can: (feature: Feature) => !data || data.features.includes(feature),
    /** True if the reader is known to have all features, in a namespace. */
    mayWrite: (features: readonly Feature[], namespace: string) =>
      data?.scopes.includes("write") === true &&
      features.every((feature) => data.features.includes(feature)) &&
      data.writes.some((name) => covers(name, namespace)),
    /** The only namespace, and the only root, of the token: queries over all name them. */
    namespace: data && only(data.namespaces),
    root: data && only(data.roots),
  };
}

/** Go on to the id in responses, if a view does not show the node of its address; versions stay. */
export function useOwnName(node: string, isShown: boolean, linkTo: (node: string) => string) {
  const [, navigate] = useLocation();
  const isRequested = !isShown && node.startsWith("dataset") && !node.includes("#");
  const { data } = useQuery({ ...shownIdQuery(node), enabled: isRequested });
  const id = data?.nodeId;
  const other = isRequested && id && id !== node ? linkTo(id) : "";
  useEffect(() => {
    if (other) navigate(other, { replace: true });
  }, [other, navigate]);
}
