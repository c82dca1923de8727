/** Return the items of each key, in their order. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.get(keyOf(item))?.push(item) ?? groups.set(keyOf(item), [item]);
  return groups;
}
