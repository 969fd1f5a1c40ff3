import { eventsApi } from '@parapet/contract/events.ts';
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import { expect, test } from 'vitest';
import { parseSearch, type Search } from '../../lib/address.ts';
import { outcomeHref } from '../../lib/intake.ts';
import { afterOf, eventList } from './eventSearch.ts';
import { deadLetterList, intakeList, intakeRows, wordsOf } from './intakeRows.ts';

const day = (date: string, client: number, more: Partial<ReconciliationDay> = {}): ReconciliationDay => ({
  date,
  clientOrganizationID: client,
  clientOrganizationName: `Client ${client}`,
  received: 17,
  stored: 7,
  duplicate: 3,
  dropped: [
    { reason: 'too-long', count: 3 },
    { reason: 'deactivated organisation', count: 2 },
  ],
  dead: 2,
  raised: 0,
  shown: 0,
  folded: 0,
  suppressed: 0,
  autoClosed: 0,
  inCase: 0,
  isBalanced: true,
  ...more,
});
const days = [day('2026-11-06', 10), day('2026-11-05', 10), day('2026-11-05', 11, { dead: 0, dropped: [], received: 10 })];
const sumOf = (rows: { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);
const outcomesIn = (search: Search) => intakeList.read(search).outcome;
const asideSearchIn = (search: Search) => {
  const { reason, ...place } = deadLetterList.read(search);
  return { reason, after: afterOf(place) };
};
const searchOf = (address: string) => parseSearch(address.slice(address.indexOf('?')));

test('returns rows that add up to the selected number', () => {
  expect(sumOf(intakeRows(days, []))).toBe(44);
  expect(sumOf(intakeRows(days, ['stored']))).toBe(21);
  expect(sumOf(intakeRows(days, ['duplicate']))).toBe(9);
  expect(sumOf(intakeRows(days, ['dropped']))).toBe(10);
  expect(sumOf(intakeRows(days, ['dead']))).toBe(4);
  const rows = intakeRows(days, ['dropped', 'dead']);
  expect(rows.map((row) => [row.date, row.clientOrganizationID, wordsOf(row), row.count])).toEqual([
    ['2026-11-06', 10, 'Dropped: A line too long', 3],
    ['2026-11-06', 10, 'Dropped: deactivated organisation', 2],
    ['2026-11-06', 10, 'Unprocessed', 2],
    ['2026-11-05', 10, 'Dropped: A line too long', 3],
    ['2026-11-05', 10, 'Dropped: deactivated organisation', 2],
    ['2026-11-05', 10, 'Unprocessed', 2],
  ]);
  const all = intakeRows(days, []);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
});

test('parses the links of reconciliation numbers', () => {
  const where = { client: 10, timeframe: 'October', date: '2026-10-01..2026-10-31' };
  expect(outcomesIn(searchOf(outcomeHref('received', where)))).toEqual([]);
  expect(outcomesIn(searchOf(outcomeHref('duplicate', where)))).toEqual(['duplicate']);
  expect(outcomesIn(searchOf(outcomeHref('dropped', where)))).toEqual(['dropped']);
  expect(eventList.read(searchOf(outcomeHref('stored', where))).by).toBe('arrived');
  expect(searchOf(outcomeHref('dead', where))).toEqual({
    client: '10',
    timeframe: 'October',
    on: '2026-10-01..2026-10-31Z',
    tab: 'aside',
  });
});

test('ignores invalid addresses', () => {
  expect(outcomesIn({ outcome: 'dropped,x,stored,dropped' })).toEqual(['stored', 'dropped']);
  expect(outcomesIn({ outcome: 'received' })).toEqual([]);
  expect(eventList.read({ by: 'ARRIVED' }).by).toBe('happened');
  const hostile = { reason: `${'x'.repeat(101)},not-json,not-json`, before: '2026-11-01T10:30:00Z', beforeID: '12; drop' };
  expect(asideSearchIn(hostile)).toEqual({ reason: ['not-json'], after: { before: '2026-11-01T10:30:00.000Z' } });
  expect(asideSearchIn({ ...hostile, before: 'never' }).after).toBeUndefined();
});

test('builds page positions that the contract accepts', () => {
  const { after } = asideSearchIn({ before: '2026-11-01T10:30:00Z', beforeID: '99999999999' });
  expect(eventsApi.keptAside.query.safeParse({ ...after, reason: ['not-json'] })).toMatchObject({ success: true, data: after });
});
