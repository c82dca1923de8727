const KEYS: readonly [string, string][] = [
  ["/", "search"],
  ["Shift + Enter", "what breaks, on a column that the search found"],
  ["← → ↑ ↓", "along arrows, and among neighbours"],
  ["↑ ↓", "from change to change, beside the panel Changes"],
  ["Enter", "select, then into the panel"],
  ["e  E", "open downstream, upstream"],
  ["Shift + click", "only the paths between two nodes"],
  ["l", "list beside the picture"],
  ["c", "tables to columns, and back"],
  ["i", "what a column depends on indirectly"],
  ["f", "fit all into view"],
  ["[  ]", "a change back, a change on"],
  [".", "now"],
  ["Esc", "one step back"],
  ["h", "start"],
];

export function KeysDialog({ dialog }: { dialog: React.RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-label="keys">
      <h1>Keys</h1>
      <dl className="facts">
        {KEYS.map(([key, does]) => [
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={does}>{does}</dd>,
        ])}
      </dl>
      <p className="muted small">
        Times are UTC; the time in your zone stands in their titles. Drawn with React Flow (MIT).
      </p>
      <form method="dialog">
        <button className="button">Close</button>
      </form>
    </dialog>
  );
}
