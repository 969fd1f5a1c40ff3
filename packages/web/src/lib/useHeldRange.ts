/**
 * A timeframe that reaches to now gets a new end every five minutes, and with it another list. This holds the range that the list was
 * asked for until something else changes (`key`) or the reader asks for what is new.
 */
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useState } from 'react';

export function useHeldRange(range: Range, key: string): [held: Range, renew: () => void] {
  // A range with another start is another timeframe, or another day.
  const name = `${key}|${range.start}`;
  const [held, setHeld] = useState({ name, range });
  if (held.name !== name) setHeld({ name, range });
  return [held.name === name ? held.range : range, () => setHeld({ name, range })];
}
