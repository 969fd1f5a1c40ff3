import { expect, test, vi } from 'vitest';
import { tableOf } from './statement-table.ts';

test('names the first table, and keeps no long text', () => {
  const sets = vi.spyOn(Map.prototype, 'set');
  const short = 'select 1 from "tags" where true';
  const long = `select ${'1, '.repeat(1_000)} 2 from alerts`;
  expect([short, long, long].map(tableOf)).toEqual(['tags', 'alerts', 'alerts']);
  const texts = sets.mock.calls.map(([text]) => text);
  sets.mockRestore();
  expect(texts).toContain(short);
  expect(texts).not.toContain(long);
});
