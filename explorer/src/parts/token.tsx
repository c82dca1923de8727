/** Dialog for the reader's token, shown when the API needs one; the view keeps its place. */

import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import { tokens } from "../api/client";

export function TokenDialog() {
  const needed = useSyncExternalStore(tokens.subscribe, tokens.isNeeded);
  const dialog = useRef<HTMLDialogElement>(null);
  const [token, setToken] = useState("");
  const [keep, setKeep] = useState(false);
  useEffect(() => {
    if (needed && !dialog.current?.open) dialog.current?.showModal();
  }, [needed]);
  const send = (event: React.FormEvent) => {
    event.preventDefault();
    dialog.current?.close();
    tokens.set(token.trim(), keep);
    setToken("");
  };
  return (
    <dialog ref={dialog} aria-label="token">
      <h1>This API needs a token</h1>
      <p>{tokens.get() ? "It did not take the one it was sent: it is unknown, expired or revoked." : "Whoever runs it makes one, in a checkout, with"}</p>
      {!tokens.get() && <pre>.venv/bin/headwater token create --scope read --all-namespaces</pre>}
      <form onSubmit={send}>
        <label>Token <input className="field" type="password" autoComplete="off" value={token} onChange={(event) => setToken(event.target.value)} /></label>
        <label><input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} /> Keep it until this tab is closed. Otherwise a reload needs it again.</label>
        <div className="actions"><button className="button main" disabled={!token.trim()}>Use it</button><button type="button" className="button" onClick={() => dialog.current?.close()}>Not now</button></div>
      </form>
    </dialog>
  );
}
