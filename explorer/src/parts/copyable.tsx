/** A text in full, with a button that copies it. */

import { useEffect, useRef, useState } from "react";
import { Button } from "./controls";

const SHOWN_MS = 3_000;

export function Copyable({ name, text }: { name: string; text: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [note, setNote] = useState("");
  useEffect(() => {
    if (!note) return;
    const timer = setTimeout(() => setNote(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [note]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setNote("Copied");
    } catch {
      // Without HTTPS, or by the reader's choice, a page may not write there.
      getSelection()?.selectAllChildren(shown.current!);
      setNote("Selected: copy it by the keyboard");
    }
  };
  return (
    <div className="copyable">
      <pre ref={shown} role="group" aria-label={name} tabIndex={0}>
        {text}
      </pre>
      <div className="actions">
        <Button aria-label={`Copy: ${name}`} press={() => void copy()}>
          Copy
        </Button>
        <span role="status" className="small muted">
          {note}
        </span>
      </div>
    </div>
  );
}
