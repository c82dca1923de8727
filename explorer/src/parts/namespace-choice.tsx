/** The choice of a namespace, for lists that show one of them. */

import { useQuery } from "@tanstack/react-query";

import { NAMESPACES } from "../api/queries";

export function NamespaceChoice({
  value,
  none,
  choose,
}: {
  value: string;
  none: string;
  choose: (namespace: string) => void;
}) {
  const { data } = useQuery(NAMESPACES);
  const names = data?.namespaces.map(({ name }) => name) ?? [];
  return (
    <select className="field" aria-label="namespace" value={value} onChange={(event) => choose(event.target.value)}>
      <option value="">{none}</option>
      {[...new Set([...names, ...(value ? [value] : [])])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
