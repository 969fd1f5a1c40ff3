/**
 * Holds the range of a list. A timeframe that reaches to now gets a new end every five minutes, and with it another list; the held range
 * changes only with `key`, or when the reader loads new rows.
 */
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useState } from 'react';

export function useHeldRange(range: Range, key: string): [held: Range, renew: () => void] {
  // Another start is another timeframe or day.
  const name = `${key}|${range.start}`;
  const [held, setHeld] = useState({ name, range });
  if (held.name !== name) setHeld({ name, range });
  return [held.name === name ? held.range : range, () => setHeld({ name, range })];
}
