/** Arrivals while the portal is open; those from before are not announced. */
import { useEffect, useRef } from 'react';

/** `items` are undefined until they are read. */
export function useAnnounced<T>(items: readonly T[] | undefined, keyOf: (item: T) => string, announce: (item: T) => void): void {
  const known = useRef<Set<string>>(undefined);
  useEffect(() => {
    if (!items) return;
    const before = known.current;
    known.current = new Set([...(before ?? []), ...items.map(keyOf)]);
    if (before) for (const item of items.filter((each) => !before.has(keyOf(each)))) announce(item);
  }, [items, keyOf, announce]);
}
