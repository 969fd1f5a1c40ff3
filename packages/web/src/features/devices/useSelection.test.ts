import type { Device } from '@parapet/contract/devices.ts';
import { expect, test } from 'vitest';
import { mostSelected, selectionOf } from './useSelection.ts';

const device = (uuid: string) => ({ uuid }) as Device;

test('what was chosen on another page stays until it is taken away', () => {
  const first = selectionOf(new Map(), new Set(['a', 'b']), [device('a'), device('b'), device('c')]);
  expect([...first.keys()]).toEqual(['a', 'b']);
  const second = selectionOf(first, new Set(['a', 'b', 'x']), [device('x'), device('y')]);
  expect([...second.keys()]).toEqual(['a', 'b', 'x']);
  expect([...selectionOf(second, new Set(['x']), [device('x')]).keys()]).toEqual(['x']);
});

test('never more than one call can carry', () => {
  const rows = Array.from({ length: mostSelected + 5 }, (_, index) => device(String(index)));
  expect(selectionOf(new Map(), new Set(rows.map((row) => row.uuid)), rows).size).toBe(mostSelected);
});
