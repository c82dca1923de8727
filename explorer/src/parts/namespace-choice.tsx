/** The choice of a namespace, for lists that show one of them. */

import { useQuery } from "@tanstack/react-query";

import { NAMESPACES } from "../api/queries";
import { Select } from "./controls";

export function NamespaceChoice({ value, choose }: { value: string; choose: (namespace: string) => void }) {
  const { data } = useQuery(NAMESPACES);
  const names = data?.namespaces.map(({ name }) => name) ?? [];
  return <Select label="namespace" none="all namespaces" value={value} among={names} choose={choose} />;
}
