import type { AlertRow } from '@parapet/contract/alerts.ts';
import { describe, expect, it } from 'vitest';
import { alertList } from './alertList.ts';
import { isInList, newIds, withRepeats } from './liveAlerts.ts';

const alert = (change: Partial<AlertRow> = {}): AlertRow => ({
  id: 100,
  clientOrganizationID: 10,
  clientOrganizationName: 'Alder Manufacturing',
  alertSummary: 'Encoded PowerShell on WS-01',
  ruleID: 'r1',
  rule: 'Encoded PowerShell',
  category: 'Execution',
  severity: 'high',
  criticalityNumber: 4,
  deviceName: 'WS-01',
  userName: 'anna',
  count: 1,
  status: 'new',
  newAlert: true,
  deviceIsolated: false,
  deviceBlocked: false,
  userDisabled: false,
  mitreTechnique: 'T1059.001',
  createdTime: '2026-07-12T10:00:00Z',
  lastSeenTime: '2026-07-12T10:00:00Z',
  ...change,
});
const scope = { client: 10, start: '2026-07-01T00:00:00Z', end: '2026-07-12T12:00:00Z' };

describe('isInList', () => {
  it.each([
    [{}, {}, {}, true],
    [{ clientOrganizationID: 11 }, {}, {}, false],
    [{ clientOrganizationID: 11 }, { client: 0 }, {}, true],
    [{ createdTime: '2026-06-30T23:59:59Z' }, {}, {}, false],
    [{ createdTime: '2026-07-12T12:03:00Z' }, {}, {}, true],
    [{ createdTime: '2026-07-12T12:30:00Z' }, {}, {}, false],
    [{}, {}, { severity: ['critical' as const] }, false],
    [{}, {}, { query: 'abc' }, false],
    [{}, {}, { severity: ['high' as const], rule: ['r1'], category: ['Execution'] }, true],
    [{}, {}, { status: ['seen' as const] }, false],
    [{}, { device: 'ws-01' }, {}, true],
    [{}, { device: 'WS-02' }, {}, false],
    [{ deviceName: null }, {}, { device: 'WS-01' }, false],
    [{}, {}, { technique: ['T1059'] }, true],
    [{}, {}, { technique: ['T1059.003', 'T1105'] }, false],
    [{}, {}, { technique: ['ANY'] }, true],
    [{}, {}, { technique: ['NONE'] }, false],
    [{ mitreTechnique: null }, {}, { technique: ['NONE'] }, true],
    [{ mitreTechnique: null }, {}, { technique: ['T1059'] }, false],
    [{}, {}, { fate: ['shown' as const] }, true],
    [{}, {}, { fate: ['inCase' as const, 'suppressed' as const, 'folded' as const] }, false],
    [{ count: 2 }, {}, { fate: ['folded' as const] }, true],
    [{}, {}, { user: 'bob' }, false],
    [{}, {}, { text: 'POWERSHELL' }, true],
    [{}, {}, { text: '100' }, true],
    [{}, {}, { text: 'ransom' }, false],
  ])('%j in %j with %j', (change, inScope, search, expected) =>
    expect(isInList(alert(change), { ...scope, ...inScope }, alertList.read(search))).toBe(expected),
  );
});

describe('withRepeats', () => {
  const rows = [alert(), alert({ id: 99 })];
  it('updates the row in place', () => {
    const next = withRepeats(rows, new Map([[100, alert({ count: 5, lastSeenTime: '2026-07-12T11:00:00Z' })]]));
    expect(next.map((row) => [row.id, row.count])).toEqual([
      [100, 5],
      [99, 1],
    ]);
    expect(next[1]).toBe(rows[1]);
  });
  it('ignores older repeats and those of other rows', () => {
    expect(withRepeats(rows, new Map([[100, alert()]]))).toBe(rows);
    expect(withRepeats(rows, new Map([[7, alert({ id: 7, count: 9 })]]))).toBe(rows);
  });
});

it.each([
  [{ id: 101, count: 3 }, 100, true],
  [{ id: 50, count: 7 }, 100, false],
  [{ id: 102 }, 100, false],
  [{ id: 101, count: 3 }, Number.POSITIVE_INFINITY, false],
  [{ id: 101, count: 1 }, Number.POSITIVE_INFINITY, true],
])('%j is new beyond %d: %s', (change, newest, isNew) => {
  expect(newIds([alert(change)], { ids: new Set([102]), newest })).toEqual(isNew ? [change.id] : []);
});
